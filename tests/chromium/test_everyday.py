"""What everyday pages are made of, as an agent meets it: tables to click in, codes, canvases."""

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

_GRID = (
    "<table><tr><th style='cursor:pointer'>Name<th style='cursor:pointer'>Age<th>Town"
    "<tr><td>Ada<td onclick='1'>36<td>London<tr><td>Bob<td>40<td>Bern</table>"
    "<table><tr><td onclick='1'>Alone</table>"
)


async def test_cells_to_click(reader: Reader) -> None:
    """Cells that take a click are lines of their own with a ref; the others stay in their row."""
    await reader.show(_GRID)
    lines = [line.strip() for line in (await reader.page("snapshot")).splitlines()]
    assert [line.partition(" [ref=")[0] for line in lines] == [
        "- table:",
        "- row:  |  | Town",
        '- columnheader "Name"',
        '- columnheader "Age"',
        "- row: Ada |  | London",
        '- cell "36"',
        "- row: Bob | 40 | Bern",
        "- table:",
        "- row:",
        '- cell "Alone"',
    ]
    assert sum("[clickable]" in line for line in lines) == 4


_MONTH = "<button onclick='draw()'>Next</button><table></table><script></script>"
_DRAW = """
window.draw = () => {
  const days = [...Array(28).keys()].map((day) => `<td onclick=1>${day + 1}`);
  document.querySelector("table").innerHTML = `<tr>${days.join("")}`;
}; draw(); 1
"""


async def test_drawn_anew(reader: Reader) -> None:
    """Of what is drawn anew only the new refs are told; what there is no room for is counted."""
    await reader.show(_MONTH)
    await reader.tab.evaluate(_DRAW)
    before = await reader.page("snapshot")
    lines = (await reader.page("click", selector="button")).splitlines()
    assert len([line for line in lines if line.startswith('+ - cell "')]) == 19
    assert not [line for line in lines if line.startswith("- ")]
    assert lines[-1] == "… 9 more lines changed; take a snapshot"
    assert lines[0] not in before


async def test_rows_gone(reader: Reader) -> None:
    """The words of a row that is gone stay apart, and many such rows leave room for the rest."""
    rows = "".join(f"<tr><td>{number}</td><td>Kiwi</td></tr>" for number in range(30))
    await reader.show(f"<button>Clear</button><table>{rows}</table>")
    await reader.tab.evaluate(
        "document.querySelector('button').onclick = () => {"
        " for (const row of document.querySelectorAll('tr')) row.remove(); }; 1"
    )
    lines = (await reader.page("click", selector="button")).splitlines()

    assert lines[0] == "- - text: 0 Kiwi"
    assert lines[8:] == ["… 22 more lines changed; take a snapshot"]


_CODE = "<form>" + "<input maxlength=1 size=1>" * 6 + "</form><input id=short maxlength=4>"
_LEAD = """
for (const each of document.querySelectorAll("form input")) {
  const go = () => each.nextSibling?.focus();
  each.oninput = () => { LATER ? setTimeout(go) : go(); };
}; 1
"""


@pytest.mark.parametrize("later", ["0", "1"], ids=["at once", "later"])
async def test_code_in_six_fields(reader: Reader, later: str) -> None:
    """A code typed into the first of six fields goes where the page leads; each keeps its digit."""
    await reader.show(_CODE)
    await reader.tab.evaluate(_LEAD.replace("LATER", later))
    said = await reader.text("type", selector="input", text="123456")
    assert "The text went on into the fields behind it." in said
    held = "[...document.forms[0]].map((each) => each.value).join()"
    assert await reader.tab.evaluate(held) == "1,2,3,4,5,6"


async def test_code_key_by_key(reader: Reader) -> None:
    """Fields that tell no limit, and keep one digit each, are told to have the code together."""
    await reader.show(_CODE.replace("maxlength=1", ""))
    await reader.tab.evaluate(_LEAD.replace("LATER", "0"))
    said = await reader.text("type", selector="input", text="123456", keyEvents=True)
    assert "The text went on into the fields behind it." in said


async def test_more_than_a_field_takes(reader: Reader) -> None:
    """What does not fit, where no page leads on, is told with the limit."""
    await reader.show(_CODE)
    said = await reader.text("type", selector="#short", text="1234567")
    assert 'It does not hold the text as given: it holds "1234" (at most 4).' in said


async def test_canvas(reader: Reader) -> None:
    """A canvas has a ref also where it calls itself an image, and is found by its name."""
    await reader.show("<canvas role=img aria-label='City map' width=99 height=99></canvas>")
    line = await reader.page("snapshot")
    assert line.startswith('- img "City map" [ref=e')
    assert "clickable" not in line
    assert await reader.page("find", text="City") == line


async def test_wheel_over_a_canvas(reader: Reader) -> None:
    """The wheel is turned over the element that was named, not in the middle of the window."""
    await reader.show("<canvas width=99 height=99></canvas><p>Zoom 0")
    await reader.tab.evaluate(
        "document.querySelector('canvas').onwheel = (event) => {"
        " document.querySelector('p').textContent = `Zoom ${event.deltaY}`; }; 1"
    )
    said = await reader.text("scroll", selector="canvas", deltaY=-100)
    assert "the mouse wheel was turned" in said
    assert "Zoom -100" in said


async def test_icon_font(reader: Reader) -> None:
    """A button that shows a sign of an icon font alone is called by its title."""
    await reader.show("<button title=Mute>&#xe002;</button><button title=Hint>Words</button>")
    names = [line.partition(" [ref=")[0] for line in (await reader.page("snapshot")).splitlines()]
    assert names == ['- button "Mute"', '- button "Words"']
