"""Keys and frames that may not be acted on: whatever has the focus, none of them gets one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import pytest

from bridge.browser.prelude import PRELUDE
from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.browsers import open_browser_at, until, until_true
from tests.support.door import OpenDoor, open_door
from tests.support.plugged import short_folder
from tests.support.served import open_served

pytestmark = pytest.mark.chromium

_INNER = (
    "<title>Sec&#114;et</title>"
    "<button id=b autofocus onclick=\"fetch('/echo?clicked')\">Sec&#114;et</button>"
    "<input aria-label=Sec&#114;et value=Sec&#114;et oninput=\"fetch('/echo?typed')\">"
    "<script>onkeydown = () => fetch('/echo?key'); fetch('/echo?ready')</script>"
)
_OUTER = (
    "<button id=z>own</button><input id=o aria-label=Own onkeydown='if (window.steal) f.focus()'>"
    "<button id=s onfocus='f.focus()'>steals</button><iframe id=f src='{}'></iframe>"
)


@dataclass
class _Page:
    """A page with a frame in it, behind a door."""

    door: OpenDoor
    site: Site

    async def press(self, key: str, selector: str | None = None) -> str:
        return (await self.door.call("press", key=key, selector=selector)).text

    @property
    def reached(self) -> list[str]:
        """What the frame tells that it got."""
        told = [each.query for each in self.site.requests if each.path == "/echo"]
        return [each for each in told if each in ("clicked", "typed", "key")]


def _address(site: Site) -> str:
    inner = site.other(f"/markup?html={quote(_INNER)}")
    return site.url(f"/markup?html={quote(_OUTER.format(inner))}")


def _options(site: Site, *, read: bool) -> PolicyOptions:
    return PolicyOptions(
        allow_domain=(urlsplit(site.origin).netloc,),
        read_domain=(urlsplit(site.other_origin).netloc,) if read else (),
        enable_mutations=True,
        unsafe_enable_eval=True,
    )


@asynccontextmanager
async def _open_page(endpoint: str, site: Site, *, read: bool) -> AsyncIterator[_Page]:
    """In a browser without a gate, where a denied frame has been there before us."""
    async with open_browser_at(endpoint, exclusive=False) as browser:
        browser.add_prelude(*PRELUDE)
        async with open_door(browser, _options(site, read=read)) as door:
            await door.text("navigate", url=_address(site))
            tab = door.desk.current
            assert tab is not None
            await until(
                lambda: any(frame.url.startswith(site.other_origin) for frame in tab.frames),
                "the frame is known",
            )
            await until(
                lambda: any(each.query == "ready" for each in site.requests), "the frame is there"
            )
            yield _Page(door, site)


@pytest.fixture(params=[True, False], ids=["read", "denied"])
async def page(endpoint: str, site: Site, request: pytest.FixtureRequest) -> AsyncIterator[_Page]:
    """With a frame that may be read only, and with one that may not even be read."""
    async with _open_page(endpoint, site, read=request.param) as opened:
        yield opened


async def test_led_there_by_a_key(page: _Page) -> None:
    """Tab leads into the frame, and is told without a word of it; there every key is refused."""
    await page.door.text("click", selector="#z")
    said = [await page.press("Tab") for _ in range(3)]
    assert "Secret" not in "".join(said)
    for key in ("Enter", "a", "Shift+Tab"):
        refused = await page.press(key)
        assert refused.startswith("POLICY_DENIED: the focus is in a frame: acting on localhost")
        assert "Secret" not in refused
    for more in ({}, {"keyEvents": True}):
        refused = await page.door.refusal("type", text="x", **more)
        assert refused.startswith("POLICY_DENIED: the focus is in a frame")
    assert page.reached == []
    said.append(await page.press("Tab", selector="#z"))
    assert said[-1].startswith("Pressed Tab in selector '#z'.")


async def test_led_there_by_the_page(page: _Page) -> None:
    """An element that hands the focus on to the frame gets no key, and neither does that."""
    refused = await page.press("Enter", selector="#s")
    assert refused.startswith("POLICY_DENIED: the focus is in a frame")
    refused = await page.door.refusal("type", text="x")
    assert refused.startswith("POLICY_DENIED: the focus is in a frame")
    assert page.reached == []


async def test_led_there_in_the_middle(page: _Page) -> None:
    """Of a text that is typed key by key the frame gets no key behind the one that led there."""
    await page.door.text("eval", expression="window.steal = true")
    refused = await page.door.refusal("type", selector="#o", text="abcdef", keyEvents=True)
    assert refused.startswith("POLICY_DENIED: the focus is in a frame")
    assert page.reached == []


async def test_alone(site: Site) -> None:
    """In a browser of our own as well, with gate and proxy."""
    with short_folder() as folder:
        async with open_served(folder, _options(site, read=True)) as served:
            await served.does("navigate", url=_address(site))

            async def is_known() -> bool:
                return '"Secret"' in await served.does("snapshot")

            await until_true(is_known, "the frame is there")
            given: dict[str, str]
            for name, given in (
                ("press", {"key": "Enter", "selector": "#s"}),
                ("press", {"key": "Enter"}),
                ("type", {"text": "x"}),
            ):
                refused = await served.refused(name, **given)
                assert refused.startswith("POLICY_DENIED: the focus is in a frame")
            assert not any(each.query in ("clicked", "typed", "key") for each in site.requests)
