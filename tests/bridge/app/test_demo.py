"""The demo's own parts; tests/chromium/test_demo.py runs it whole."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from bridge.app import demo
from tests.support.mcp_client import open_client
from tests.support.toy_door import ToyDoor


async def fetch(home: str, request: bytes) -> bytes:
    """What the demo's server says to these bytes, up to the end of the connection."""
    stream = await trio.open_tcp_stream("127.0.0.1", int(home.rpartition(":")[2]))
    async with stream:
        await stream.send_all(request)
        await stream.send_eof()
        return b"".join([bytes(part) async for part in stream])


async def test_page() -> None:
    """A page is served whole, and says how long it is."""
    async with demo.open_pages() as home:
        head, _, body = (await fetch(home, b"GET /form.html?x HTTP/1.1\r\n\r\n")).partition(
            b"\r\n\r\n"
        )
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert f"Content-Length: {len(body)}".encode() in head
    assert body == (demo.pages_folder() / "form.html").read_bytes()


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET /nothing.html",
        b"GET /../site.py",
        b"GET /../pages/../../pyproject.toml",
        b"GET //etc/hostname",
        b"GET /service-worker.js",
        b"GET /",
        b"nonsense",
        b"\xff\xff /\xff",
    ],
)
async def test_no_page(request_line: bytes) -> None:
    """Whatever is not a page of that folder is not found, and the server goes on."""
    async with demo.open_pages() as home:
        assert (await fetch(home, request_line + b"\r\n\r\n")).startswith(b"HTTP/1.1 404 ")
        assert (await fetch(home, b"GET /form.html \r\n\r\n")).startswith(b"HTTP/1.1 200 ")


async def test_silent_client() -> None:
    """A connection on which nobody asks ends without harm to the next."""
    async with demo.open_pages() as home:
        assert (await fetch(home, b"")).startswith(b"HTTP/1.1 404 ")
        assert (await fetch(home, b"GET /form.html \r\n\r\n")).startswith(b"HTTP/1.1 200 ")


def answer(text: str) -> Any:
    return SimpleNamespace(content=[SimpleNamespace(type="text", text=text)])


def test_ref() -> None:
    """The ref is that of the very element, states or not, and nothing where there is none."""
    page = answer('- textbox "Name (old)" [ref=e1]\n  - textbox "Name" [required] [ref=f1e12]')
    assert demo.ref_of(page, 'textbox "Name"') == "f1e12"
    assert demo.ref_of(page, 'button "Name"') == ""


def test_shortened() -> None:
    """A long answer is cut at a line, and says how much is left out."""
    assert demo.shortened("a\nb") == "a\nb"
    cut = demo.shortened("\n".join(map(str, range(100)))).splitlines()
    assert (cut[-2], cut[-1]) == ("59", "… 40 more lines")


async def test_call() -> None:
    """A call is shown with what it is for, its arguments and its answer."""
    said: list[str] = []
    async with open_client(ToyDoor(), "legacy") as client:
        tour = demo.Tour(client, said.append, "")
        await tour.call("Say it again.", "echo", text="Grüße")
    head, body = said
    assert head.startswith('\n# Say it again.\n> echo {"text": "Grüße"}   (')
    assert body == '{"text": "Grüße"}'
    assert tour.fine


@pytest.mark.parametrize(("tool", "refused"), [("nonsense", False), ("echo", True)])
async def test_surprise(tool: str, refused: bool) -> None:
    """An error nobody expected is no success, and neither is an answer where a refusal was due."""
    async with open_client(ToyDoor(), "legacy") as client:
        tour = demo.Tour(client, lambda text: None, "")
        await tour.call("Try.", tool, refused=refused)
        await tour.call("Go on.", "echo")
    assert not tour.fine


async def test_no_room_for_the_picture(tmp_path: Path) -> None:
    """Where the picture cannot be written that is said, and no fault of ours is reported."""
    said: list[str] = []
    (tmp_path / "taken").touch()
    picture = SimpleNamespace(content=[SimpleNamespace(type="image", data="")])
    tour = demo.Tour(cast(Any, None), said.append, "")
    await tour._keep(cast(Any, picture), tmp_path / "taken" / "demo.png")
    assert "demo.png cannot be written: " in said[0]
    assert not tour.fine


def test_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner's options stay out of it, but for those that say which browser there is."""
    monkeypatch.setenv("CHROME_BRIDGE_PROFILE", "work")
    monkeypatch.setenv("CHROME_BRIDGE_CHANNEL", "beta")
    server = cast(Any, demo._server("folder", ("--executable-path", "x")))
    assert server.args[server.args.index("--data-dir") + 1] == "folder"
    assert "CHROME_BRIDGE_PROFILE" not in server.env
    assert server.env["CHROME_BRIDGE_CHANNEL"] == "beta"
    assert server.args[-2:] == ["--executable-path", "x"]
