"""`python -m tests.support.conformance_server FOLDER`: our HTTP server for the conformance suites.

The suites know no token, so each request gets one on its way to the guard, which is ours and
checks everything else. Content that no tool of ours returns (sound, embedded resources) is added to
the answers of two fixtures after the door, to see it through the transport.
"""

import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import trio
from mcp.server import Server

from bridge.app.door import open_door
from bridge.app.endings import until_ended
from bridge.mcp.guard import Guard
from bridge.mcp.http import App, Receive, Scope, Send, application, bind, open_app
from bridge.mcp.options import ServeOptions
from bridge.mcp.server import make_server
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions
from tests.support.conformance_tools import SET

_TOKEN, _VERSION = "t" * 43, "1.2.3"
_SOUND = types.AudioContent(type="audio", data="UklGRg==", mime_type="audio/wav")
_RESOURCE = types.EmbeddedResource(
    type="resource",
    resource=types.TextResourceContents(
        uri="test://embedded-resource", mime_type="text/plain", text="An embedded resource."
    ),
)
_ADDED: dict[str, list[types.ContentBlock]] = {
    "test_audio_content": [_SOUND],
    "test_embedded_resource": [_RESOURCE],
    "test_multiple_content_types": [_RESOURCE],
}


def _with_other_content(server: Server[Any]) -> Server[Any]:
    entry = server.get_request_handler("tools/call")
    assert entry is not None

    async def call(context: Any, params: types.CallToolRequestParams) -> Any:
        result = await entry.handler(context, params)
        if isinstance(result, types.CallToolResult):
            result.content = [*result.content, *_ADDED.get(params.name, [])]
        return result

    server.add_request_handler("tools/call", types.CallToolRequestParams, call)
    return server


def _with_token(app: App) -> App:
    async def tokened(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            token = (b"authorization", f"Bearer {_TOKEN}".encode())
            scope = {**scope, "headers": [*scope["headers"], token]}
        await app(scope, receive, send)

    return tokened


async def _serve() -> None:
    launch = LaunchOptions(data_dir=Path(sys.argv[1]), headless=True, isolated=True)
    options = ServeOptions(toolsets=("core", SET))
    async with open_door(launch, options, Policy(), Timeouts()) as door:
        listener = bind("127.0.0.1:0")
        server = _with_other_content(make_server(door, _VERSION))
        guard = Guard(listener.getsockname()[1], _TOKEN)
        async with open_app(_with_token(application(server, guard, _VERSION)), listener) as url:
            sys.stdout.write(f"{url}\n")
            sys.stdout.flush()
            await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(until_ended, _serve)
