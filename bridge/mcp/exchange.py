"""A request over HTTP and what goes back, so that it never ends without an answer.

The SDK lets the stream of a request end without a word when its session ends, and a server that
ends cuts it off; clients wait for what never comes. So what goes back is looked at here: if it is
over and no answer was in it, an error is, that says why and what to do. What the SDK refuses by a
status alone, or without the number of the request, is told with both.
"""

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any

import trio

from bridge.mcp.envelope import INVALID_REQUEST, Kind, Message

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]

CLOSED = -32_000  # the SDKs' own code for it
LOST = (
    "The session was ended while this was at work, which ended it as well. Begin another with "
    "initialize, and look at the page before you send this again."
)
# What the SDK sends before an answer: its own requests and notifications. A stream has one message
# an event, and the members of a message in the order of its model.
_TOLD = re.compile(rb'data: \{"jsonrpc":"2\.0",(?:"id":(?:"(?:[^"\\]|\\.)*"|-?\d+),)?"method":')
_MESSAGE = b"data: {"
_NEXT = {
    404: "Begin another session with initialize.",
    406: "Send the header Accept: application/json, text/event-stream.",
    503: "End a session that is not needed any more (DELETE), or come back later.",
}


class Exchange:
    """With one client, about one message of its own."""

    def __init__(self, asked: Message | None, receive: Receive, send: Send) -> None:
        owed = asked is not None and asked.kind is Kind.REQUEST
        self._number = asked.body["id"] if asked is not None and owed else None
        self._receive = receive
        self._send = send
        self._owed = owed  # an answer
        self._begun = False
        self._streams = False
        self._over = False
        self._refusal: Event | None = None  # how it begins, until what it says is known

    async def receive(self) -> Event:
        """What comes of the client."""
        event = await self._receive()
        if event["type"] == "http.disconnect":
            self._over = True
        return event

    async def send(self, event: Event) -> None:
        """What goes back to it."""
        if event["type"] == "http.response.start":
            self._begun = True
            self._streams = _is_stream(event)
            if self._owed and event["status"] in _NEXT:
                self._refusal = event
                return
            self._owed = self._owed and self._streams  # everything else is an answer, or a refusal
        elif self._refusal is not None:
            await self._refuse(self._refusal, bytes(event.get("body", b"")))
            return
        else:
            body = bytes(event.get("body", b""))
            if self._owed and _MESSAGE in body[:100]:
                self._owed = _TOLD.search(body) is not None
            self._over = not event.get("more_body", False)
            if self._over and self._owed:
                event = {**event, "body": body + self._last(LOST)}
        # Whoever sends may be called off: where the server ends between two pieces, and by the SDK
        # as soon as it hears that a stream is over, which is in the middle of the last one. Without
        # its beginning no reason could be told, and without its end the connection was not closed.
        with trio.CancelScope(shield=True):
            await self._send(event)

    async def _refuse(self, start: Event, said: bytes) -> None:
        self._owed, self._over = False, True
        body = self._told(start["status"], said)
        told = (b"content-length", b"content-type")
        kept = [each for each in start.get("headers", ()) if bytes(each[0]).lower() not in told]
        headers = [*kept, (b"content-type", b"application/json"), (told[0], b"%d" % len(body))]
        with trio.CancelScope(shield=True):
            await self._send({**start, "headers": headers})
            await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _told(self, status: int, said: bytes) -> bytes:
        """What is said of a refusal; of one that names its request, what it says itself."""
        match _read(said):
            case {"id": str() | int()}:
                return said
            case {"error": {"code": int(code), "message": str(message)}}:
                return self._error(f"{message}. {_NEXT[status]}", code)
            case _:
                return self._error(f"{HTTPStatus(status).phrase}. {_NEXT[status]}", INVALID_REQUEST)

    async def end(self, why: str, status: int) -> None:
        """Nothing more will come: this is why, if the client has heard nothing, or no answer."""
        if self._over or (self._begun and not self._owed):
            return
        if not self._begun:
            headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
            start = {"type": "http.response.start", "status": status, "headers": headers}
            await self._send(start)
        self._over = True
        body = self._last(why) if self._streams else self._error(why)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _last(self, why: str) -> bytes:
        return b"event: message\r\ndata: " + self._error(why) + b"\r\n\r\n"

    def _error(self, message: str, code: int = CLOSED) -> bytes:
        error = {"code": code, "message": message}
        return json.dumps({"jsonrpc": "2.0", "id": self._number, "error": error}).encode()


def _is_stream(start: Event) -> bool:
    headers = {bytes(name).lower(): bytes(value) for name, value in start.get("headers", ())}
    return headers.get(b"content-type", b"").startswith(b"text/event-stream")


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
