"""Downloads begun elsewhere than in a shared tab's own frame: where they are off, none lands."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bridge.session.connection import Connection
from fixtures.site import Site
from tests.support.browsers import until_true
from tests.support.linked import Everyday, in_extension, open_outside, tidy
from tests.support.policy_arm import Arm, open_arm

pytestmark = [pytest.mark.chromium, pytest.mark.extension]

_FRAME = """new Promise((there) => {
  const frame = document.createElement("iframe");
  frame.onload = () => there(1);
  frame.src = "URL";
  document.documentElement.append(frame);
})"""
_TAKE = """(() => { const link = document.createElement("a");
  [link.href, link.download] = [URL_OF, "x.bin"]; link.click() })()"""
_OPEN = """(() => { const link = document.createElement("a");
  link.href = "/download?name=x.bin"; HOW })()"""
_TAKEN = """chrome.downloads.search({}).then((all) => all.map(({ state, bytesReceived }) =>
  state === "in_progress" ? state : `${state} ${bytesReceived}`))"""
_FORGET = "chrome.downloads.erase({}).then(() => 1)"
_THERE = "location.href === 'URL' && document.readyState === 'complete'"


@asynccontextmanager
async def open_page(everyday: Everyday, site: Site) -> AsyncIterator[tuple[Arm, str]]:
    """A page where downloads are off, and its session."""
    hosts = [each.removeprefix("http://") for each in (site.origin, site.other_origin)]
    async with open_arm(everyday, *hosts) as arm:
        await arm.ask("Browser.setDownloadBehavior", behavior="default", eventsEnabled=True)
        _, session = await arm.open_tab()
        await arm.ask("Page.navigate", session, url=site.url("/form"))
        there = _THERE.replace("URL", site.url("/form"))

        async def loaded() -> bool:
            answer = await arm.ask("Runtime.evaluate", session, expression=there)
            return answer["result"]["result"].get("value") is True

        await until_true(loaded, "the page is there")
        yield arm, session
    await tidy(everyday)


async def frame_in(arm: Arm, session: str, url: str) -> str:
    """The session of a frame of another site that is put into this one."""
    script = _FRAME.replace("URL", url)
    await arm.ask("Runtime.evaluate", session, expression=script, awaitPromise=True)
    return await arm.wait_child(session)


async def cancelled(outside: Connection) -> None:
    """Wait until the one download there is has come to nothing."""

    async def over() -> bool:
        found = await in_extension(outside, _TAKEN)
        assert isinstance(found, list)
        assert not any(each.startswith("complete") for each in found), found
        return len(found) == 1 and "in_progress" not in found

    try:
        await until_true(over, "it is cancelled")
    finally:
        await in_extension(outside, _FORGET)


@pytest.mark.parametrize(
    "address",
    ['URL.createObjectURL(new Blob(["x"]))', '"data:text/plain,x"', '"/download?name=x.bin"'],
    ids=["blob", "data", "http"],
)
@pytest.mark.parametrize("depth", [1, 2])
async def test_frame(everyday: Everyday, site: Site, address: str, depth: int) -> None:
    """In a frame of another site, and one in that, though the client enables nothing there."""
    async with open_page(everyday, site) as (arm, session):
        for url in (site.other("/form"), site.url("/form"))[:depth]:
            session = await frame_in(arm, session, url)
        script = _TAKE.replace("URL_OF", address)
        await arm.ask("Runtime.evaluate", session, expression=script, userGesture=True)
        async with open_outside(everyday) as outside:
            await cancelled(outside)
        await arm.ask("Bridge.ping")
        told = [event["method"] for event in arm.events if "sessionId" not in event]
        assert "Browser.downloadWillBegin" in told


@pytest.mark.parametrize(
    "how",
    [
        "link.target = '_blank'; link.click()",
        "link.rel = 'noopener'; link.target = '_blank'; link.click()",
        "open(link.href)",
        "open('').location = link.href",
        "open(`/redirect?to=${encodeURIComponent(link.href)}`)",
    ],
    ids=["link", "noopener", "window", "blank first", "redirect"],
)
async def test_new_tab(everyday: Everyday, site: Site, how: str) -> None:
    """In a new tab, which closes as soon as its address proves to be a download."""
    async with open_page(everyday, site) as (arm, session):
        script = _OPEN.replace("HOW", how)
        await arm.ask("Runtime.evaluate", session, expression=script, userGesture=True)
        async with open_outside(everyday) as outside:
            await cancelled(outside)
