"""Frames that may only be read: nothing that is done to what is around them gets into them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from bridge.browser.prelude import PRELUDE
from bridge.policy.options import PolicyOptions
from bridge.policy.patterns import parse_pattern
from bridge.tools.answer import Question
from fixtures.site import Site
from tests.support.browsers import open_browser_at, until
from tests.support.door import Client, OpenDoor, open_door

pytestmark = pytest.mark.chromium

_INNER = (
    "<body style='margin:0'><button style='position:fixed;inset:0;width:100%'"
    " onclick=\"fetch('/echo?clicked')\" onmouseover=\"fetch('/echo?hovered')\">in</button>"
    "<script>onwheel = () => fetch('/echo?wheel');"
    "ondragenter = ondragover = (e) => { e.preventDefault(); fetch('/echo?dragged') };"
    "ondrop = () => fetch('/echo?dropped')</script>"
)
_ASKS = "<script>setTimeout(() => fetch('/echo?' + confirm('sure')), 200)</script>"
_OUTER = (
    "<div id=d style='width:300px;height:200px' ondragover='event.preventDefault()'>"
    "<iframe id=i src='{}' style='border:0' width=300 height=200></iframe></div>"
)


@pytest.fixture
async def door(endpoint: str, site: Site, tmp_path: Any) -> AsyncIterator[OpenDoor]:
    """One host of the site may be acted on, the other only read."""
    (tmp_path / "file.txt").write_text("x")
    options = PolicyOptions(
        allow_domain=(urlsplit(site.origin).netloc,),
        read_domain=(urlsplit(site.other_origin).netloc,),
        enable_mutations=True,
        enable_downloads=True,
        enable_uploads=True,
        uploads_dir=tmp_path,
    )
    async with open_browser_at(endpoint, exclusive=False) as browser:
        browser.add_prelude(*PRELUDE)
        async with open_door(browser, options) as opened:
            yield opened


async def _show(door: OpenDoor, site: Site, inner: str, **more: Any) -> None:
    framed = site.other(f"/markup?html={quote(inner)}")
    page = site.url(f"/markup?html={quote(_OUTER.format(framed))}")
    await door.text("navigate", url=page, **more)


def _reached(site: Site) -> list[str]:
    return [each.query for each in site.requests if each.path == "/echo"]


@pytest.mark.parametrize("selector", ["#i", "#d"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("upload_file", {"paths": ["file.txt"]}),
        ("scroll", {"deltaY": 100}),
        ("click", {}),
        ("hover", {}),
    ],
    ids=["upload", "scroll", "click", "hover"],
)
async def test_below_an_element(
    door: OpenDoor, site: Site, tool: str, arguments: dict[str, Any], selector: str
) -> None:
    """What is done to an element goes to none of its frames that may only be read."""
    await _show(door, site, _INNER)
    refused = await door.refusal(tool, selector=selector, **arguments)
    assert "POLICY_DENIED: " in refused
    assert "only reading it" in refused
    await door.text("wait_for", timeMs=300)
    assert _reached(site) == []


@dataclass
class _Slow(Client):
    """A user who says yes to a frame that the page has replaced by then."""

    door: "OpenDoor | None" = None
    instead: str = ""

    async def ask(self, question: Question) -> str | None:
        self.asked.append(question)
        if len(self.asked) > 1:
            return None
        assert self.door is not None
        tab = self.door.desk.current
        assert tab is not None
        await tab.evaluate(
            f"new Promise((done) => {{ const other = i.cloneNode(); other.onload = done;"
            f" other.src = {self.instead!r}; i.replaceWith(other) }})"
        )
        return "act"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("click", {"x": 50, "y": 150}),
        ("hover", {"x": 50, "y": 150}),
        ("drag", {"fromX": 50, "fromY": 30, "toX": 50, "toY": 150}),
        ("click", {"selector": "#d"}),
    ],
    ids=["click", "hover", "drag", "element"],
)
async def test_below_a_point(
    door: OpenDoor, site: Site, tool: str, arguments: dict[str, Any]
) -> None:
    """A yes to the frame below a point is none to the one that is there when it comes."""
    await _show(door, site, "first")
    third = site.other("/markup").replace("localhost", "127.0.0.1")
    read = parse_pattern("localhost"), parse_pattern("127.0.0.1")
    door.guard.policy = replace(door.guard.policy, read=read)
    user = _Slow(can_ask=True, door=door, instead=f"{third}?html={quote(_INNER)}")
    answer = await door.call(tool, by=user, **arguments)
    assert answer.text.startswith("POLICY_DENIED: ")
    await door.text("wait_for", timeMs=300)
    assert _reached(site) == []


async def test_dialog_of_a_frame(door: OpenDoor, site: Site) -> None:
    """A dialog of such a frame is answered neither way; leaving the page ends it."""
    await _show(door, site, _ASKS, waitUntil="commit")
    tab = door.desk.current
    assert tab is not None
    await until(lambda: tab.dialogs.current is not None, "the frame asks")
    for action in ("accept", "dismiss"):
        refused = await door.refusal("handle_dialog", action=action)
        assert refused.startswith("POLICY_DENIED: acting on ")
    assert _reached(site) == []
    assert "or navigate" in await door.refusal("navigate", url=site.url())
    assert "was dismissed" in await door.text("navigate", url=site.url())
