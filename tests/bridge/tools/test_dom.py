"""The closer look, with a page played by hand."""

from collections.abc import AsyncIterator

import pytest

from bridge.tools.catalogue import TOOLS
from tests.support.played_page import PlayedPage, Refusal, open_played_page


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door with all sets."""
    async with open_played_page() as opened:
        yield opened


async def test_query(page: PlayedPage) -> None:
    """Elements come as a line of JSON each, with their number."""
    page.says["query"] = {"count": 7, "elements": [{"ref": "e1", "text": "ü"}]}
    answer = await page.door.text("query_dom", selector="p", limit=1)
    assert answer.startswith("7 matches, the first 1:\n<page")
    assert '{"ref": "e1", "text": "ü"}' in answer


async def test_query_in_frames(page: PlayedPage) -> None:
    """Matches are listed, and counted, in all frames: the page's first, up to the limit."""
    await page.add_frame("F1", "https://b.example/")
    answers = [
        {"count": 1, "elements": [{"ref": "e1"}]},
        {"count": 2, "elements": [{"ref": "f1e1"}, {"ref": "f1e2"}]},
    ]
    page.says["query"] = lambda *_: answers.pop(0)
    answer = await page.door.text("query_dom", selector="p", limit=2)
    assert answer.startswith("3 matches, the first 2:\n<page")
    assert '{"ref": "e1"}\n{"ref": "f1e1"}\n</page' in answer


async def test_boxes_as_clicks_take_them(page: PlayedPage) -> None:
    """A box in a frame is told in the coordinates of the page."""
    await page.add_frame("F1", "https://b.example/")
    page.says["count"] = lambda selector: len(page.calls) - 1  # 0 in the page, 1 in the frame
    page.says["visibility"] = {"exists": True, "box": {"x": 1, "y": 2, "width": 3, "height": 4}}
    page.says["boxAround"] = lambda _, box: [box[0] + 10, box[1] + 20.001, *box[2:]]
    answer = await page.door.text("check_visibility", selector="p")
    assert '"box": {"x": 11, "y": 22.0, "width": 3, "height": 4}' in answer


async def test_one_of_several(page: PlayedPage) -> None:
    """Facts about one of several matches say that they are."""
    page.says |= {"count": 5, "choose": 5, "attributes": {"id": "a"}, "state": {"tag": "p"}}
    for tool in ("get_attributes", "check_element_state"):
        assert (await page.door.text(tool, selector="p")).startswith("1 of 5 matches:\n<page")
    page.says["choose"] = 1
    assert (await page.door.text("get_attributes", selector="p")).startswith("<page")
    assert (await page.door.text("get_attributes", ref="e1")).startswith("<page")


async def test_absent(page: PlayedPage) -> None:
    """An element that is not there is an answer, not an error."""
    page.says["visibility"] = {"exists": False}
    assert '{"exists": false}' in await page.door.text("check_visibility", selector="p")


async def test_count_in_frames(page: PlayedPage) -> None:
    """Matches in all frames are counted; a frame that is gone counts nothing."""
    await page.add_frame("F1", "https://b.example/")
    await page.add_frame("F2", "https://c.example/")
    answers = [2, 3, Refusal([1, None, "SELECTOR_NOT_FOUND", "gone", {}])]
    page.says["count"] = lambda selector: answers.pop(0)
    assert await page.door.text("count_elements", selector="p") == "5 (2 in the main frame)"


async def test_text_is_cut(page: PlayedPage) -> None:
    """Visible text ends after as many characters as are wanted, and says so."""
    told = {"frames": [], "matches": 1, "dropped": 0, "suspects": 0, "internals": 0}
    page.says["text"] = {"pieces": ["x" * 6000], **told}
    assert "… cut: 5,990 more characters" in await page.door.text("get_visible_text", maxLength=10)


async def test_half_a_secret(page: PlayedPage) -> None:
    """Secrets are looked for before the text is cut: half of one looks like none."""
    page.door.desk.readings.scrub = lambda text: text.replace("correct horse", "{{PW}}")
    told = {"frames": [], "matches": 1, "dropped": 0, "suspects": 0, "internals": 0}
    page.says["text"] = {"pieces": ["it is correct horse"], **told}
    assert "correct" not in await page.door.text("get_visible_text", maxLength=15)


async def test_exactly_one(page: PlayedPage) -> None:
    """Tools about one element need a ref or a selector."""
    for name in ("get_computed_styles", "check_visibility", "get_attributes"):
        assert (await page.door.refusal(name)).startswith("BAD_ARGS: ref or selector is needed")


def test_all_of_them() -> None:
    """The set has its ten tools, and all of them only read."""
    tools = [tool for tool in TOOLS.values() if tool.toolset == "dom"]
    assert len(tools) == 10
    assert all(tool.read_only for tool in tools)
