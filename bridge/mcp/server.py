"""The door, served over MCP: list the tools, call one.

The SDK's low-level server, for it checks nothing that the door checks itself and adds no text of
its own. Its tracing middleware is taken out: nothing here listens, and it costs 14 µs a call.
"""

from typing import Any

import mcp_types as types
from mcp.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server

from bridge.mcp.asking import Client, Context, can_ask
from bridge.mcp.audience import Audience
from bridge.mcp.cards import describe, told
from bridge.mcp.early import Early
from bridge.mcp.hello import NAME, Hello
from bridge.mcp.params import explain
from bridge.mcp.streams import Incoming, Outgoing, Places
from bridge.mcp.wire import Wire
from bridge.tools.answer import Door, Suspended


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
        cards = await door.cards(can_ask=can_ask(context))
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(describe(card)) for card in cards]
        )

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        audience.note(context)
        client = Client(context, params, audience)
        try:
            answer = await door.call(params.name, params.arguments or {}, client)
            return types.CallToolResult.model_validate(told(answer))
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
    server.middleware[:] = [explain]
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


async def serve_wire(door: Door, version: str, wire: Wire, hello: Hello, early: Early) -> None:
    """Serve one client until it is gone, beginning with what was heard of it before."""
    server = make_server(door, version)
    places = Places(wire)
    answered = hello.heard[0].body["id"] if hello.greeted else None
    incoming = Incoming(wire, places, hello.heard, early.concerns)
    outgoing = Outgoing(wire, places, answered)
    await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_threads(door: Door, version: str) -> None:
    """Serve standard input with the SDK's own threads; not to be ended while they wait."""
    server = make_server(door, version)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
