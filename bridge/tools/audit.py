"""Who had what done where: one line for each call, for a person to read afterwards.

Nothing a call is given appears that is not in `_SHOWN`, so typed text, values, scripts and cookies
cannot get in by being forgotten. Writing costs the calls nothing and cannot fail them: lines go
through a bounded queue to a thread, several at once, for waking a thread takes a fourth of what a
small call takes. A disk that takes none costs lines, and one warning.
"""

import json
import os
import stat
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import trio

from bridge import log
from bridge.page.masking import masked_url
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.tools.answer import Caller
from bridge.tools.office import Office
from launcher.plain_file import open_plain

LARGEST = 10 * 1024 * 1024
"""Bytes of the file; then it is put aside and another one begun."""

_KEPT = 5  # files that were put aside
_LONGEST = 120  # characters of an argument
_WAITING = 1_000  # lines on their way to the disk
_NAMES = (
    "action active before button cancel clear clickCount colorScheme cpu cursor deltaX deltaY"
    " device domain downloadKbps enable exact focused format fromRef fromSelector fromX fromY"
    " front fullPage gone height ignoreCache incognito interactiveOnly latencyMs level limit"
    " locale maxDepth maxTokens media modifiers name network offline open outer parallel path"
    " paths pressEnter quality reducedMotion ref requestId sameOriginOnly selector since"
    " stopOnError submitSelector suggestedName tabId timeMs timeoutMs timezone toRef toSelector"
    " toX toY type uploadKbps url waitUntil width x y"
)
_SHOWN = frozenset(_NAMES.split())
_log = log.get("tools")


class Audit:
    """Made by `open_audit`; `note` is what the door calls."""

    def __init__(
        self, file: Path, office: Office, scrub: Callable[[str], str], largest: int
    ) -> None:
        self._file = file
        self._office = office
        self._scrub = scrub
        self._largest = largest
        self._lost = 0
        self._warned = False
        self._order, self._lines = trio.open_memory_channel[str](_WAITING)
        self._closing = trio.Event()

    def note(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        code: str,
        seconds: float,
    ) -> None:
        """Write down a call that is over; never waits, never raises."""
        tab, origin = self._where(arguments, caller)
        line = {
            "ts": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "client": _cut(caller.name),
            "tab": tab,
            "origin": origin,
            "tool": _cut(tool),
            "args": {name: _shown(name, arguments[name]) for name in arguments if name in _SHOWN},
            "ok": not code,
            "code": code or None,
            "ms": round(seconds * 1000, 1),
            "lost": self._lost or None,
        }
        told = {key: value for key, value in line.items() if value not in (None, "", {})}
        try:
            self._order.send_nowait(self._scrub(json.dumps(told)) + "\n")
        except (trio.WouldBlock, trio.ClosedResourceError, trio.BrokenResourceError):
            self._lost += 1
        else:
            self._lost = 0

    def close(self) -> None:
        """What is noted from now on is lost; what was before is still written."""
        self._order.close()
        self._closing.set()

    async def run(self, timeouts: Timeouts) -> None:
        """Write lines as they come, until there are no more."""
        async for line in self._lines:
            with trio.move_on_after(timeouts.gather):
                await self._closing.wait()
            lines = [line]
            with suppress(trio.WouldBlock, trio.EndOfChannel):
                while True:
                    lines.append(self._lines.receive_nowait())
            await self._write("".join(lines).encode(errors="replace"))

    async def _write(self, data: bytes) -> None:
        try:
            await trio.to_thread.run_sync(
                _append, self._file, data, self._largest, abandon_on_cancel=True
            )
        except OSError as error:
            if not self._warned:
                _log.warning("the audit cannot be written: %s", error)
            self._warned = True
        else:
            self._warned = False

    def _where(self, arguments: Mapping[str, Any], caller: Caller) -> tuple[str, str]:
        """The tab a call was for, and where that is now."""
        desk, wanted = self._office.desk(caller.id), arguments.get("tabId")
        tab, live = desk.current, self._office.lifecycle.live
        if wanted is not None and live is not None:
            named = desk.labels.get(wanted, wanted) if isinstance(wanted, str) else ""
            tab = next((each for each in live.browser.tabs if each.id == named), None)
        if tab is None:
            return _cut(str(_shown("tabId", wanted or ""))), ""
        return tab.id, _origin(tab.url)


@asynccontextmanager
async def open_audit(
    file: Path,
    office: Office,
    timeouts: Timeouts,
    *,
    scrub: Callable[[str], str] = str,
    largest: int = LARGEST,
) -> AsyncIterator[Audit]:
    """Write calls down as long as the block lasts, and the last of them at its end."""
    audit = Audit(file, office, scrub, largest)
    written = trio.Event()
    writing = trio.CancelScope(shield=True)  # ends soon after the block, and not before

    async def write() -> None:
        with writing:
            await audit.run(timeouts)
        written.set()

    async with open_scope() as nursery:
        nursery.start_soon(write)
        try:
            yield audit
        finally:
            audit.close()
            with trio.move_on_after(timeouts.flush, shield=True):
                await written.wait()
            writing.cancel()


def _append(file: Path, data: bytes, largest: int) -> None:
    """At the end of an ordinary file of ours, put aside first if it has grown too large."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = _open_own(file)
    try:
        if os.fstat(fd).st_size > largest:
            os.close(fd)
            fd = -1
            _put_aside(file)
            fd = _open_own(file)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
    finally:
        if fd >= 0:
            os.close(fd)


def _open_own(file: Path) -> int:
    """No link, not even a hard one, and nothing that only looks like a file."""
    fd = open_plain(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        about = os.fstat(fd)
        if about.st_nlink > 1:
            raise OSError(f"{file} has another name as well")
        if sys.platform != "win32" and stat.S_IMODE(about.st_mode) != 0o600:
            os.fchmod(fd, 0o600)
    except OSError:
        os.close(fd)
        raise
    return fd


def _put_aside(file: Path) -> None:
    """Under the time of day; another server that does the same at once harms nothing."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    with suppress(FileNotFoundError):
        file.rename(file.with_name(f"{file.stem}-{stamp}{file.suffix}"))
    aside = sorted(file.parent.glob(f"{file.stem}-*{file.suffix}"))
    for old in aside[:-_KEPT]:
        old.unlink(missing_ok=True)


def _shown(name: str, value: Any, *, inside: bool = False) -> Any:
    match value:
        case float() if not isfinite(value):
            return str(value)  # JSON has no form for it
        case bool() | int() | float():
            return value
        case list() if not inside:  # one in another no tool takes, and a client can nest hundreds
            return [_shown(name, each, inside=True) for each in value[:10]]
        case str():
            return _cut(masked_url(value) if name == "url" else value)
        case _:
            return _cut(type(value).__name__)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return _cut(f"{parts.scheme}://{host}" if host else f"{parts.scheme}:")
