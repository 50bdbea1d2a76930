"""Looking at a profile: files, the port, and the processes behind them."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import trio

from bridge.timeouts import Timeouts
from launcher import farewell, process, record, singleton
from launcher.leases import Leases
from launcher.look import Owner, is_browser_of, look
from launcher.record import Record, started_at
from tests.support.conditions import limit, until

if sys.platform != "linux":
    pytest.skip("states of processes as Linux tells them", allow_module_level=True)

PATIENCE = Timeouts()
PATH = "/devtools/browser/0a1b"
HERE = socket.gethostname()


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "profile"
    Leases(folder).prepare()
    return folder


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """Of a server that says it is the browser with PATH."""

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            url = f"ws://127.0.0.1{PATH}"
            body = json.dumps({"Browser": "Fake/1", "webSocketDebuggerUrl": url})
            await stream.send_all(f"HTTP/1.1 200 OK\r\n\r\n{body}".encode())

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


@pytest.fixture
def browser(profile: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process with the command line of a browser on the profile."""
    with _start(f"--user-data-dir={profile}", "--headless=new") as stand_in:
        yield stand_in
        stand_in.kill()


def _start(*arguments: str) -> "subprocess.Popen[bytes]":
    program = "import sys; print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-ISc", program, *arguments]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout is not None
    started.stdout.readline()  # for a moment after exec a process has no command line
    return started


def _record(pid: int, endpoint: str = "", *, headless: bool = False) -> Record:
    return Record(
        pid=pid,
        started=started_at(pid),
        watchdog=0,
        watchdog_started="",
        headless=headless,
        keep_open=False,
        transport="port",
        endpoint=endpoint,
        executable="/x",
    )


async def test_empty(profile: Path) -> None:
    """Where nothing is there is nobody."""
    seen = await look(profile, 3, PATIENCE)
    assert (seen.endpoint, seen.record, seen.lock, seen.pid) == ("", None, None, 0)
    assert (seen.owner, seen.holders, seen.silent) == (Owner.NOBODY, 3, False)
    assert (await look(profile / "none", 0, PATIENCE)).owner is Owner.NOBODY


async def test_port_file(profile: Path, port: int, browser: "subprocess.Popen[bytes]") -> None:
    """A port counts beside a live browser, when the one that answers names the path in the file."""
    (profile / singleton.LOCK).symlink_to(f"{HERE}-{browser.pid}")
    farewell.port_file(profile).write_text(f"{port}\n{PATH}")
    assert (await look(profile, 0, PATIENCE)).endpoint == f"ws://127.0.0.1:{port}{PATH}"
    farewell.port_file(profile).write_text(f"{port}\n{PATH}beef")
    seen = await look(profile, 0, PATIENCE)
    assert (seen.endpoint, seen.silent) == ("", False)


async def test_copied_profile(profile: Path, port: int) -> None:
    """A port file without a browser of this folder is a copy, and leads nowhere."""
    farewell.port_file(profile).write_text(f"{port}\n{PATH}")
    for target in (f"{HERE}-{os.getpid()}", "garbage", "other-5"):
        (profile / singleton.LOCK).unlink(missing_ok=True)
        (profile / singleton.LOCK).symlink_to(target)
        assert (await look(profile, 0, PATIENCE)).endpoint == ""


async def test_recorded_port(profile: Path, port: int) -> None:
    """A fixed port, which is in no file, is known from the record."""
    record.write(profile, _record(os.getpid(), f"ws://127.0.0.1:{port}{PATH}", headless=True))
    seen = await look(profile, 0, PATIENCE)
    assert seen.endpoint == f"ws://127.0.0.1:{port}{PATH}"
    assert (seen.pid, seen.headless) == (os.getpid(), True)


