"""The handshake, answered before the SDK is there.

Importing the SDK takes 0.3 s, most of it models of every message there is; a client waits for
nothing but four values that are known from the start. So a plain `initialize` is answered at once,
and the SDK sees it later (`streams.py`). Anything out of the ordinary is left to the SDK. Tests
hold this answer to the SDK's own, byte for byte.
"""

import json

from bridge.mcp.envelope import Kind, Message
from bridge.mcp.wire import Wire

NAME = "chrome-bridge"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # those with a handshake


# What a client may say it can do without being out of the ordinary, and of what type that is.
_ABILITIES: dict[str, dict[str, type]] = {
    "roots": {"listChanged": bool},
    "sampling": {"context": dict, "tools": dict},
    "elicitation": {"form": dict, "url": dict},
}


async def greet(wire: Wire, version: str, instructions: str) -> tuple[Message, bool]:
    """The first message, and whether it has been answered; trio.EndOfChannel if none comes."""
    first = await wire.receive()
    answer = greeting(first, version, instructions)
    if answer is not None:
        await wire.send(answer)
    return first, answer is not None


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
    reply = {"jsonrpc": "2.0", "id": message.body["id"], "result": result}
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _usual(capabilities: object) -> bool:
    return isinstance(capabilities, dict) and all(
        name in _ABILITIES
        and isinstance(value, dict)
        and all(_fits(detail, _ABILITIES[name].get(key)) for key, detail in value.items())
        for name, value in capabilities.items()
    )


def _fits(detail: object, kind: type | None) -> bool:
    return kind is not None and isinstance(detail, kind) and (kind is bool or not detail)


def _named(client: object) -> bool:
    return (
        isinstance(client, dict)
        and {"name", "version"} <= set(client) <= {"name", "version", "title"}
        and all(isinstance(value, str) for value in client.values())
    )
