"""Lists of elements for the debugger, with a browser played by hand."""

from typing import Any

import pytest
import trio

from bridge.errors import ChromeError
from bridge.page.held import open_list
from tests.support.fake_chrome import Asked
from tests.support.played_page import SESSION, PlayedPage, open_played_page

_COMMON = {"configurable": True, "enumerable": True, "writable": True}


def _listed(_: Asked) -> dict[str, Any]:
    element = {"type": "object", "objectId": "host"}
    names = {"0": element, "length": {"type": "number"}, "1": {"type": "undefined"}}
    return {"result": [{"name": name, "value": value, **_COMMON} for name, value in names.items()]}


async def test_released() -> None:
    """The elements of a list are had until the block ends; they and the list are released then."""
    async with open_played_page() as page:
        page.chrome.answers["Runtime.getProperties"] = _listed
        page.chrome.answers["Runtime.releaseObject"] = lambda _: {}
        async with open_list(page.tab.worlds, page.tab.frames.main, "suspects") as held:
            assert [each.object_id for each in held.elements] == ["host"]
            assert "Runtime.releaseObject" not in page.chrome.methods(SESSION)
        assert _released(page) == ["host", held.listed.object_id]


async def test_released_behind_an_error() -> None:
    """So they are where the block fails or is given up; so is a list nobody can look into."""
    async with open_played_page() as page:
        page.chrome.answers["Runtime.getProperties"] = _listed
        page.chrome.answers["Runtime.releaseObject"] = lambda _: {}
        worlds, frame = page.tab.worlds, page.tab.frames.main
        with pytest.raises(ZeroDivisionError):
            async with open_list(worlds, frame, "suspects"):
                raise ZeroDivisionError
        assert len(_released(page)) == 2
        with trio.CancelScope() as scope:
            async with open_list(worlds, frame, "suspects"):
                scope.cancel()
                await trio.lowlevel.checkpoint()
        assert len(_released(page)) == 4
        page.chrome.answers["Runtime.getProperties"] = lambda asked: page.chrome.fake.refuse(
            asked, -32000, "Cannot find it"
        )
        with pytest.raises(ChromeError):
            async with open_list(worlds, frame, "suspects"):
                pass
        assert len(_released(page)) == 5


def _released(page: PlayedPage) -> list[object]:
    released = [each for each in page.chrome.seen if each.method == "Runtime.releaseObject"]
    return [each.params["objectId"] for each in released]
