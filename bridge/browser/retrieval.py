"""Gets the file at an address, whatever its type, without moving the page anybody looks at.

A blank tab goes there as a person would by typing the address, cookies included, and every answer
that Chrome would rather show is made a download on its way. (Chrome has no command to download an
address, and a link in the page is followed instead of saved as soon as it leads to another site.)
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.contexts import ContextID
from bridge.browser.creation import tolerate
from bridge.browser.tab import Tab
from bridge.errors import BridgeError, ChromeError, PageError
from bridge.page.downloads import Download, Downloads, Started, mime_of
from bridge.page.quoting import cut
from bridge.scope import open_scope
from bridge.session.session import Session
from bridge.timeouts import deadline

Allow = Callable[[str], Awaitable[None]]
"""Raises for an address that nothing may be downloaded from."""

Tell = Callable[[Download], Awaitable[None]]
"""Says how far a download is; ended when the download has."""

_DISPOSITION = "content-disposition"
_REDIRECTS = (301, 302, 303, 307, 308)


def follow_downloads(browser: Browser, downloads: Downloads) -> None:
    """Have the downloads of our tabs kept, or refused; to be called before any page is touched."""

    def whose(frame_id: str) -> str | None:
        page = browser.targets.page(cdp.target.TargetID(frame_id))  # a pop-up that only downloads
        opener = page.opener_id if page is not None else None
        for tab in browser.tabs:
            if tab.target_id == opener or any(frame.id == frame_id for frame in tab.frames):
                return tab.id
        return "" if browser.exclusive else None

    root = browser.connection.root
    everyday = browser.kind == "extension"
    following = downloads.follow(
        root, browser.start, whose, exclusive=browser.exclusive, everyday=everyday
    )
    browser.add_opening(following)
    browser.contexts.add_opening(downloads.setting_apart)


class _Diversion:
    """Turns the answer to a navigation into a download, and checks every address on the way."""

    def __init__(self, session: Session, allow: Allow) -> None:
        self.mime = ""
        self.error: BridgeError | None = None
        self._session = session
        self._allow = allow

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        with self._session.events(cdp.fetch.RequestPaused) as paused:
            stages = [cdp.fetch.RequestPattern(request_stage=s) for s in ("Request", "Response")]
            await self._session.execute(cdp.fetch.enable(patterns=stages))
            task_status.started()
            async for event in paused:
                try:
                    await self._divert(event)
                except BridgeError as error:
                    self.error = self.error or error
                    refuse = cdp.fetch.fail_request(event.request_id, "BlockedByClient")
                    await tolerate(self._session.execute, refuse)

    async def _divert(self, event: cdp.fetch.RequestPaused) -> None:
        status = event.response_status_code
        if status is None or status in _REDIRECTS:
            if status is None and event.response_error_reason is None:
                await self._allow(event.request.url)
            await self._session.execute(cdp.fetch.continue_request(event.request_id))
            return
        if not 200 <= status < 300 or status == 204:
            raise _failed(event.request.url, f"HTTP {status}")
        headers = event.response_headers or []
        self.mime = mime_of(_value(headers, "content-type"))
        asked = _value(headers, _DISPOSITION)
        _, semicolon, named = asked.partition(";")
        kept = [each for each in headers if each.name.lower() != _DISPOSITION]
        saved = cdp.fetch.HeaderEntry(
            name="Content-Disposition", value=f"attachment{semicolon}{named}"
        )
        await self._session.execute(
            cdp.fetch.continue_response(
                event.request_id, response_code=status, response_headers=[*kept, saved]
            )
        )


async def retrieve(
    browser: Browser,
    downloads: Downloads,
    url: str,
    allow: Allow,
    tell: Tell,
    *,
    name: str | None = None,
    referrer: str | None = None,
    context_id: ContextID | None = None,
    begun: Callable[[Tab], None] | None = None,
) -> Download:
    """The complete download; DOWNLOAD_FAILED, or what `allow` raised, if there is none."""
    if browser.kind == "extension":
        raise _failed(url, "the extension downloads no address, only what a page offers")
    root = browser.connection.root
    frames: set[str] = set()
    async with (
        open_expectation(browser, downloads, frames.__contains__, name) as started,
        _open_spare(browser, context_id, begun) as tab,
        _open_side_session(root, tab.target_id) as side,
        open_scope() as nursery,
    ):
        frames.add(tab.target_id)
        diversion = _Diversion(side, allow)
        await nursery.start(diversion.run)
        await _go(tab, url, referrer, diversion)
        download = await wait_begun(browser, started)
        download.mime = diversion.mime
        await wait_done(browser, download, tell)
        return download


@asynccontextmanager
async def open_expectation(
    browser: Browser, downloads: Downloads, mine: Callable[[str], bool], name: str | None
) -> AsyncIterator[Started]:
    """Collect downloads of these frames; none goes on when whoever waits for it gives up.

    Whoever waits tells of the first.
    """
    with downloads.recording(mine, name=name) as started:
        try:
            yield started
        except BaseException:
            with trio.move_on_after(browser.connection.timeouts.close, shield=True):
                for download in started:
                    await downloads.cancel(download, "nobody waits for it")
            raise
        finally:
            for download in started[:1]:
                downloads.heard(download.guid)


async def wait_begun(browser: Browser, started: Started) -> Download:
    """The download that something has set going; TIMEOUT if nothing has."""
    with deadline(browser.connection.timeouts, "navigation", "waiting for a download to begin"):
        async with _connected(browser):
            return await started.first()
    raise AssertionError("unreachable")


async def wait_offered(browser: Browser, started: Started) -> Download:
    """The download of a click that has nothing else under way; DOWNLOAD_FAILED if there is none."""
    seconds = browser.connection.timeouts.offer
    with trio.move_on_after(seconds):
        async with _connected(browser):
            return await started.first()
    raise PageError(
        "DOWNLOAD_FAILED",
        f"the click was made, and no download has begun within {seconds:g} s",
        hint="Look at the page: it may ask for something first, or show the file. What it links to "
        "can be downloaded by its address (url).",
        facts={"delivered": True},
    )


async def wait_done(browser: Browser, download: Download, tell: Tell) -> None:
    """Until it is complete or broken off."""
    operation = f"downloading {cut(download.name, 200)!r}"
    with deadline(browser.connection.timeouts, "download", operation):
        async with _connected(browser), open_scope() as nursery:
            nursery.start_soon(tell, download)
            await download.done.wait()


async def _go(tab: Tab, url: str, referrer: str | None, diversion: _Diversion) -> None:
    go = cdp.page.navigate(url, referrer=referrer)
    try:
        begun = await tab.session.execute(go, timeout="navigation")
    except ChromeError as error:
        raise (_failed(url, "it is not an address") if _is_unreadable(error) else error) from error
    if diversion.error is not None:
        raise diversion.error
    if not begun.is_download:
        raise _failed(url, begun.error_text or "there is nothing to download")


@asynccontextmanager
async def _open_spare(
    browser: Browser, context_id: ContextID | None, begun: Callable[[Tab], None] | None
) -> AsyncIterator[Tab]:
    """A tab in the background that is closed again."""
    tab = await browser.new_tab(context_id=context_id, begun=begun)
    try:
        yield tab
    finally:
        with trio.move_on_after(browser.connection.timeouts.close, shield=True):
            await tolerate(browser.close_tab, tab)


@asynccontextmanager
async def _open_side_session(
    root: Session, target_id: cdp.target.TargetID
) -> AsyncIterator[Session]:
    """A session of our own, so that nobody's settings are touched; what it holds up runs on."""
    attached = await root.execute(cdp.target.attach_to_target(target_id, flatten=True))
    try:
        yield root.attach(attached.session_id)
    finally:
        with trio.move_on_after(root.connection.timeouts.close, shield=True):
            leave = cdp.target.detach_from_target(session_id=attached.session_id)
            await tolerate(root.execute, leave)


@asynccontextmanager
async def _connected(browser: Browser) -> AsyncIterator[None]:
    """The block ends with the browser."""

    async def watch() -> None:
        await browser.connection.ended.wait()
        assert browser.connection.end is not None
        raise browser.connection.end.again()

    async with open_scope() as nursery:
        nursery.start_soon(watch)
        yield


def _value(headers: list[cdp.fetch.HeaderEntry], name: str) -> str:
    return next((each.value for each in headers if each.name.lower() == name), "")


def _is_unreadable(error: ChromeError) -> bool:
    return "invalid URL" in error.message


def _failed(url: str, why: str) -> PageError:
    return PageError(
        "DOWNLOAD_FAILED",
        f"{cut(url, 500)} could not be downloaded: {why.strip()}",
        hint="Look at the address in a tab, or click what leads to the file.",
        facts={"url": url[:2000]},
    )
