"""A Chromium with the extension, and our tabs in it over the link: what the contract is tried on.

The browser lives in a process of its own, as in `browsers`. Each test opens a relay;
the extension hears of it from the native host, which it is told to ask at once by one of its own
pages: waiting for the host to look by itself would be half of every test's time.
"""

import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser, Prepare, open_tabs
from bridge.browser.creation import tolerate
from bridge.browser.resync import Gap, follow_gaps
from bridge.relay.invitation import FOLDER
from bridge.relay.registration import host_of
from bridge.relay.server import Relay, open_relay
from bridge.session.connection import Connection, open_connection
from bridge.session.wire import Event
from bridge.timeouts import Timeouts
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import ORIGIN, Sites
from bridge.transport.websocket import open_websocket
from launcher.chrome import open_chrome
from launcher.options import LaunchOptions
from tests.support.browsers import MANY_POPUPS, OFFLINE, PATIENCE, ROOT, say_and_wait, until_true
from tests.support.standing import Standing

EXTENSION = ROOT / "extension"
_PAGE = f"{ORIGIN}/options.html?ours"  # not the one of a test, which may be closing
_WORKER = f"{ORIGIN}/background.js"
_LOADED = "Boolean(globalThis.chrome?.runtime?.sendMessage)"
_LOOK = 'chrome.runtime.sendMessage({do: "connect"})'


@dataclass(frozen=True, slots=True)
class Everyday:
    """A browser with the extension: its debugging port, for looking at it from outside."""

    folder: Path
    url: str


@pytest.fixture(scope="module")
def everyday() -> Iterator[Everyday]:
    """A Chromium with the extension, for as long as the tests of the module last."""
    with hold_everyday() as held:
        yield held


@pytest.fixture(scope="session")
def standing_everyday() -> Iterator[Standing[Everyday]]:
    """The same for whoever needs one."""
    with Standing(hold_everyday, lambda held: held.url) as held:
        yield held


@pytest.fixture(scope="module")
def contracted(standing_everyday: Standing[Everyday]) -> Everyday:
    """What the contract is tried on: one for all modules, as long as it answers."""
    return standing_everyday.have(keeps=ORIGIN)


@contextmanager
def hold_everyday() -> Iterator[Everyday]:
    """One for as long as the block lasts: for tests that end it, or need two."""
    with hold("tests.support.linked") as (folder, url):
        yield Everyday(folder, url)


