"""Tabs that pages open behind the answer to a click."""

import pytest
import trio

from tests.support.browsers import until
from tests.support.door import Client
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_LATER = (
    "<button id=b onclick=\"setTimeout(() => { window.w = window.open('/echo?pop') }, 1500)\">"
    "Open</button>"
)


async def _come(stage: Stage, tabs: int) -> None:
    await until(lambda: len(stage.door.desk.tabs) == tabs, f"there are {tabs} tabs")


async def test_opened_behind_the_answer(stage: Stage) -> None:
    """A tab that a timer opens is told by the next answer of any tool, once, also by a refusal."""
    await stage.show(_LATER)
    for refused in (False, True):
        before = len(stage.door.desk.tabs)
        assert "tab" not in await stage.does("click", selector="#b")
        await _come(stage, before + 1)
        ask = stage.refuses("press", key="Nokey") if refused else stage.does("snapshot")
        newcomer = stage.door.desk.tabs[-1]
        said = await ask
        assert said.startswith(f"Note: {stage.tab.id} has opened a tab: {newcomer.id} "), said
        assert "opened a tab" not in await stage.does("snapshot")


async def test_known_already(stage: Stage) -> None:
    """What the answer to the click has told, or the list of tabs, is no news."""
    await stage.show(f"<a href=/echo target=_blank id=a>Go</a>{_LATER}")
    assert "A tab was opened: t" in await stage.does("click", selector="#a")
    await stage.does("click", selector="#b")
    await _come(stage, 3)
    assert "Note" not in await stage.does("tabs_list")
    assert "Note" not in await stage.does("snapshot")


async def test_gone_again(stage: Stage) -> None:
    """A tab that is closed by then is not told."""
    await stage.show(_LATER)
    await stage.does("click", selector="#b")
    await _come(stage, 2)
    await stage.value("w.close()")
    await _come(stage, 1)
    assert "Note" not in await stage.does("snapshot")


async def test_of_another_client(stage: Stage) -> None:
    """Another client of the server hears nothing of it."""
    await stage.show(_LATER)
    other = Client(id="other")
    await stage.door.call("tab_new", by=other)
    await stage.does("click", selector="#b")
    await _come(stage, 2)
    await trio.lowlevel.checkpoint()
    assert "Note" not in (await stage.door.call("snapshot", by=other)).text
    assert "has opened a tab" in await stage.does("snapshot")
