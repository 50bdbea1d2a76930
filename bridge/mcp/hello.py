"""The first moments of a conversation, before the SDK is there.

Importing the SDK takes 0.3 s, most of it models of every message there is, and a person waits for
it: clients show a server when they have its tools. Both answers are plain values known before. So a
usual handshake, a ping and the list of tools are answered here, and plain calls (`early.py`); at
the first message that is anything else the SDK takes over, and is played what it missed
(`streams.py`). Tests hold these answers to the SDK's own.
"""

from typing import Any

from bridge.mcp.admission import counts
from bridge.mcp.cards import describe
from bridge.mcp.early import Early, Plain
from bridge.mcp.envelope import Kind, Message, is_bare, reply
from bridge.mcp.wire import Wire
from bridge.tools.answer import Door

NAME = "chrome-bridge"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # those with a handshake


# What a client may say it can do without being out of the ordinary, and the types of the details.
_ABILITIES: dict[str, dict[str, type]] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": dict, "tools": dict},
    "elicitation": {"form": dict, "url": dict},
    "tasks": {"list": dict, "cancel": dict, "requests": dict},
}
_FREE = ("experimental", "extensions")  # objects under names of any kind


# Clients ask for these whatever was promised.
_EMPTY = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


class Hello:
    """What was heard of a client so far, and what of it has been answered."""

    def __init__(self, wire: Wire, version: str) -> None:
        self._wire = wire
        self._version = version
        self.heard: list[Message] = []
        self.greeted = False

    async def greet(self, instructions: str) -> None:
        """Answer the first message if it is a usual handshake; trio.EndOfChannel if none comes."""
        first = await self._wire.receive()
        self.heard.append(first)
        answer = greeting(first, self._version, instructions)
        if answer is not None:
            self.greeted = self._wire.greeted = True
            await self._wire.send(answer)
            await self._wire.flush()  # what comes next are imports, which hold up the rest

    async def attend(self, door: Door, early: Early) -> None:
        """After a greeting: answer what can be answered. Returns where the SDK is needed."""
        if not self.greeted:
            return
        client = self._client(early)
        while True:
            message = await self._wire.receive()
            await self._prepare(message, door)
            if early.take(message, door, client):
                continue
            result = await self._result(message, door)
            if result is None:
                self.heard.append(message)
                if message.method != "notifications/initialized":
                    self._announce(message, door)
                    return
                continue
            self._wire.queue(reply(message, result))  # at once: what was taken has to be answered
            if counts(message):
                self._wire.settled()

    @property
    def client(self) -> str:
        """What the client calls itself; "" if it has not said so in the usual way."""
        return str(self._said["clientInfo"]["name"]) if self.greeted else ""

    @property
    def can_ask(self) -> bool:
        """Whether the client said that its user can be asked."""
        asks = self._said["capabilities"].get("elicitation")
        return asks is not None and ("form" in asks or "url" not in asks)

    @property
    def _said(self) -> dict[str, Any]:
        found: dict[str, Any] = self.heard[0].body["params"]
        return found

    def _client(self, early: Early) -> Plain:
        """The client as its early calls see it."""
        questions = early.questions if self.can_ask else None
        return Plain(self._wire, self.client, self._said["protocolVersion"], questions)

    @staticmethod
    async def _prepare(message: Message, door: Door) -> None:
        """Calls are taken when there are tools; who hangs up by then gets answers as well."""
        if message.method == "tools/call":
            params = message.body.get("params") or {}
            await door.ready(str(params.get("name")), params.get("arguments"))

    @staticmethod
    def _announce(message: Message, door: Door) -> None:
        """The browser of an early call can start while the SDK is imported."""
        name = (message.body.get("params") or {}).get("name")
        if message.method == "tools/call" and isinstance(name, str):
            door.expect(name)

    async def _result(self, message: Message, door: Door) -> dict[str, Any] | None:
        if message.kind is not Kind.REQUEST or not is_bare(message.body.get("params")):
            return None
        if message.method == "ping":  # which came before the wire knew that it may answer it
            return {}
        if message.method in _EMPTY:
            return {_EMPTY[message.method]: []}
        if message.method == "tools/list":
            cards = await door.cards(can_ask=self.can_ask)
            return {"tools": [describe(card) for card in cards]}
        return None


def greeting(message: Message, version: str, instructions: str) -> bytes | None:
    """The answer to a handshake there is nothing to say about; None for everything else."""
    if message.kind is not Kind.REQUEST or message.method != "initialize":
        return None
    params = message.body.get("params") or {}
    if set(params) != {"protocolVersion", "capabilities", "clientInfo"}:
        return None
    spoken = params["protocolVersion"]
    if not (spoken in VERSIONS and _usual(params["capabilities"]) and _named(params["clientInfo"])):
        return None
    result = {
        "protocolVersion": spoken,
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": NAME, "version": version},
        "instructions": instructions,
    }
    return reply(message, result)


def _usual(capabilities: object) -> bool:
    return isinstance(capabilities, dict) and all(
        isinstance(value, dict) and all(_fits(name, *detail) for detail in value.items())
        for name, value in capabilities.items()
    )


def _fits(ability: str, key: str, detail: object) -> bool:
    if ability in _FREE:
        return isinstance(detail, dict)
    kind = _ABILITIES.get(ability, {}).get(key)
    if kind is None or not isinstance(detail, kind):
        return False
    return ability != "tasks" or _is_of_objects(detail)


def _is_of_objects(value: object) -> bool:
    return isinstance(value, dict) and all(_is_of_objects(inner) for inner in value.values())


_SAID_OF_ITSELF = {"name", "version", "title", "description", "websiteUrl"}


def _named(client: object) -> bool:
    return (
        isinstance(client, dict)
        and {"name", "version"} <= set(client) <= _SAID_OF_ITSELF
        and all(isinstance(value, str) for value in client.values())
    )
