"""The door, served over MCP: list the tools, call one.

The SDK's low-level server, for it checks nothing that the door checks itself and adds no text of
its own. Its tracing middleware is taken out: nothing here listens, and it costs 14 µs a call.
"""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server

from bridge.mcp.asking import Client, Context, can_ask
from bridge.mcp.audience import Audience
from bridge.mcp.cards import describe
from bridge.mcp.envelope import Message
from bridge.mcp.hello import NAME
from bridge.mcp.streams import Incoming, Outgoing, Places
from bridge.mcp.wire import Wire
from bridge.tools.answer import Answer, Door, Suspended


class _Server(Server[Any]):
    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """What the handshake promises; asked with nothing (over HTTP), the SDK promises less."""
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            extensions,
        )

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """Tools, nothing else: what is answered with empty lists is not worth asking for."""
        found = super().get_capabilities(
            notification_options,
            experimental_capabilities,
            extensions,
            protocol_version=protocol_version,
        )
        return found.model_copy(update={"resources": None, "prompts": None})


def make_server(door: Door, version: str) -> Server[Any]:
    """A server that offers what is behind the door."""
    audience = Audience()

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        audience.note(context)
        cards = door.cards(can_ask=can_ask(context))
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(describe(card)) for card in cards]
        )

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        audience.note(context)
        client = Client(context, params, audience)
        try:
            return _result(await door.call(params.name, params.arguments or {}, client))
        except Suspended as call:
            return client.suspended(call.question)

    server = _Server(
        NAME,
        version=version,
        instructions=door.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_no_resources,
        on_list_resource_templates=_no_templates,
        on_list_prompts=_no_prompts,
        on_subscriptions_listen=audience.listen,
    )
    server.middleware.clear()
    return server


# Clients ask for these whatever was promised, and show a person the error they would get.


async def _no_resources(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[])


async def _no_templates(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[])


async def _no_prompts(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[])


async def serve_wire(
    door: Door, version: str, wire: Wire, heard: Sequence[Message], *, greeted: bool
) -> None:
    """Serve one client until it is gone, beginning with what was `heard` of it before.

    If it was `greeted`, the first of that is a handshake that has had its answer.
    """
    server = make_server(door, version)
    places = Places(wire)
    incoming = Incoming(wire, places, heard)
    outgoing = Outgoing(wire, places, heard[0].body["id"] if greeted else None)
    await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_threads(door: Door, version: str) -> None:
    """Serve standard input with the SDK's own threads; not to be ended while they wait."""
    server = make_server(door, version)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _result(answer: Answer) -> types.CallToolResult:
    text = types.TextContent(type="text", text=_sendable(answer.text))
    images = [
        types.ImageContent(type="image", data=image.data, mime_type=image.mime)
        for image in answer.images
    ]
    return types.CallToolResult(content=[text, *images], is_error=answer.is_error)


def _sendable(text: str) -> str:
    """Pages contain halves of surrogate pairs, which no UTF-8 can carry."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
