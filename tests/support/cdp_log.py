"""A test that meets a real Chromium and fails keeps what its connections said, as a file.

The tap sits between a `Connection` and its transport. It is put there for the time of one test, by
replacing `Connection.__init__`: everybody binds `open_connection` by name, and the product needs no
hook that it would carry for its tests. Other processes (commands, watchdogs, holders) keep nothing.

pytest-timeout ends the whole process from a thread of its own, so a test that hangs never gets a
report. Its traffic is kept just before the stacks are dumped, the last thing that happens there.
"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Generator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from bridge.errors import BridgeError
from bridge.session.connection import Connection
from bridge.transport.base import Transport

KEEP = 2_000
"""Messages kept of each connection, the newest."""

KEEP_BYTES = 500
"""Bytes kept of each message, the first."""

TAIL = 60
"""Lines that go into the report on a machine whose files nobody will see."""

_LONGEST_NAME = 120


class Entry(NamedTuple):
    """One message as it passed."""

    at: float
    connection: int
    way: str  # > sent, < received, ! the end
    size: int
    head: bytes

    def line(self, began: float) -> str:
        """Seconds since the test began, which connection, which way, how long, how it starts."""
        text = " ".join(self.head.decode("utf-8", "replace").splitlines())
        more = "…" if self.size > len(self.head) else ""
        return f"{self.at - began:9.4f} #{self.connection} {self.way} {self.size:6} {text}{more}"


class Tap:
    """A transport that keeps the last of what goes through it."""

    def __init__(self, inner: Transport, number: int) -> None:
        self.entries: deque[Entry] = deque(maxlen=KEEP)
        self.total = 0
        self._inner = inner
        self._number = number

    @property
    def kind(self) -> str:
        return self._inner.kind

    @property
    def congested(self) -> bool:
        return self._inner.congested

    async def send(self, message: bytes) -> None:
        self._note(">", message)
        await self._inner.send(message)

    async def receive(self) -> list[bytes]:
        try:
            messages = await self._inner.receive()
        except BridgeError as end:
            self._note("!", str(end).encode())
            raise
        for message in messages:
            self._note("<", message)
        return messages

    async def aclose(self) -> None:
        await self._inner.aclose()

    def title(self) -> str:
        """What was tapped, and how much of it is gone."""
        lost = self.total - len(self.entries)
        return f"#{self._number} {self.kind}: {self.total} messages, the oldest {lost} not kept"

    def _note(self, way: str, message: bytes) -> None:
        self.total += 1
        head = message[:KEEP_BYTES]
        self.entries.append(Entry(time.perf_counter(), self._number, way, len(message), head))


class CdpLog:
    """The connections one test opened."""

    def __init__(self, name: str, folder: Callable[[], Path]) -> None:
        self._name = name
        self._folder = folder
        self._taps: list[Tap] = []
        self._began = time.perf_counter()
        self._date = datetime.now().astimezone()

    def tap(self, transport: Transport) -> Tap:
        """Listen in on one more connection."""
        tap = Tap(transport, len(self._taps) + 1)
        self._taps.append(tap)
        return tap

    def report(self) -> str:
        """Keep all of it as a file, and say where; with the last of it on a CI machine."""
        if not self._taps:
            return ""
        lines = self.lines()
        name = re.sub(r"[^\w.-]+", "-", self._name)[-_LONGEST_NAME:]
        file = self._folder() / f"{name}.log"
        file.parent.mkdir(exist_ok=True)
        head = [f"{self._name}, begun {self._date:%Y-%m-%d %H:%M:%S%z}"]
        head += [tap.title() for tap in self._taps]
        file.write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
        return "\n".join([str(file), *(lines[-TAIL:] if os.environ.get("CI") else [])])

    def lines(self) -> list[str]:
        """Everything that was kept, in the order in which it passed."""
        # A copy each: after a timeout this runs beside a loop that still hears Chrome.
        entries = [entry for tap in self._taps for entry in list(tap.entries)]
        return [entry.line(self._began) for entry in sorted(entries, key=lambda entry: entry.at)]


_FOLDER = pytest.StashKey[Path]()
_LOG = pytest.StashKey[CdpLog]()


@pytest.fixture(scope="session", autouse=True)
def cdp_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tell the hooks where this run keeps its files."""
    request.config.stash[_FOLDER] = tmp_path_factory.getbasetemp() / "cdp"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Listen in for the time of a test that meets a real Chromium."""
    if item.get_closest_marker("chromium") is None:
        return (yield)
    log = item.stash[_LOG] = CdpLog(item.nodeid, lambda: item.config.stash[_FOLDER])
    with pytest.MonkeyPatch.context() as patch:
        _listen(log, patch)
        _outlive_timeout(log, patch, item.config.pluginmanager.get_plugin("timeout"))
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure names the file."""
    report = yield
    log = item.stash.get(_LOG, None)
    if report.failed and log is not None and (kept := log.report()):
        report.sections.append(("CDP log", kept))
    return report


def _listen(log: CdpLog, patch: pytest.MonkeyPatch) -> None:
    begin: Callable[..., None] = Connection.__init__

    def begin_tapped(self: Connection, transport: Transport, *rest: object, **more: object) -> None:
        begin(self, log.tap(transport), *rest, **more)

    patch.setattr(Connection, "__init__", begin_tapped)


def _outlive_timeout(log: CdpLog, patch: pytest.MonkeyPatch, plugin: object) -> None:
    dump: Callable[..., None] = getattr(plugin, "dump_stacks", lambda terminal: None)

    def dump_all(terminal: pytest.TerminalReporter) -> None:
        if kept := log.report():
            terminal.write(f"CDP log: {kept}\n")
        dump(terminal)

    patch.setattr(plugin, "dump_stacks", dump_all, raising=False)
