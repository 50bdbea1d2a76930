"""What a page writes into tips of its own: they are read as what else a person sees."""

import re

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]


async def test_tip_that_comes(stage: Stage) -> None:
    """A tip is in the answer to what brings it, and in a snapshot as long as it is seen."""
    await stage.show(
        "<button id=b aria-describedby=t>Save</button><div id=t role=tooltip style="
        "'display: none'>Nothing is lost</div><script>b.onmouseenter = () => {"
        " t.style.display = 'block' }; b.onmouseleave = () => { t.style.display = 'none' }</script>"
    )
    assert "lost" not in await stage.does("snapshot")
    assert "+ - tooltip: Nothing is lost" in await stage.does("hover", selector="#b")
    assert "\n- tooltip: Nothing is lost\n" in await stage.does("snapshot")


@in_turn(
    ("inside", "lines"),
    [
        ("<h3>Title</h3><p>Words", [":", '  - heading "Title" [level=3]', "  - text: Words"]),
        ("Sure? <button>Yes</button>", [": Sure?", '  - button "Yes"']),
        ("<b style='display: none'>Hidden</b>Words", [": Words"]),
        ("<b style='display: none'>Hidden</b>", None),
    ],
)
async def test_inside_of_a_tip(stage: Stage, inside: str, lines: list[str] | None) -> None:
    """What is in a tip is told as it is, once, and nothing of what nobody sees."""
    await stage.show(f"<button>Go</button><div role=tooltip>{inside}</div>")
    said = re.sub(r" \[ref=\w+\]", "", await stage.does("snapshot"))
    told = ["- tooltip" + lines[0], *lines[1:]] if lines else []
    assert said.splitlines()[1:-1] == ['- button "Go"', *told]
