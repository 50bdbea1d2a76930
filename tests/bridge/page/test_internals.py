"""What Chrome's tree says of an element, as attributes, and how it is asked."""

from typing import Any

import msgspec
import pytest

from bridge import cdp
from bridge.page.internals import renewed, told_by
from bridge.page.target import Target
from tests.support.fake_chrome import Asked
from tests.support.played_page import SESSION, PlayedPage, open_played_page

_COMMON = {"configurable": True, "enumerable": True, "writable": True}


def _node(role: str, **more: Any) -> dict[str, Any]:
    properties = [
        {"name": name, "value": {"type": "token", "value": value}}
        for name, value in more.pop("states", {}).items()
    ]
    kind = more.pop("kind", "role")
    node = {"nodeId": "1", "ignored": False, "role": {"type": kind, "value": role}}
    return {**node, "properties": properties, **more}


def _told(node: dict[str, Any]) -> Any:
    return told_by(msgspec.convert(node, cdp.accessibility.AXNode))


def _name(text: str, **source: Any) -> dict[str, Any]:
    value = {"type": "computedString", "value": text}
    kind = {"type": "attribute", "value": value, **source}
    return {"name": {**value, "sources": [{"type": "attribute", "attribute": "title"}, kind]}}


@pytest.mark.parametrize(
    ("states", "attributes"),
    [
        ({"checked": "true", "invalid": "false"}, {"aria-checked": "true"}),
        ({"checked": "mixed"}, {"aria-checked": "mixed"}),
        ({"checked": "false", "pressed": "false", "disabled": False, "busy": 0}, {}),
        ({"expanded": False}, {"aria-expanded": "false"}),
        ({"expanded": True, "hasPopup": "menu"}, {"aria-expanded": "true"}),
        ({"busy": 1, "level": 3}, {"aria-busy": "true", "aria-level": "3"}),
        ({"invalid": "spelling", "valuetext": ""}, {"aria-invalid": "spelling"}),
    ],
)
def test_states(states: dict[str, Any], attributes: dict[str, str]) -> None:
    """A state that holds is told; one that does not is not, but for what can be opened."""
    assert _told(_node("button", states=states)) == {"role": "button", **attributes}


def test_values() -> None:
    """A range tells its value, as far as Chrome keeps it; a field shows its own."""
    value = {"value": {"type": "number", "value": 0.30000001192092896}}
    assert _told(_node("slider", **value)) == {"role": "slider", "aria-valuenow": "0.3"}
    assert _told(_node("textbox", **value)) == {"role": "textbox"}


def test_names() -> None:
    """A label of its own is told, wherever its words come from; others the page shows by itself."""
    assert _told(_node("link", **_name("A", attribute="aria-label")))["aria-label"] == "A"
    assert _told(_node("link", **_name("B", attribute="aria-labelledby")))["aria-label"] == "B"
    assert "aria-label" not in _told(_node("link", **_name("C", type="contents")))
    superseded = _name("D", attribute="aria-label", superseded=True)
    assert "aria-label" not in _told(_node("link", **superseded))


def test_nothing_to_tell() -> None:
    """Without a role there is nothing; where Chrome does not look, nobody knows."""
    reason = {"value": {"type": "boolean", "value": True}}
    ignored = {"nodeId": "1", "ignored": True}
    assert _told(_node("Section", kind="internalRole")) == {}
    assert _told({**ignored, "ignoredReasons": [{"name": "uninteresting", **reason}]}) == {}
    assert _told({**ignored, "ignoredReasons": [{"name": "inertSubtree", **reason}]}) is None
    assert _told(ignored) == {}


def _listed(_: Asked) -> dict[str, Any]:
    hosts = [{"name": str(n), "value": {"type": "object", "objectId": f"host {n}"}} for n in (0, 1)]
    return {"result": [{**each, **_COMMON} for each in hosts]}


def _play(page: PlayedPage) -> None:
    page.chrome.answers["Runtime.getProperties"] = _listed
    page.chrome.answers["Runtime.releaseObject"] = lambda _: {}
    for method in ("Accessibility.enable", "Accessibility.disable"):
        page.chrome.answers[method] = lambda _: {}
    page.chrome.answers["Accessibility.getPartialAXTree"] = lambda _: {"nodes": [_node("tab")]}


@pytest.mark.parametrize(("says", "given_up"), [([True, True], False), ([False, False], True)])
async def test_tree_given_up(says: list[bool], given_up: bool) -> None:
    """Each element is asked about once, alone; the tree is kept where one says something."""
    async with open_played_page() as page:
        _play(page)
        page.says["hear"] = says
        assert await page.tab.internals.hear(page.tab.frames.main) == says[0]
        asked = [a for a in page.chrome.seen if a.method == "Accessibility.getPartialAXTree"]
        assert [a.params["objectId"] for a in asked] == ["host 0", "host 1"]
        assert not any(a.params["fetchRelatives"] for a in asked)
        assert ("Accessibility.disable" in page.chrome.methods(SESSION)) == given_up
        assert page.calls[-1][1][1:] == [[{"role": "tab"}] * 2, True]


async def test_one_element() -> None:
    """To hear of one element is no reason not to ask again at the next reading."""
    async with open_played_page() as page:
        _play(page)
        page.says["hear"] = [True, True]
        assert await page.tab.internals.hear_of(Target(page.tab.frames.main, {"ref": 1}, "e1"))
        assert page.calls[-1][1][2] is False


async def test_refused() -> None:
    """Chrome's refusal to look is no failure of the reading."""
    async with open_played_page() as page:
        _play(page)
        refusal = {"error": {"code": -32000, "message": "Frame is detached."}}
        page.chrome.answers["Accessibility.getPartialAXTree"] = lambda _: refusal
        assert not await page.tab.internals.hear(page.tab.frames.main)


async def test_news() -> None:
    """News are added to the changes, each line once; without any nobody is asked."""
    async with open_played_page() as page:
        _play(page)
        page.says |= {"hear": [True, True], "news": ["~ a", "~ b"]}
        told: dict[str, Any] = {"changes": "~ a", "isAddressed": True}
        await page.tab.internals.tell_news(page.tab.frames.main, told)
        assert told == {"changes": "~ a\n~ b"}
        await page.tab.internals.tell_news(page.tab.frames.main, told)
        assert told == {"changes": "~ a\n~ b"}


def test_renewed() -> None:
    """What is newer of an element stands in the place of what was told of it."""
    told = ["~ tab [ref=e1] [selected]", "~ text: x", "+ tab [ref=e2]"]
    news = ["~ tab [ref=e1]", "~ tab [ref=e3] [selected]"]
    assert renewed(told, news) == [news[0], *told[1:], news[1]]
