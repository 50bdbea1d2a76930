"""A tab that goes on while a call waits: what was asked for one page is not done on another."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import trio

from bridge.browser.prelude import PRELUDE
from bridge.policy.options import PolicyOptions
from bridge.tools.answer import Question
from fixtures.site import Site
from tests.support.browsers import open_browser_at, until
from tests.support.door import Client, OpenDoor, open_door

pytestmark = pytest.mark.chromium

_GO = (
    "<button id=go style='position:fixed;left:0;top:0;width:200px;height:60px'"
    " onclick=\"fetch('/echo?clicked')\" onmouseover=\"fetch('/echo?hovered')\">go</button>"
)
_READ_ONLY = (
    f"{_GO}<br><br><br><br><input id=f autofocus oninput=\"fetch('/echo?typed')\""
    " onkeydown=\"fetch('/echo?key')\" onfocus=\"fetch('/echo?focused')\">"
    "<select id=s onchange=\"fetch('/echo?chosen')\"><option>a<option>b</select>"
    "<input id=u type=file onchange=\"fetch('/echo?given')\"><p style='height:4000px'>"
    "<script>onscroll = () => fetch('/echo?scrolled')</script>"
)
_BUSY = 'fetch("/echo"); for (const t = Date.now(); Date.now() - t < 400;); location = to'
_AFTER = 300  # ms until the page leads on; the call waits for its element by then
_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("click", {"selector": "#go"}),
    ("hover", {"selector": "#go"}),
    ("drag", {"fromSelector": "#go", "toSelector": "#s"}),
    ("type", {"selector": "#f", "text": "x"}),
    ("press", {"selector": "#f", "key": "x"}),
    ("select_option", {"selector": "#s", "values": ["b"]}),
    ("scroll", {"selector": "#u", "deltaY": 500}),
    ("upload_file", {"selector": "#u", "paths": ["file.txt"]}),
    ("fill_form", {"fields": {"#f": "x"}}),
]
_IN_TURN: list[tuple[str, dict[str, Any]]] = [
    ("click", {"x": 50, "y": 30}),
    ("hover", {"x": 50, "y": 30}),
    ("type", {"text": "x"}),
    ("press", {"key": "x"}),
    ("scroll", {"deltaY": 500}),
    ("eval", {"expression": "fetch('/echo?script')"}),
]


@dataclass
class _Two:
    """A host that may be acted on, and one that may only be read."""

    door: OpenDoor
    site: Site

    @property
    def reached(self) -> list[str]:
        """What was done to the page that may only be read."""
        return [each.query for each in self.site.requests if each.path == "/echo"]

    @property
    def read_only(self) -> str:
        return self.site.other(f"/markup?html={quote(_READ_ONLY)}")

    async def open(self, html: str) -> None:
        await self.door.text("navigate", url=self.site.url(f"/markup?html={quote(html)}"))
        self.site.forget_requests()

    async def arrive(self) -> None:
        """Wait until the other page is there, and had time to tell."""
        await until(lambda: self.url.startswith(self.site.other_origin), "the other page is there")
        await self.door.text("wait_for", timeMs=300)

    @property
    def url(self) -> str:
        assert self.door.desk.current is not None
        return self.door.desk.current.url


@asynccontextmanager
async def _open_two(endpoint: str, site: Site, **more: Any) -> AsyncIterator[_Two]:
    options = PolicyOptions(
        allow_domain=(urlsplit(site.origin).netloc,),
        read_domain=(urlsplit(site.other_origin).netloc,),
        enable_mutations=True,
        unsafe_enable_eval=True,
        enable_uploads=True,
        **more,
    )
    async with open_browser_at(endpoint, exclusive=False) as browser:
        browser.add_prelude(*PRELUDE)
        async with open_door(browser, options, toolsets=("core", "state")) as door:
            yield _Two(door, site)


@pytest.fixture
async def two(endpoint: str, site: Site, tmp_path: Any) -> AsyncIterator[_Two]:
    (tmp_path / "file.txt").write_text("x")
    async with _open_two(endpoint, site, uploads_dir=tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(("tool", "arguments"), _CALLS, ids=[name for name, _ in _CALLS])
async def test_led_on_by_the_page(two: _Two, tool: str, arguments: dict[str, Any]) -> None:
    """An element that is waited for is not used on the next page, if that may only be read."""
    await two.open(f"<script>setTimeout(() => location = '{two.read_only}', {_AFTER})</script>")
    answer = await two.door.call(tool, **arguments)
    assert answer.is_error
    await two.arrive()
    assert [each for each in two.reached if each != "focused"] == []


@pytest.mark.parametrize(("tool", "arguments"), _IN_TURN, ids=[name for name, _ in _IN_TURN])
async def test_led_on_by_another_call(two: _Two, tool: str, arguments: dict[str, Any]) -> None:
    """A call that waited for its turn is not carried out on the page that the turn has led to."""
    await two.open(
        f"<button id=l onclick='{_BUSY}'>on</button><script>to = '{two.read_only}'</script>"
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: two.door.call("click", selector="#l"))
        await two.site.wait_request("/echo")
        two.site.forget_requests()
        answer = await two.door.call(tool, **arguments)
    assert answer.is_error
    assert answer.text.startswith("POLICY_DENIED: ")
    await two.arrive()
    assert [each for each in two.reached if each != "focused"] == []


@pytest.mark.parametrize(
    "place", [{"selector": "#go"}, {"x": 50, "y": 30}], ids=["element", "point"]
)
async def test_led_on_while_a_button_is_held(two: _Two, place: dict[str, Any]) -> None:
    """A long press that leads on is told as made; a page that may only be read gets no release."""
    hears = "<script>onpointerup = (event) => fetch(`/echo?up${event.buttons}`)</script>"
    there = two.site.other(f"/markup?html={quote(hears)}")
    leads = f"setTimeout(() => location = `{there}`, 100)"
    await two.open(_GO.replace("onclick", f'onpointerdown="{leads}" onclick'))
    said = await two.door.text("click", holdMs=1000, **place)
    assert said.startswith("Clicked (held 1000 ms) ")
    assert f"Now at {two.site.other('/markup')}" in said
    await two.arrive()
    assert [each for each in two.reached if each.startswith("up")] == []
    await two.open(f"{_GO}{hears}")
    await two.door.text("click", **place)
    await until(lambda: "clicked" in two.reached, "the next click is one")
    assert "up0" in two.reached


@pytest.mark.parametrize("own", [False, True], ids=["pointer", "native"])
@pytest.mark.parametrize("framed", [False, True], ids=["page", "frame"])
async def test_led_on_while_dragged(two: _Two, own: bool, framed: bool) -> None:
    """A drag in what leads on ends with it: nothing is let go there, and the next press is one."""
    hears = "<script>onpointerup = (event) => fetch(`/echo?up${event.buttons}`)</script>"
    there = two.site.other(f"/markup?html={quote(hears)}")
    leads = f"to = `{there}`; setTimeout(() => {{ {_BUSY.partition(';')[2]} }})"
    when = f"if (event.buttons || event.type === `dragstart`) {{ {leads} }}"
    dragged = f"draggable=true ondragstart='{when}'" if own else f"onpointermove='{when}'"
    box = f"<p {dragged} id=box style='position:fixed;left:0;top:200px;margin:0'>drag me</p>"
    src = two.site.url(f"/markup?html={quote(box)}")
    frame = f'<iframe width=400 height=400 src="{src}"></iframe>'
    await two.open(f"{_GO}{hears}{frame if framed else box}")
    places = await two.door.text("find", text="drag me")
    ref = places.partition("[ref=")[2].partition("]")[0]
    answer = await two.door.call("drag", fromRef=ref, toX=300, toY=300)
    if answer.is_error:
        assert answer.text.startswith("POLICY_DENIED: it would now reach another page or frame")
    else:  # the page was gone before it could be asked how the press went
        assert answer.text.startswith(f"Began to drag {ref} to (300, 300), which came to no end.")
    await two.door.text("wait_for", timeMs=300)
    assert two.reached == []
    if not framed:
        await two.open(f"{_GO}{hears}")
    await two.door.text("click", selector="#go")
    await until(lambda: "clicked" in two.reached, "the next click is one")
    assert "up0" in two.reached


async def test_left_for_another_host(two: _Two) -> None:
    """What a page that is being left should keep is not kept by the one that comes instead."""
    slow = two.site.other("/slow?ms=400")
    await two.open(f"<script>setTimeout(() => location = '{slow}', 50)</script>")
    await two.site.wait_request("/slow")
    refused = await two.door.refusal("storage", action="set", key="k", value="v")
    assert refused.startswith("POLICY_DENIED: it would now reach another page or frame: acting on")
    await two.arrive()
    assert "0 items." in await two.door.text("storage")


@dataclass
class _Slow(Client):
    """A user who thinks about it while the page goes on."""

    two: "_Two | None" = None
    seen: list[str] = field(default_factory=list)

    async def ask(self, question: Question) -> str | None:
        assert self.two is not None
        self.seen.append(question.message)
        if len(self.seen) > 1:
            return None
        tab = self.two.door.desk.current
        assert tab is not None
        await tab.navigate(self.two.read_only)
        return "act"


async def test_led_on_while_a_user_is_asked(endpoint: str, site: Site) -> None:
    """A yes for one page is none for the page that is there when it comes: that is asked about."""
    async with _open_two(endpoint, site) as two:
        await two.open("<button id=go>go</button>")
        here = urlsplit(site.origin).netloc
        two.door.guard.policy = two.door.guard.policy.__class__.from_options(
            PolicyOptions(read_domain=(here, urlsplit(site.other_origin).netloc))
        )
        user = _Slow(can_ask=True, two=two)
        answer = await two.door.call("click", selector="#go", by=user)
        assert answer.text.startswith("POLICY_DENIED: the user did not allow ")
        assert [each for each in two.reached if each != "focused"] == []
        assert here in user.seen[0]
        assert urlsplit(site.other_origin).netloc in user.seen[1]


async def test_led_on_between_what_may_be_acted_on(endpoint: str, site: Site) -> None:
    """Where both pages may be acted on, the element is used on the one it turns up on."""
    async with _open_two(endpoint, site) as two:
        both = PolicyOptions(unsafe_all_domains=True, enable_mutations=True)
        two.door.guard.policy = two.door.guard.policy.__class__.from_options(both)
        await two.open(f"<script>setTimeout(() => location = '{two.read_only}', {_AFTER})</script>")
        assert "Clicked selector '#go'." in await two.door.text("click", selector="#go")
        await site.wait_request("/echo")
        assert "clicked" in two.reached or "hovered" in two.reached
