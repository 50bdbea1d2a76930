"""The port file, and the last word to a browser."""

import contextlib
import os
import socket
import sys
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from launcher import farewell
from launcher.farewell import port_file, read_port, remove_port
from tests.support.conditions import limit

PATH = "/devtools/browser/0a1b"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"9222\n{PATH}", (9222, PATH)),
        (f"9222\n{PATH}\nmore", (9222, PATH)),
        ("", None),
        ("9222", None),
        (f"0\n{PATH}", None),
        (f"65536\n{PATH}", None),
        (f"-1\n{PATH}", None),
        (f"x\n{PATH}", None),
        ("9222\n/devtools/page/1", None),
        ("9222\nhttp://evil/", None),
        (f"9222\n{PATH}\u00e4", None),
        ("1" * 5000 + f"\n{PATH}", None),
    ],
)
def test_read_port(text: str, read: tuple[int, str] | None, tmp_path: Path) -> None:
    """A port and a browser's path, or nothing."""
    port_file(tmp_path).write_text(text, encoding="utf-8")
    assert read_port(tmp_path) == read


@given(st.binary(max_size=100))
def test_read_anything(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    """No content is an error."""
    folder = tmp_path_factory.getbasetemp()
    port_file(folder).write_bytes(noise)
    assert read_port(folder) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes there")
def test_planted(tmp_path: Path) -> None:
    """A named pipe in the file's place holds nobody up."""
    if sys.platform != "win32":
        os.mkfifo(port_file(tmp_path))
    assert read_port(tmp_path) is None


def test_remove_port(tmp_path: Path) -> None:
    """The file goes only if it names that endpoint."""
    port_file(tmp_path).write_text(f"9222\n{PATH}")
    remove_port(tmp_path, "ws://127.0.0.1:9222/devtools/browser/other")
    remove_port(tmp_path, "")
    assert read_port(tmp_path)
    remove_port(tmp_path, f"ws://127.0.0.1:9222{PATH}")
    assert not port_file(tmp_path).exists()
    remove_port(tmp_path, f"ws://127.0.0.1:9222{PATH}")


UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"


async def _say(answers: list[bytes], seconds: float = 10.0) -> tuple[bool, bytes]:
    """What it comes to with a server that gives these answers, and what it was told."""
    heard = bytearray()

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            for answer in answers:
                heard.extend(await stream.receive_some())
                await stream.send_all(answer)
            if not answers:
                await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        port = listeners[0].socket.getsockname()[1]
        url = f"ws://127.0.0.1:{port}{PATH}"
        said = await trio.to_thread.run_sync(farewell.say, url, "Browser.close", seconds)
        nursery.cancel_scope.cancel()
    return said, bytes(heard)


async def test_heard() -> None:
    """It is heard when something answers the request, or the connection ends over it."""
    said, heard = await _say([UPGRADED, b"\x81\x02{}"])
    assert said
    assert heard.startswith(f"GET {PATH} HTTP/1.1\r\n".encode())
    assert heard.endswith(b'{"id": 1, "method": "Browser.close"}')
    assert b"Origin" not in heard
    assert (await _say([UPGRADED, b""]))[0]


@pytest.mark.parametrize(
    "answers",
    [[b"HTTP/1.1 404 Not Found\r\n\r\n"], [b"x" * 20_000], [b""], [b"HTTP/1.1 101"], []],
    ids=["404", "noise", "nothing", "half", "silence"],
)
async def test_not_heard(answers: list[bytes]) -> None:
    """What is no browser has not heard it, and nothing is an error."""
    assert not (await _say(answers, 10.0 if answers else 0.2))[0]


async def test_one_limit() -> None:
    """One that sends a byte at a time does not get more than the time given."""

    async def drip(stream: trio.SocketStream) -> None:
        async with stream:
            while True:
                await stream.send_all(b"x")
                await trio.sleep(0.02)  # the drip itself

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")

        async def serve(stream: trio.SocketStream) -> None:
            with contextlib.suppress(trio.BrokenResourceError):
                await drip(stream)

        nursery.start_soon(trio.serve_listeners, serve, listeners)
        url = f"ws://127.0.0.1:{listeners[0].socket.getsockname()[1]}{PATH}"
        with limit():
            assert not await trio.to_thread.run_sync(farewell.say, url, "Browser.close", 0.2)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("url", ["", "ws://", "ws://127.0.0.1:99999/x", "nonsense", "ws://[/"])
def test_bad_address(url: str) -> None:
    """An address that cannot be used is not an error either."""
    assert not farewell.say(url, "Browser.close", 0.2)


def test_nobody_there() -> None:
    """Where nobody listens it was not heard."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert not farewell.say(f"ws://127.0.0.1:{port}{PATH}", "Browser.close", 0.2)