@contextmanager
def hold(module: str) -> Iterator[tuple[Path, str]]:
    """What this module holds in a process and a folder of its own, and what it says of it."""
    with (
        tempfile.TemporaryDirectory(prefix="cb-", ignore_cleanup_errors=True) as folder,
        subprocess.Popen(
            [sys.executable, "-m", module, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            text=True,
        ) as holder,  # which ends when its stdin does, as this block is left
    ):
        assert holder.stdout is not None
        yield Path(folder), holder.stdout.readline().strip()


@asynccontextmanager
async def open_link(
    everyday: Everyday,
    *,
    sites: Sites | None = None,
    timeouts: Timeouts = PATIENCE,
) -> AsyncIterator[tuple[Relay, ExtensionTransport]]:
    """A relay, and the extension on it."""
    async with open_relay(
        everyday.folder / FOLDER,
        "a test",
        sites or Sites(visited=["*"]),
        downloads=True,
        uploads=True,
        timeouts=timeouts,
    ) as relay:
        async with open_outside(everyday) as outside:
            await look(outside)
        yield relay, await relay.wait_link(None)


@asynccontextmanager
async def open_linked(
    everyday: Everyday,
    *,
    sites: Sites | None = None,
    prepare: Prepare | None = None,
    timeouts: Timeouts = PATIENCE,
) -> AsyncIterator[Browser]:
    """Our tabs in the browser, over the extension."""

    def arrange(browser: Browser) -> None:
        follow_gaps(browser)
        if prepare is not None:
            prepare(browser)

    async with (
        open_link(everyday, sites=sites, timeouts=timeouts) as (_, transport),
        open_connection(transport, timeouts) as connection,
        open_tabs(connection, exclusive=False, prepare=arrange) as browser,
    ):
        yield browser


@asynccontextmanager
async def open_outside(everyday: Everyday) -> AsyncIterator[Connection]:
    """The same browser over its port, as nobody's extension sees it."""
    async with (
        open_websocket(everyday.url, PATIENCE) as transport,
        open_connection(transport, PATIENCE) as connection,
    ):
        yield connection


async def tidy(everyday: Everyday) -> None:
    """Close every page but those of the extension."""
    async with open_outside(everyday) as outside:
        targets = await outside.root.execute(cdp.target.get_targets())
        for info in targets.target_infos:
            if info.type == "page" and not info.url.startswith(ORIGIN):
                await tolerate(outside.root.execute, cdp.target.close_target(info.target_id))


async def crash_outside(everyday: Everyday, target_id: str) -> None:
    """End the process of a page or frame, as the extension does for nobody."""
    async with open_outside(everyday) as outside:
        root = outside.root
        attach = cdp.target.attach_to_target(cdp.target.TargetID(target_id), flatten=True)
        session = root.attach((await root.execute(attach)).session_id)
        await tolerate(session.execute, cdp.page.crash())


async def look(outside: Connection) -> None:
    """Have the extension ask which servers there are."""
    await in_extension(outside, _LOOK)


async def in_extension(outside: Connection, script: str) -> object:
    """The value of a script in a page of the extension's own."""
    root = outside.root
    targets = (await root.execute(cdp.target.get_targets())).target_infos
    page = next((info.target_id for info in targets if info.url == _PAGE), None)
    if page is None:
        page = (await root.execute(cdp.target.create_target(_PAGE, background=True))).target_id
    attached = await root.execute(cdp.target.attach_to_target(page, flatten=True))
    session = root.attach(attached.session_id)

    async def value(expression: str) -> object:
        evaluate = cdp.runtime.evaluate(expression, await_promise=True, return_by_value=True)
        answer = await session.execute(evaluate)
        assert answer.exception_details is None, answer.exception_details
        return answer.result.value

    await until_true(lambda: value(_LOADED), "a page of the extension is there")
    found = await value(script)
    await root.execute(cdp.target.detach_from_target(session_id=attached.session_id))
    return found


async def end_worker(outside: Connection) -> None:
    """End the extension's worker as Chrome does, with no word to it."""
    targets = (await outside.root.execute(cdp.target.get_targets())).target_infos
    (target_id,) = [each.target_id for each in targets if each.url == _WORKER]
    await outside.root.execute(cdp.target.close_target(target_id))


def returns(browser: Browser) -> list[Event]:
    """Gets a gap whenever the extension is back with the sessions it had, or has lost events."""
    heard: list[Event] = []
    browser.connection.root.tap(Gap, heard.append)
    return heard


async def value_in(outside: Connection, target_id: cdp.target.TargetID, script: str) -> object:
    """The value of a script in a page, asked past the link."""
    attach = cdp.target.attach_to_target(target_id, flatten=True)
    session_id = (await outside.root.execute(attach)).session_id
    session = outside.root.attach(session_id)
    answer = await session.execute(cdp.runtime.evaluate(script, return_by_value=True))
    await outside.root.execute(cdp.target.detach_from_target(session_id=session_id))
    return answer.result.value


@contextmanager
def another_server(everyday: Everyday) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own with one tab, and that tab's target; killed at the end."""
    command = [sys.executable, "-m", "tests.support.linked", str(everyday.folder), everyday.url]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield server, server.stdout.readline().strip()
        finally:
            server.kill()


async def _serve(folder: str, url: str) -> None:
    async with open_linked(Everyday(Path(folder), url)) as browser:
        await say_and_wait((await browser.new_tab()).target_id)


def everyday_options(folder: str) -> LaunchOptions:
    """How the browser is started, with the host that finds our servers in place."""
    data = Path(folder)
    host_of(data).write()
    return LaunchOptions(
        headless=True,
        data_dir=data,
        extensions=(EXTENSION,),
        chrome_args=OFFLINE + MANY_POPUPS,
    )


async def _hold(folder: str) -> None:
    async with open_chrome(everyday_options(folder)) as chrome:
        await say_and_wait(chrome.url)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        trio.run(_serve, sys.argv[1], sys.argv[2])
    else:
        trio.run(_hold, sys.argv[1])
