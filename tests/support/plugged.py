"""A connection straight to a real browser, with every message that passes kept as it came."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bridge import cdp
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from bridge.timeouts import Timeouts
from bridge.transport.base import Transport
from bridge.transport.pipe import open_pipe
from bridge.transport.websocket import open_websocket
from launcher.chrome import Chrome, open_chrome
from launcher.options import LaunchOptions

KINDS = ("pipe", "websocket")
_ROUNDS = 20


class Recorder:
    """A transport that keeps what goes through it."""

    def __init__(self, inner: Transport) -> None:
        self.sent: list[bytes] = []
        self.heard: list[bytes] = []
        self._inner = inner

    @property
    def kind(self) -> str:
        return self._inner.kind

    @property
    def congested(self) -> bool:
        return self._inner.congested

    async def send(self, message: bytes) -> None:
        self.sent.append(message)
        await self._inner.send(message)

    async def receive(self) -> list[bytes]:
        messages = await self._inner.receive()
        self.heard += messages
        return messages

    async def aclose(self) -> None:
        await self._inner.aclose()


@dataclass(frozen=True, slots=True)
class Plugged:
    """A browser of its own and our connection to it."""

    chrome: Chrome
    connection: Connection
    record: Recorder

    async def open_page(self, url: str = "about:blank") -> Session:
        """A new page, attached and loaded."""
        root = self.connection.root
        created = await root.execute(cdp.target.create_target("about:blank"))
        command = cdp.target.attach_to_target(created.target_id, flatten=True)
        page = root.attach((await root.execute(command)).session_id)
        await page.execute(cdp.page.enable())
        if url != "about:blank":
            await load(page, url)
        return page


async def load(page: Session, url: str) -> None:
    """Navigate, and return when the page has loaded."""
    with page.events(cdp.page.LoadEventFired) as loads:
        await page.execute(cdp.page.navigate(url), timeout="navigation")
        await loads.receive()


async def evaluate(page: Session, expression: str, *, timeout: str = "evaluate") -> object:
    """The value of an expression, of a promise if it is one."""
    command = cdp.runtime.evaluate(expression, return_by_value=True, await_promise=True)
    reply = await page.execute(command, timeout=timeout)
    assert reply.exception_details is None, reply.exception_details.text
    return reply.result.value


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for Chrome's sockets; removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="cb-"))
    try:
        yield folder
    finally:
        # The watchdog of a throwaway profile may be removing the same files at this moment.
        for _ in range(_ROUNDS):
            shutil.rmtree(folder, ignore_errors=True)
        assert not folder.exists(), f"{folder} is still in use"


@asynccontextmanager
async def open_plugged(kind: str, timeouts: Timeouts | None = None) -> AsyncIterator[Plugged]:
    """Launch a headless browser on a folder of its own and connect to it."""
    timeouts = timeouts or Timeouts()
    with short_folder() as folder:
        options = LaunchOptions(headless=True, isolated=kind == "pipe", data_dir=folder)
        async with (
            open_chrome(options, timeouts) as chrome,
            _open_transport(chrome, timeouts) as transport,
        ):
            assert transport.kind == kind
            record = Recorder(transport)
            async with open_connection(record, timeouts) as connection:
                yield Plugged(chrome, connection, record)


def _open_transport(chrome: Chrome, timeouts: Timeouts) -> AbstractAsyncContextManager[Transport]:
    if chrome.pipe is not None:
        return open_pipe(*chrome.pipe)
    return open_websocket(chrome.url, timeouts)
