"""`demo`: the main job in ten seconds, for eyes. A real MCP client, our server, a real page.

What is printed is what an agent would read, word for word. The server starts as it would for
nobody in particular: of this machine's own options only those count that say which browser it is.
"""

import base64
import json
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import trio

from bridge.app import clients
from bridge.app.clients import CLIENTS
from bridge.scope import open_scope

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

Say = Callable[[str], None]
_HEAD = 65_536  # bytes of a request's head; a browser's has about 600
_LINES = 60  # of an answer that are shown; the page has 48
_SHOWN = ("serve", "--headless", "--isolated", "--enable-mutations", "--allow-domain", "127.0.0.1")
_PASTED = ("--allow-domain", "example.com", "--enable-mutations")
_PREFIX = "CHROME_BRIDGE_"
_KEPT = (f"{_PREFIX}EXECUTABLE_PATH", f"{_PREFIX}CHANNEL")


async def run(say: Say, picture: Path, arguments: tuple[str, ...] = ()) -> bool:
    """Drive the page `form.html` with the server, as an agent would; whether all went well."""
    from mcp import Client

    say(f"$ chrome-bridge {shlex.join((*_SHOWN, *arguments))}")
    with TemporaryDirectory(prefix="chrome-bridge-", ignore_cleanup_errors=True) as folder:
        server = _server(folder, arguments)
        async with open_pages() as home, Client(server, mode="legacy") as client:
            tour = Tour(client, say, home)
            await tour.show(picture)
    if not tour.fine:
        say("\nThat did not go as planned: see the errors above.")
        return False
    _say_how_to_go_on(say)
    return True


def flags(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """All that the server is told on its command line, but for its folder."""
    return (*_SHOWN[1:], "--config", os.devnull, *arguments)


def environment() -> dict[str, str]:
    """What it is told in its environment."""
    return {n: v for n, v in os.environ.items() if not n.startswith(_PREFIX) or n in _KEPT}


def _server(folder: str, arguments: tuple[str, ...]) -> Any:
    from mcp import StdioServerParameters

    told = ["serve", "--data-dir", folder, *flags(arguments)]
    return StdioServerParameters(
        command=sys.executable, args=["-m", "bridge", *told], env=environment()
    )


def _say_how_to_go_on(say: Say) -> None:
    install = shlex.join([*clients.command()[:-1], "install"])
    say("\nTo give this to an agent, paste into its configuration (here as Cursor wants it):\n")
    say(clients.block(CLIENTS["cursor"], clients.command(_PASTED)))
    say(f"\nor have it written, for one of {', '.join(CLIENTS)}:\n")
    say(f"  {install} CLIENT --write -- {shlex.join(_PASTED)}")


class Tour:
    """The calls, one after the other, and what came of them."""

    def __init__(self, client: "Client", say: Say, home: str) -> None:
        self._client = client
        self._say = say
        self._home = home
        self.fine = True

    async def show(self, picture: Path) -> None:
        """Read the page, act on it, try to leave it, and keep a picture of it."""
        tools = (await self._client.list_tools()).tools
        self._say(f"\n{len(tools)} tools: {', '.join(tool.name for tool in tools)}")
        await self.call(
            "Start the browser and go to a page.", "navigate", url=f"{self._home}/form.html"
        )
        page = await self.call("What an agent sees of it.", "snapshot")
        await self.call(
            "Type into a field, by its ref in the snapshot.",
            "type",
            ref=ref_of(page, 'textbox "Name"'),
            text="Ada Lovelace",
        )
        await self.call(
            "Fill in several at once, by CSS selectors.",
            "fill_form",
            fields={"#email": "ada@example.com", "#news": True, "#colour": "Red"},
        )
        await self.call("Click.", "click", ref=ref_of(page, 'radio "Large"'))
        await self.call(
            "What nobody has allowed is refused.",
            "navigate",
            refused=True,
            url="https://example.com/",
        )
        shown = await self.call("Take a picture.", "screenshot", fullPage=True)
        await self._keep(shown, picture)

    async def call(
        self, why: str, tool: str, *, refused: bool = False, **arguments: Any
    ) -> "CallToolResult":
        """One call, shown with its answer and the time it took."""
        began = trio.current_time()
        answer = await self._client.call_tool(tool, arguments)
        took = (trio.current_time() - began) * 1000
        given = f" {json.dumps(arguments, ensure_ascii=False)}" if arguments else ""
        self._say(f"\n# {why}\n> {tool}{given}   ({took:.0f} ms)")
        self._say(shortened(text_of(answer)))
        self.fine &= bool(answer.is_error) == refused
        return answer

    async def _keep(self, answer: "CallToolResult", picture: Path) -> None:
        for block in answer.content:
            if block.type == "image":
                file = trio.Path(picture)
                try:
                    await file.parent.mkdir(parents=True, exist_ok=True)
                    await file.write_bytes(base64.b64decode(block.data))
                except OSError as error:
                    self.fine = False
                    why = error.strerror or error
                    self._say(f"--picture: {picture} cannot be written: {why}. Name another file.")
                else:
                    self._say(f"The picture is in {picture}")


def text_of(answer: "CallToolResult") -> str:
    """The words of an answer."""
    return "\n".join(block.text for block in answer.content if block.type == "text")


def shortened(text: str) -> str:
    """As many lines as a person wants to see."""
    lines = text.splitlines()
    rest = [f"… {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return "\n".join([*lines[:_LINES], *rest])


def ref_of(page: "CallToolResult", element: str) -> str:
    """The ref of `role "name"` in a snapshot; "" if it is not there."""
    found = re.search(rf"- {re.escape(element)}.*?\[ref=(\w+)\]", text_of(page))
    return found[1] if found else ""


# The page, on this machine only.


@asynccontextmanager
async def open_pages() -> AsyncIterator[str]:
    """Serve the example pages on 127.0.0.1 until the block ends."""
    async with open_scope() as nursery:
        handler = partial(_serve, folder=pages_folder())
        serve = partial(trio.serve_tcp, handler, 0, host="127.0.0.1")
        [listener] = await nursery.start(serve)
        yield f"http://127.0.0.1:{listener.socket.getsockname()[1]}"


def pages_folder() -> Path:
    """Inside the package where it was installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "fixtures" / "pages"
    return packed if packed.is_dir() else package.parent / "fixtures" / "pages"


async def _serve(stream: trio.SocketStream, folder: Path) -> None:
    """One request, one answer, one connection."""
    async with stream:
        path = await _asked(stream)
        file = folder / path.removeprefix("/")
        known = file.parent == folder and file.suffix == ".html" and file.is_file()
        body = file.read_bytes() if known else b""
        status = HTTPStatus.OK if known else HTTPStatus.NOT_FOUND
        told = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Length: {len(body)}\r\n"
        kind = "Content-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n"
        try:
            await stream.send_all((told + kind).encode() + body)
        except trio.BrokenResourceError:
            return  # a browser that was closed meanwhile


async def _asked(stream: trio.SocketStream) -> str:
    """The path of a request; "" if there is none."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _HEAD:
        try:
            more = await stream.receive_some()
        except trio.BrokenResourceError:
            return ""
        if not more:
            return ""
        head += more
    words = head.partition(b"\r\n")[0].split(b" ")
    return words[1].decode("latin-1").partition("?")[0] if len(words) > 1 else ""
