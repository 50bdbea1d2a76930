"""Downloads of our tabs: into a folder of ours under a harmless name, or not at all.

Chrome's setting for downloads belongs to the whole browser, which others may be using, so it is
changed only in a browser that is there for programs: everything goes to our folder under a name of
Chrome's making. In a person's own browser it is left alone, and a file is fetched from where that
person wanted downloads to go. What must not be is cancelled the moment Chrome tells of it.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from itertools import count
from pathlib import Path

import trio

from bridge import cdp, log
from bridge.cdp.base import Command, Nothing
from bridge.errors import BridgeError, PageError, PolicyDenied
from bridge.page.filenames import safe_filename
from bridge.page.keeping import own_folder, place, room
from bridge.page.quoting import quoted
from bridge.session.session import Session

CAP = 100 * 1024 * 1024
"""Bytes of a download; a longer one is cut off and removed."""

_RECENT = 50
_SLACK = 1_000_000  # bytes that others may have freed since a disk was full
_UNDER_WAY = ".crdownload"  # behind the name of a file, until all of it is there
_log = log.get("page")


_MIME = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,60}", re.ASCII)


def mime_of(told: str) -> str:
    """The type a site says a file is of; "" for words that are none: they would be read as ours."""
    kind = told.partition(";")[0].strip()
    return kind if _MIME.fullmatch(kind) else ""


class State(Enum):
    """How a download stands."""

    RUNNING = "running"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    TOO_LARGE = "too large"
    REFUSED = "refused"


@dataclass(slots=True, eq=False)
class Download:
    """One file on its way; `done` is set when nothing more will come of it."""

    root: Session  # of the browser that has it
    guid: str
    frame_id: str
    url: str
    name: str  # as proposed
    number: int = 0  # by which a client knows it
    tab_id: str = ""  # of the tab it began in, where that is known
    state: State = State.RUNNING
    why: str = ""  # where it is refused or interrupted
    received: int = 0
    total: int = 0  # as announced; 0 where it is not known
    mime: str = ""  # where somebody knows
    path: Path | None = None
    done: trio.Event = field(default_factory=trio.Event)
    _more: trio.Event = field(default_factory=trio.Event)

    def grow(self, received: int, total: int) -> None:
        """So much of it is there."""
        self.received, self.total = max(self.received, received), total
        self._more.set()
        self._more = trio.Event()

    async def wait_more(self, than: int) -> None:
        """Until there are more bytes of it than that."""
        while self.received <= than:
            await self._more.wait()

    def check(self) -> Path:
        """Where the file is; what went wrong if there is none."""
        if self.state is State.COMPLETE and self.path is not None:
            return self.path
        if self.state is State.REFUSED:
            raise PolicyDenied("POLICY_DENIED", f"the download was refused: {self.why}")
        raise PageError(
            "DOWNLOAD_FAILED",
            f"the download of {quoted(self.name)} is {self.state.value}: {self.why}",
            hint="Nothing of it was kept.",
            facts={"url": self.url[:2000], "received": self.received},
        )


@dataclass(frozen=True, slots=True)
class _Browser:
    """Who tells of a download, and may be told about it."""

    root: Session
    start: Callable[..., None]
    ours: bool  # what it downloads comes into our folder


class Started(list[Download]):
    """Downloads that began while a block ran."""

    def __init__(self, mine: Callable[[str], bool], name: str | None) -> None:
        super().__init__()
        self.mine = mine
        self.name = name
        self._news = trio.Event()

    def add(self, download: Download) -> None:
        self.append(download)
        self._news.set()

    async def first(self) -> Download:
        """The first one, as soon as it has begun."""
        await self._news.wait()
        return self[0]


class Downloads:
    """All downloads of one server, whatever becomes of its browser."""

    def __init__(
        self,
        folder: Path,
        *,
        refusal: Callable[[str], str],
        enabled: bool,
        dedicated: bool,
        cap: int = CAP,
    ) -> None:
        self.folder = folder
        self.recent: deque[Download] = deque(maxlen=_RECENT)
        self._refusal = refusal  # why a file of this address must not be had; "" if it may
        self._enabled = enabled
        self._dedicated = dedicated  # the browser is nobody's own
        self._cap = cap
        self._numbers = count(1)
        self._heard: deque[str] = deque(maxlen=2 * _RECENT)  # Chrome's names of those told of
        self._running: dict[str, Download] = {}
        self._recordings: list[Started] = []

    def follow(
        self,
        root: Session,
        start: Callable[..., None],
        whose: Callable[[str], str | None],
        *,
        exclusive: bool,
        everyday: bool = False,
    ) -> Command[Nothing]:
        """Hear of the downloads of this browser; returns what it has to be told first.

        `whose` tells in which of our tabs a frame is, "" where that is not known, and None where it
        is none of ours; an everyday browser is a person's, whoever got it for us.
        """
        browser = _Browser(root, start, self._dedicated and not everyday)
        start(self._leave, browser)

        def begun(event: cdp.browser.DownloadWillBegin) -> None:
            if (tab_id := whose(event.frame_id)) is not None:
                self._begin(event, browser, tab_id)

        def progressed(event: cdp.browser.DownloadProgress) -> None:
            download = self._running.get(event.guid)
            if download is not None:
                self._progress(download, event, browser)

        root.mirror(cdp.browser.DownloadWillBegin, begun)
        root.mirror(cdp.browser.DownloadProgress, progressed)
        return self.setting(exclusive=exclusive, everyday=everyday)

    def setting(self, *, exclusive: bool, everyday: bool = False) -> Command[Nothing]:
        """What the browser is told; whoever shares it may have told it something else since."""
        if not self._enabled and exclusive:
            return cdp.browser.set_download_behavior("deny", events_enabled=True)
        if not self._dedicated or everyday:
            return cdp.browser.set_download_behavior("default", events_enabled=True)
        return self._into_folder(None)

    def setting_apart(self, context_id: cdp.browser.BrowserContextID) -> Command[Nothing]:
        """What is said of a context of our own, whoever's browser it is in."""
        if self._enabled:
            return self._into_folder(context_id)
        return cdp.browser.set_download_behavior(
            "deny", browser_context_id=context_id, events_enabled=True
        )

    def _into_folder(self, context_id: cdp.browser.BrowserContextID | None) -> Command[Nothing]:
        told = partial(
            cdp.browser.set_download_behavior, browser_context_id=context_id, events_enabled=True
        )
        try:
            own_folder(self.folder)
        except OSError as error:
            _log.warning("downloads are off, their folder cannot be used: %s", error)
            return told("deny")
        return told("allowAndName", download_path=str(self.folder.absolute()))

    def heard(self, guid: str) -> None:
        """Its client has been told of it, perhaps before the browser tells us."""
        self._heard.append(guid)

    def unheard(self, owns: Callable[[str], bool]) -> list[Download]:
        """Those of these tabs, by their ids, that no answer has told of."""
        return [each for each in self.recent if each.guid not in self._heard and owns(each.tab_id)]

    @contextmanager
    def recording(
        self, mine: Callable[[str], bool], *, name: str | None = None
    ) -> Iterator[Started]:
        """Collect those of these frames that begin in the block; `name` is what they are called."""
        started = Started(mine, name)
        self._recordings.append(started)
        try:
            yield started
        finally:
            self._recordings.remove(started)

    # What Chrome tells.

    def _begin(self, event: cdp.browser.DownloadWillBegin, browser: _Browser, tab_id: str) -> None:
        download = Download(
            browser.root, event.guid, event.frame_id, event.url, event.suggested_filename
        )
        download.number, download.tab_id = next(self._numbers), tab_id
        self._running[event.guid] = download
        self.recent.append(download)
        for started in self._recordings:
            if started.mine(event.frame_id):
                download.name = started.name or download.name
                started.add(download)
        refusal = self._refusal(event.url)
        if refusal:
            self._give_up(download, State.REFUSED, refusal, browser)

    def _progress(
        self, download: Download, event: cdp.browser.DownloadProgress, browser: _Browser
    ) -> None:
        download.grow(int(event.received_bytes), int(event.total_bytes))
        if event.state == "completed":
            source = Path(event.file_path) if event.file_path else self.folder / event.guid
            del self._running[download.guid]  # from here on it is ours
            browser.start(self._store, download, source)
        elif event.state == "canceled":
            if download.state is State.RUNNING:
                download.state, download.why = State.INTERRUPTED, self._broken(download, browser)
            self._end(download)
        elif max(event.received_bytes, event.total_bytes) > self._cap:
            why = f"more than {self._cap:,} bytes"
            self._give_up(download, State.TOO_LARGE, why, browser)

    def _broken(self, download: Download, browser: _Browser) -> str:
        """Why Chrome gave it up, which it does not say; its bytes are gone by then, mostly."""
        needed = max(download.total, download.received + _SLACK)
        free = room(self.folder) if browser.ours else None
        if free is None or free >= needed:
            return "it broke off, or was cancelled"
        return (
            f"it broke off, and no more than {free:,} bytes are free where it was to go: "
            f"make room in {quoted(str(self.folder))}, or name another --data-dir"
        )

    def _give_up(self, download: Download, state: State, why: str, browser: _Browser) -> None:
        if download.state is State.RUNNING:
            download.state, download.why = state, why
            browser.start(_cancel, download)

    async def cancel(self, download: Download, why: str) -> None:
        """End it, and wait until Chrome has removed what there was of it."""
        if download.state is State.RUNNING:
            download.state, download.why = State.INTERRUPTED, why
            await _cancel(download)

    async def _store(self, download: Download, source: Path) -> None:
        """Give a complete file its place, also when its browser goes in that moment."""
        try:
            with trio.CancelScope(shield=True):
                await self._keep(download, source)
        except OSError as error:
            download.state, download.why = State.INTERRUPTED, error.strerror or str(error)
        finally:
            self._end(download)

    async def _keep(self, download: Download, source: Path) -> None:
        """One that was to be refused has been too quick."""
        name = safe_filename(download.name)
        if download.state is not State.RUNNING:
            await trio.Path(source).unlink(missing_ok=True)
        elif (await trio.Path(source).lstat()).st_size > self._cap:
            download.state, download.why = State.TOO_LARGE, f"more than {self._cap:,} bytes"
            await trio.Path(source).unlink()
        else:
            download.path = await trio.to_thread.run_sync(place, source, self.folder, name)
            download.state = State.COMPLETE

    async def _leave(self, browser: _Browser) -> None:
        """Nothing more comes of what a browser had under way when it went, or we left it."""
        try:
            await browser.root.connection.ended.wait()
        finally:
            left = [each for each in self._running.values() if each.root is browser.root]
            for download in left:
                if download.state is State.RUNNING:
                    download.state, download.why = State.INTERRUPTED, "its browser has gone"
                self._end(download)
            if browser.ours:
                await self._clear(left, browser.root)

    async def _clear(self, left: list[Download], root: Session) -> None:
        """Nobody will ever claim them: end those that go on, remove what a killed browser left."""
        if root.connection.end is None:
            with trio.move_on_after(root.connection.timeouts.leave, shield=True):
                for download in left:
                    await _cancel(download)
            return
        with trio.CancelScope(shield=True):
            for name in [f"{each.guid}{end}" for each in left for end in ("", _UNDER_WAY)]:
                with suppress(OSError):
                    await trio.Path(self.folder / name).unlink(missing_ok=True)

    def _end(self, download: Download) -> None:
        self._running.pop(download.guid, None)
        download.done.set()


async def _cancel(download: Download) -> None:
    try:
        await download.root.execute(cdp.browser.cancel_download(download.guid))
    except BridgeError as error:  # it has ended by itself
        _log.debug("could not cancel a download: %s", error)
