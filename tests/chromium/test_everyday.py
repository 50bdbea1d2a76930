"""What everyday pages are made of, as an agent meets it: tables to click in, codes, canvases."""

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.parametrize("browser", ["shared"], indirect=True),
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


async def test_canvas(reader: Reader) -> None:
    """A canvas has a ref also where it calls itself an image, and is found by its name."""
    await reader.show("<canvas role=img aria-label='City map' width=99 height=99></canvas>")
    line = await reader.page("snapshot")
    assert line.startswith('- img "City map" [ref=e')
    assert "clickable" not in line
    assert await reader.page("find", text="City") == line