async def test_silent(profile: Path, browser: "subprocess.Popen[bytes]") -> None:
    """A port that accepts and says nothing is noted."""
    (profile / singleton.LOCK).symlink_to(f"{HERE}-{browser.pid}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        farewell.port_file(profile).write_text(f"{server.getsockname()[1]}\n{PATH}")
        seen = await look(profile, 0, Timeouts(connect=0.2))
    assert (seen.endpoint, seen.silent) == ("", True)


async def test_frozen(profile: Path, browser: "subprocess.Popen[bytes]") -> None:
    """A browser that was stopped is silent; nobody waits for its port to answer."""
    await _stop(browser)
    with socket.create_server(("127.0.0.1", 0)) as server:
        endpoint = f"ws://127.0.0.1:{server.getsockname()[1]}{PATH}"
        record.write(profile, _record(browser.pid, endpoint))
        with limit():
            seen = await look(profile, 0, Timeouts(connect=120))
    assert (seen.endpoint, seen.silent) == ("", True)


async def test_frozen_for_a_moment(
    profile: Path, port: int, browser: "subprocess.Popen[bytes]"
) -> None:
    """One that goes on at once is asked."""
    record.write(profile, _record(browser.pid, f"ws://127.0.0.1:{port}{PATH}"))
    await _stop(browser)

    async def proceed() -> None:
        browser.send_signal(signal.SIGCONT)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(proceed)
        seen = await look(profile, 0, PATIENCE)
    assert (seen.endpoint, seen.silent) == (f"ws://127.0.0.1:{port}{PATH}", False)


async def test_frozen_without_port(profile: Path, browser: "subprocess.Popen[bytes]") -> None:
    """One that is to be reached nowhere is not silent, but on a pipe or not there yet."""
    record.write(profile, _record(browser.pid))
    await _stop(browser)
    assert not (await look(profile, 0, PATIENCE)).silent


async def _stop(browser: "subprocess.Popen[bytes]") -> None:
    browser.send_signal(signal.SIGSTOP)
    await until(lambda: process.is_frozen(browser.pid))


@pytest.mark.parametrize(
    "endpoint", ["ws://[", "ws://127.0.0.1:0/x", "nonsense", "ws://a b/", "\0"]
)
async def test_damaged_endpoint(endpoint: str, profile: Path) -> None:
    """An endpoint that cannot be one is passed over."""
    record.write(profile, _record(os.getpid(), endpoint))
    assert (await look(profile, 0, PATIENCE)).endpoint == ""


async def test_owner(profile: Path, browser: "subprocess.Popen[bytes]") -> None:
    """The lock's owner is a browser, dead, a stranger, or elsewhere."""
    lock = profile / singleton.LOCK
    for target, owner in {
        f"{HERE}-{browser.pid}": Owner.BROWSER,
        f"{HERE}-{os.getpid()}": Owner.STRANGER,
        f"{HERE}-999999999": Owner.DEAD,
        f"{HERE}-1": Owner.DEAD,
        "garbage": Owner.DEAD,
        f"other-{browser.pid}": Owner.ELSEWHERE,
    }.items():
        lock.unlink(missing_ok=True)
        lock.symlink_to(target)
        assert (await look(profile, 0, PATIENCE)).owner is owner, target
    lock.unlink()
    lock.symlink_to(f"{HERE}-{browser.pid}")
    seen = await look(profile, 0, PATIENCE)
    assert (seen.pid, seen.headless) == (browser.pid, True)


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        ("Default/History", Owner.BROWSER),
        (".chrome-bridge/gate", Owner.STRANGER),
        ("../profile2/History", Owner.STRANGER),
    ],
)
async def test_owner_by_its_files(file: str, owner: Owner, profile: Path) -> None:
    """Who has files of the profile open is its browser, whatever its command line says."""
    (profile / file).parent.mkdir(exist_ok=True)
    link = profile.parent / "link"
    link.symlink_to(profile)
    (profile / singleton.LOCK).symlink_to(f"{HERE}-{os.getpid()}")
    with (profile / file).open("w"):
        assert (await look(profile, 0, PATIENCE)).owner is owner
        assert (await look(link, 0, PATIENCE)).owner is owner
    assert (await look(profile, 0, PATIENCE)).owner is Owner.STRANGER


def test_is_browser_of(profile: Path, browser: "subprocess.Popen[bytes]") -> None:
    """The command line has to name this very folder, by whatever way; the dead name none."""
    link = profile.parent / "link"
    link.symlink_to(profile)
    assert is_browser_of(browser.pid, profile)
    assert is_browser_of(browser.pid, link)
    assert not is_browser_of(browser.pid, profile.parent / "prof")
    assert not is_browser_of(browser.pid, profile / "Default")
    browser.kill()
    os.waitid(os.P_PID, browser.pid, os.WEXITED | os.WNOWAIT)
    assert not is_browser_of(browser.pid, profile)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--type=renderer", "--user-data-dir={}"],
        ["--user-data-dir={}2"],
        ["--user-data-dir"],
        ["{}"],
        ["--disk-cache-dir={}"],
    ],
)
def test_is_no_browser_of(arguments: list[str], profile: Path) -> None:
    """Neither Chrome's helpers nor what merely mentions the folder are its browser."""
    with _start(*(argument.format(profile) for argument in arguments)) as started:
        assert not is_browser_of(started.pid, profile)
        started.kill()


async def test_pid_of_another(profile: Path) -> None:
    """A record whose pid now means another process is none."""
    record.write(profile, _record(os.getpid())._replace(started="12@0000"))
    seen = await look(profile, 0, PATIENCE)
    assert (seen.record, seen.pid) == (None, 0)
