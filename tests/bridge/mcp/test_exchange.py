"""What goes back to a client holds an answer, or says why there is none."""

import json
from typing import Any

import mcp_types as types
import pytest
import trio

from bridge.mcp.envelope import Kind, Message
from bridge.mcp.exchange import CLOSED, Event, Exchange

START = {"type": "http.response.start", "status": 200}
STREAM = {**START, "headers": [(b"Content-Type", b"text/event-stream; charset=utf-8")]}
OVER = {"type": "http.response.body", "body": b"", "more_body": False}


class Line:
    """Both ends of an exchange, without a client."""

    def __init__(self, kind: Kind = Kind.REQUEST, number: object = 7) -> None:
        self.sent: list[Event] = []
        body: dict[str, Any] = {"method": "tools/call"} | ({"id": number} if number else {})
        self.exchange = Exchange(Message(kind, body, 0), self._receive, self._send)

    async def _receive(self) -> Event:
        await trio.lowlevel.checkpoint()
        return {"type": "http.disconnect"}

    async def _send(self, event: Event) -> None:
        await trio.lowlevel.checkpoint()
        self.sent.append(event)

    async def play(self, *events: Event) -> str:
        """What has gone back after these."""
        for event in events:
            await self.exchange.send(event)
        return b"".join(each.get("body", b"") for each in self.sent).decode()


def piece(message: Any) -> Event:
    """A message in a stream, as the SDK writes it."""
    text = message.model_dump_json(by_alias=True, exclude_unset=True)
    body = f"event: message\r\ndata: {text}\r\n\r\n".encode()
    return {"type": "http.response.body", "body": body, "more_body": True}


ANSWER = types.JSONRPCResponse(jsonrpc="2.0", id=7, result={"method": "x"})
REFUSAL = types.JSONRPCError(jsonrpc="2.0", id='a","method":"', error={"code": 1, "message": "no"})  # type: ignore[arg-type]
NEWS = types.JSONRPCNotification(jsonrpc="2.0", method="notifications/progress", params={"a": 1})
QUESTION = types.JSONRPCRequest(jsonrpc="2.0", id='a"b', method="elicitation/create")


@pytest.mark.parametrize("answer", [ANSWER, REFUSAL])
async def test_answered(answer: object) -> None:
    """Nothing is added to a stream with an answer in it."""
    line = Line()
    told = await line.play(STREAM, piece(NEWS), piece(answer), OVER)
    await line.exchange.end("why", 503)
    assert told.count("data: ") == 2
    assert len(line.sent) == 4


@pytest.mark.parametrize("told", [[], [NEWS], [QUESTION, NEWS]])
async def test_without_an_answer(told: list[object]) -> None:
    """A stream that ends without an answer ends with an error instead."""
    heard = await Line().play(STREAM, *map(piece, told), OVER)
    last = json.loads(heard.rstrip().rpartition("data: ")[2])
    assert (last["id"], last["error"]["code"]) == (7, CLOSED)
    assert "initialize" in last["error"]["message"]


async def test_broken_off() -> None:
    """A stream that is broken off ends with the reason, and is over."""
    line = Line()
    await line.play(STREAM, piece(NEWS))
    await line.exchange.end("Because.", 503)
    assert b'"message": "Because."' in line.sent[-1]["body"]
    assert line.sent[-1]["more_body"] is False


async def test_not_begun() -> None:
    """Where nothing has gone back, a status and a body do."""
    line = Line()
    await line.exchange.end("Because.", 503)
    assert [each.get("status") for each in line.sent] == [503, None]
    assert json.loads(line.sent[1]["body"])["id"] == 7


async def test_not_even_asked() -> None:
    """Who is cut off before it is known what it wants hears why as well."""
    line = Line(Kind.NOTIFICATION, None)
    await line.exchange.end("Because.", 503)
    assert line.sent[0]["status"] == 503
    assert json.loads(line.sent[1]["body"])["id"] is None


async def test_no_stream() -> None:
    """What is no stream is an answer as it is."""
    plain = {**START, "headers": [(b"content-type", b"application/json")]}
    line = Line()
    assert await line.play(plain, OVER) == ""
    await line.exchange.end("why", 503)
    assert len(line.sent) == 2


async def test_hung_up() -> None:
    """Who has hung up is told nothing."""
    line = Line()
    await line.exchange.receive()
    await line.exchange.end("why", 503)
    assert line.sent == []


async def test_nothing_owed() -> None:
    """A notification is owed no answer."""
    line = Line(Kind.NOTIFICATION, None)
    assert await line.play(STREAM, OVER) == ""
    await line.exchange.end("why", 503)
    assert len(line.sent) == 2


async def test_broken_off_as_it_begins() -> None:
    """An answer that has begun has a beginning: no reason goes out without one."""
    line = Line()
    with trio.CancelScope() as scope:
        scope.cancel()
        await line.play(STREAM)
    await line.exchange.end("Because.", 503)
    assert [each["type"].rpartition(".")[2] for each in line.sent] == ["start", "body"]


async def test_last_piece() -> None:
    """The last piece goes out whole, though whoever sends it is called off when it hears of it."""
    scope = trio.CancelScope()
    sent: list[str] = []

    async def send(event: Event) -> None:
        scope.cancel()
        await trio.lowlevel.checkpoint()
        sent.append(event["type"])

    line = Line()
    exchange = Exchange(None, line.exchange.receive, send)
    with scope:
        await exchange.send(OVER)
    assert sent == ["http.response.body"]


@pytest.mark.parametrize(
    ("status", "said", "told"),
    [
        (
            404,
            b'{"error":{"code":-32600,"message":"Session not found"}}',
            "Session not found. Begin",
        ),
        (406, b"", "Not Acceptable. Send the header Accept: "),
        (503, b"no JSON", "Service Unavailable. End a session"),
    ],
)
async def test_refused(status: int, said: bytes, told: str) -> None:
    """A refusal carries the number of its request, and the next step, in a body of its length."""
    line = Line()
    start = {**START, "status": status, "headers": [(b"content-length", b"1"), (b"x", b"y")]}
    body = await line.play(start, {"type": "http.response.body", "body": said})
    headers = dict(line.sent[0]["headers"])
    assert (headers[b"content-length"], headers[b"x"]) == (b"%d" % len(body), b"y")
    assert json.loads(body)["id"] == 7
    assert json.loads(body)["error"]["message"].startswith(told)
    assert line.sent[0]["status"] == status


async def test_refused_in_its_own_words() -> None:
    """What already names its request, such as a method that is not there, stays as it is."""
    said = b'{"id":7,"error":{"code":-32601,"message":"Method not found","data":"x"}}'
    start = {**START, "status": 404, "headers": []}
    assert await Line().play(start, {"type": "http.response.body", "body": said}) == said.decode()


async def test_refused_without_a_number() -> None:
    """What is refused to nobody in particular stays as it is."""
    line = Line(Kind.NOTIFICATION, None)
    start = {**START, "status": 404, "headers": []}
    assert await line.play(start, {"type": "http.response.body", "body": b"x"}) == "x"
