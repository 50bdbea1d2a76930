"""What is found in several documents, with a browser played by hand."""

from typing import Any

from tests.support.played_page import open_played_page


def _found(lines: list[str], unseen: list[str], frames: list[str]) -> dict[str, Any]:
    counts = {"visible": len(lines), "hidden": len(unseen)}
    return {
        "lines": lines,
        "unseen": unseen,
        "frames": frames,
        "suspects": 0,
        "internals": 0,
        **counts,
    }


async def test_visible_first() -> None:
    """What a person sees in any frame comes before what nobody sees on the page itself."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://b.example/")
        answers = [_found(["main"], ["hidden"], ["e1"]), _found(["frame"], [], [])]
        page.says["find"] = lambda *_: answers.pop(0)
        found = await page.tab.finding.find("x", exact=True, limit=2, readable=lambda _: True)
        assert found.lines == ["main", "frame"]
        assert (found.visible, found.hidden) == (2, 1)
        assert page.calls[0] == ("find", [None, "x", True, 2])
