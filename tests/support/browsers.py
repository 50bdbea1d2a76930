"""A real Chromium that all tests of a run share.

A start costs half a second, so there is one for all modules, and another one as soon as that is
gone: a process of its own starts it, says where it listens and holds it until its stdin ends, which
it does however the tests end.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser, open_tabs
from bridge.browser.contexts import open_context
from bridge.browser.targets import FILTER
from bridge.errors import ChromeError
from bridge.session.connection import Connection, open_connection
from bridge.timeouts import Timeouts, deadline
from bridge.transport.websocket import open_websocket
from launcher.chrome import open_chrome
from launcher.options import LaunchOptions
from tests.support.standing import Standing

OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1, EXCLUDE localhost",)
MANY_POPUPS = ("--disable-popup-blocking",)  # else a page opens one for each gesture
PATIENCE = Timeouts(probe=10.0, new_tab=15.0, leave=5.0)
_PAUSE = 0.005  # asking without one takes the processor from the browser that is waited for
_SPARE = "about:blank#spare"
ROOT = Path(__file__).resolve().parents[2]

Connect = Callable[..., AbstractAsyncContextManager[Browser]]


@pytest.fixture(scope="session")
def standing() -> Iterator[Standing[str]]:
    """A Chromium for whoever needs one."""
    with Standing(_hold_endpoint, str) as held:
        yield held


@pytest.fixture(scope="module")
def endpoint(standing: Standing[str]) -> str:
    """Address of a Chromium that answers, and has no page of another module."""
    return standing.have()


@contextmanager
def _hold_endpoint() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="cb-")
    holder = subprocess.Popen(
        [sys.executable, "-m", "tests.support.browsers", "hold", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        yield holder.stdout.readline().strip()
        assert holder.stdin is not None
        holder.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def open_browser_at(
    url: str, *, exclusive: bool, timeouts: Timeouts = PATIENCE
) -> AsyncIterator[Browser]:
    """Our tabs in the browser that listens there."""
    async with (
        open_websocket(url, timeouts) as transport,
        open_connection(transport, timeouts) as connection,
        open_tabs(connection, exclusive=exclusive) as opened,
    ):
        yield opened


async def sweep(connection: Connection, *, spare: bool = False) -> None:
    """Close whatever pages are open, whoever opened them, but for a blank one if that is wanted.

    A page in a browser that has none gets a window, which costs three times as much as a tab.
    """
    targets = await connection.root.execute(cdp.target.get_targets(filter=FILTER))
    if spare and not any(info.url == _SPARE for info in targets.target_infos):
        await connection.root.execute(cdp.target.create_target(_SPARE, background=True))
    for info in targets.target_infos:
        if info.type == "page" and not (spare and info.url == _SPARE):
            try:
                await connection.root.execute(cdp.target.close_target(info.target_id))
            except ChromeError:
                continue  # it closed itself


async def until(holds: Callable[[], object], what: str, *, seconds: float = 15.0) -> None:
    """Return once this holds; for state that no event of ours announces."""
    with deadline(Timeouts(command=seconds), "command", f"waiting until {what}"):
        while not holds():  # noqa: ASYNC110 -- no event tells
            await trio.sleep(_PAUSE)


async def until_true(
    holds: Callable[[], Awaitable[object]], what: str, *, seconds: float = 15.0
) -> None:
    """The same for a question that takes a round trip."""
    with deadline(Timeouts(command=seconds), "command", f"waiting until {what}"):
        while not await holds():  # noqa: ASYNC110 -- no event tells
            await trio.sleep(_PAUSE)


@contextmanager
def open_guest(url: str) -> Iterator[subprocess.Popen[str]]:
    """Another process in the browser, with an isolated context and a tab in it; killed at the end.

    Its first line names the tab's target.
    """
    command = [sys.executable, "-m", "tests.support.browsers", "visit", url]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as guest:
        try:
            yield guest
        finally:
            guest.kill()


async def _hold(folder: str) -> None:
    options = LaunchOptions(headless=True, data_dir=Path(folder), chrome_args=OFFLINE + MANY_POPUPS)
    async with open_chrome(options) as chrome:
        await say_and_wait(chrome.url)


async def _visit(url: str) -> None:
    async with open_browser_at(url, exclusive=False) as browser, open_context(browser) as context:
        await say_and_wait((await browser.new_tab(context_id=context)).target_id)


async def say_and_wait(line: str) -> None:
    """Tell whoever has started this process, and stay until they let go."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
    await trio.to_thread.run_sync(sys.stdin.read)


if __name__ == "__main__":
    trio.run({"hold": _hold, "visit": _visit}[sys.argv[1]], sys.argv[2])
