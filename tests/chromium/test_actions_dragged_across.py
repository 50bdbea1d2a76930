"""Drags of the browser's own between a page and its frames, of its own site and of another one."""

import re
from itertools import permutations
from urllib.parse import quote

import pytest

from tests.support.browsers import until
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_TOPS = (0, 100, 200)  # of the page, a frame of its site, and one of another
_AT = "style='position:fixed;margin:0;width:60px;height:30px;top:10px;left:{}px'"
_PIECE = (
    "<b id=log></b>"
    f"<button onclick='log.textContent += ` click`' {_AT.format(10)}>Press {{0}}</button>"
    f"<p draggable=true ondragend='log.textContent += ` end`' {_AT.format(90)}>Take {{0}}</p>"
    "<p ondragover='event.preventDefault()' ondrop='event.preventDefault();"
    f" log.textContent += ` drop`' {_AT.format(170)}>Give {{0}}</p>"
)
_FRAME = (
    '<iframe style="position:fixed;left:0;top:{}px;border:0" width=300 height=50 src="{}"></iframe>'
)


async def _show(stage: Stage) -> None:
    sources = [
        origin(f"/markup?html={quote(_PIECE.format(nth))}")
        for nth, origin in ((1, stage.site.url), (2, stage.site.other))
    ]
    frames = "".join(_FRAME.format(*each) for each in zip(_TOPS[1:], sources, strict=True))
    await stage.show(_PIECE.format(0) + frames)
    await until(lambda: len(stage.tab.frames) == 3, "all frames are there")
    for nth in (1, 2):
        await stage.does("wait_for", textContains=f"Give {nth}")
    await stage.tab.bring_to_front()  # else Chrome draws the frames once a second


async def _ref(stage: Stage, name: str) -> str:
    found = re.search(r"\[ref=(\w+)\]", await stage.does("find", text=name))
    assert found
    return found[1]


async def _logs(stage: Stage) -> list[str]:
    """What each of the three has heard since it was asked last."""
    script = "log.textContent.trim() + (log.textContent = '')"
    return [str(await stage.tab.scripts.isolated(script, each)) for each in stage.tab.frames]


@pytest.mark.parametrize("by_place", [False, True], ids=["elements", "points"])
async def test_across(stage: Stage, by_place: bool) -> None:
    """Dropped once, ended once, and every one of the three takes presses as before."""
    await _show(stage)
    for start, end in permutations(range(3), 2):
        ends: dict[str, object]
        if by_place:
            ends = {"fromX": 120, "fromY": _TOPS[start] + 25, "toX": 200, "toY": _TOPS[end] + 25}
        else:
            refs = [await _ref(stage, name) for name in (f"Take {start}", f"Give {end}")]
            ends = dict(zip(("fromRef", "toRef"), refs, strict=True))
        said = await stage.does("drag", **ends)
        assert said.startswith("Dragged ")
        assert "did not take" not in said
        wanted = ["", "", ""]
        wanted[start], wanted[end] = "end", "drop"
        assert await _logs(stage) == wanted
        for nth in range(3):
            await stage.does("click", ref=await _ref(stage, f"Press {nth}"))
        assert await _logs(stage) == ["click"] * 3


async def test_frame_that_goes_while_dragged(hurried: Stage) -> None:
    """Where another site comes in place of what is dragged, the page takes presses as before."""
    there = hurried.site.other("/form")
    inner = f"<p draggable=true id=a ondragstart='setTimeout(() => location = `{there}`)'>Take</p>"
    src = hurried.site.url(f"/markup?html={quote(inner)}")
    await hurried.show(
        f"<button id=b onclick='this.append(1)'>Press</button>{_FRAME.format(50, src)}"
    )
    await hurried.does("wait_for", textContains="Take")
    await hurried.refuses("drag", fromRef=await _ref(hurried, "Take"), toSelector="#nowhere")
    await until(lambda: list(hurried.tab.frames)[1].url == there, "the other site is there")
    assert 'button "Press1"' in await hurried.does("click", selector="#b")
