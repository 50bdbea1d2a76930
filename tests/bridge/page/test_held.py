"""Lists of elements for the debugger, with a browser played by hand."""

from typing import Any

from bridge.page.held import open_list
from tests.support.fake_chrome import Asked
from tests.support.played_page import SESSION, open_played_page

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
        released = [a for a in page.chrome.seen if a.method == "Runtime.releaseObject"]
        assert [a.params["objectId"] for a in released] == ["host", held.listed.object_id]
