"""`demo`: the main job in ten seconds, for eyes. A real MCP client, our server, a real page.

What is printed is what an agent would read, word for word.
"""

import base64
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio

from bridge.app import clients
from bridge.app.clients import CLIENTS
from bridge.scope import open_scope

if TYPE_CHECKING:
    from mcp import Client

_HEAD = 65_536  # bytes of a request's head; a browser's has about 600
_LINES = 40  # of an answer that are shown
_NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
Say = Callable[[str], None]


async def run(say: Say, picture: Path, arguments: tuple[str, ...] = ()) -> None:
    """Drive the page `form.html` with the server, as an agent would."""
    from mcp import Client, StdioServerParameters

    async with open_pages() as home:
        argv = [
            *("-m", "bridge", "serve", "--headless", "--isolated", "--enable-mutations"),
            *("--allow-domain", "127.0.0.1", f"--chrome-arg={_NO_NETWORK}", *arguments),
        ]
        say(f"$ chrome-bridge {' '.join(argv[2:7])} --allow-domain 127.0.0.1")
        server = StdioServerParameters(command=sys.executable, args=argv)
        async with Client(server, mode="legacy") as client:
            await _show(client, say, home, picture)
    say("\nTo give this to an agent, paste into its configuration (Cursor's, for example):\n")
    say(clients.block(CLIENTS["cursor"], clients.command(["--allow-domain", "example.com"])))
    say("\nor let it be written: chrome-bridge install CLIENT --write")


async def _show(client: "Client", say: Say, home: str, picture: Path) -> None:
    tools = (await client.list_tools()).tools
    say(f"\n{len(tools)} tools: {', '.join(tool.name for tool in tools)}")
    call = partial(_call, client, say)
    await call("navigate", url=f"{home}/form.html")
    await call("snapshot")
    await call("type", selector="#name", text="Ada Lovelace")
    await call("fill_form", fields={"#email": "ada@example.com", "#news": True, "#colour": "Red"})
    await call("click", selector="#size-l")
    await call("navigate", url="http://example.com/")
    shown = await call("screenshot")
    image = next(block for block in shown.content if block.type == "image")
    file = trio.Path(picture)
    await file.parent.mkdir(parents=True, exist_ok=True)
    await file.write_bytes(base64.b64decode(image.data))
    say(f"\nThe picture is in {picture}")


async def _call(client: "Client", say: Say, tool: str, **arguments: Any) -> Any:
    shown = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    say(f"\n> {tool}({shown})")
    answer = await client.call_tool(tool, arguments)
    for block in answer.content:
        if block.type == "text":
            lines = block.text.splitlines()
            rest = [f"… {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
            say("\n".join([*lines[:_LINES], *rest]))
    return answer


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
        head = b""
        while b"\r\n\r\n" not in head and len(head) < _HEAD:
            more = await stream.receive_some()
            if not more:
                return
            head += more
        path = head.split(b" ", 2)[1].decode("latin-1").partition("?")[0]
        file = folder / path.removeprefix("/")
        known = file.parent == folder and file.suffix == ".html" and file.is_file()
        body = file.read_bytes() if known else b""
        status = HTTPStatus.OK if known else HTTPStatus.NOT_FOUND
        told = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Length: {len(body)}\r\n"
        kind = "Content-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n"
        await stream.send_all((told + kind).encode() + body)
