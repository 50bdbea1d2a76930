"""A disclosure without a summary has the one that Chrome paints."""

import re

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]


@pytest.mark.parametrize("style", ["", "padding:30px;border:9px solid;line-height:3;width:60px"])
async def test_no_summary(stage: Stage, style: str) -> None:
    """Closed and open it has a line, and a click on that opens and closes it."""
    await stage.show(f"<details id=d style='{style}'><p>Words <button>Inner</button></p></details>")
    for state in ("collapsed", "expanded"):
        told = await stage.does("snapshot")
        found = re.search(rf'- button "Details" \[ref=(\w+)\] \[{state}\]', told)
        assert found is not None, told
        before = await stage.value("d.open")
        await stage.does("click", ref=found[1])
        assert await stage.value("d.open") is not before
    assert "Inner" not in await stage.does("snapshot")


async def test_with_summary(stage: Stage) -> None:
    """One with a summary of its own has no other."""
    await stage.show("<details open><summary>More</summary><p>Words</p></details>")
    told = await stage.does("snapshot")
    assert "Details" not in told
    assert 'button "More"' in told
