"""Everybody who is to be told when the tools on offer change.

With a handshake a client is told over the session it opened; since 2026-07-28 it subscribes.
"""

from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

_SESSIONS = 1_000  # the SDK's HTTP server allows no more either


class Audience:
    """The clients of one server process: one on stdio, several over HTTP."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self._sessions: dict[str, ServerSession] = {}
        self.listen = ListenHandler(self._bus)

    def note(self, context: "ServerRequestContext[object, object]") -> None:
        """Remember who asks, for later."""
        if context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
            return
        headers = getattr(context.request, "headers", {})
        session = headers.get("mcp-session-id", "")
        self._sessions.pop(session, None)
        self._sessions[session] = context.session
        if len(self._sessions) > _SESSIONS:
            del self._sessions[next(iter(self._sessions))]

    async def tools_changed(self) -> None:
        """Tell them all; one that is gone is passed over by the SDK."""
        for session in list(self._sessions.values()):
            await session.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())
