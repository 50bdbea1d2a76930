"""Questions to a client's user before the SDK is there are the SDK's, and their answers arrive."""

import json
from typing import Any

import pytest
import trio
import trio.testing

from bridge.mcp.envelope import Message, read
from bridge.mcp.hello import VERSIONS
from bridge.mcp.questions import Questions
from bridge.mcp.wire import open_wire
from bridge.timeouts import Timeouts
from tests.bridge.mcp.test_early import Sink, call
from tests.bridge.mcp.test_hello import INITIALIZED, attended, handshake, line, sdk_says
from tests.support.toy_door import MAY

FORM: dict[str, Any] = {"elicitation": {}}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("asks", [{}, {"form": {}}, {"form": {}, "url": {}}])
async def test_question(version: str, asks: dict[str, Any]) -> None:
    """A user is asked what the SDK would ask, and an answer reaches the call."""
    first, asked = (
        handshake(protocolVersion=version, capabilities={"elicitation": asks}),
        call("ask"),
    )
    picked = reply_to("question-1", {"action": "accept", "content": {"choice": "once"}})
    got, hello = await attended(line(first), INITIALIZED, line(asked), picked)
    _, question, answer = got
    assert {**question, "id": 0} == {**await sdk_says(first, asked), "id": 0}
    assert answer["result"]["content"][0]["text"] == "chose once"
    assert [each.method for each in hello.heard] == ["initialize", "notifications/initialized"]


def reply_to(number: object, result: object, member: str = "result") -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, member: result}).encode()


@pytest.mark.parametrize(
    "given",
    [
        reply_to("question-1", {"action": "decline"}),
        reply_to("question-1", {"action": "cancel", "content": {"choice": "once"}}),
        reply_to("question-1", {"action": "accept"}),
        reply_to("question-1", {"action": "accept", "content": {"choice": "another"}}),
        reply_to("question-1", {"action": "accept", "content": {"choice": ["once"]}}),
        reply_to("question-1", {"action": "accept", "content": ["choice"]}),
        reply_to("question-1", {"code": -32603, "message": "no"}, "error"),
        reply_to("question-1", {"code": "no"}, "error"),
        reply_to("question-1", None),
    ],
)
async def test_no_choice(given: bytes) -> None:
    """Whatever is not one of the options is none."""
    first = handshake(capabilities=FORM)
    again = reply_to("question-1", {"action": "accept", "content": {"choice": "once"}})
    got, _ = await attended(line(first), line(call("ask")), given, again)
    assert got[-1]["result"]["content"][0]["text"] == "chose None"


async def test_only_by_address() -> None:
    """A client that only opens addresses for its user cannot show a form."""
    first = handshake(capabilities={"elicitation": {"url": {}}})
    got, _ = await attended(line(first), line(call("ask")))
    assert got[-1]["result"]["content"][0]["text"] == "chose None"


def told(number: object, choice: str) -> Message:
    """The reply of a user who picked this."""
    content = {"action": "accept", "content": {"choice": choice}}
    (found,) = read(reply_to(number, content))
    assert isinstance(found, Message)
    return found


async def test_taken_back() -> None:
    """A question of a call that was cancelled is taken back; a late answer to it is nobody's."""
    sink = Sink()
    async with open_wire(sink, sink, Timeouts()) as wire, trio.open_nursery() as nursery:
        questions = Questions(wire)
        nursery.start_soon(questions.ask, MAY, "2025-11-25")
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.testing.wait_all_tasks_blocked()
        question, back = sink.got
        assert back["method"] == "notifications/cancelled"
        assert back["params"]["requestId"] == question["id"]
        assert questions.take(told(question["id"], "once"))
        assert not questions.take(told(3, "once"))


async def test_answered_twice() -> None:
    """The first answer to a question counts."""
    sink, chosen = Sink(), list[str | None]()

    async def ask() -> None:
        chosen.append(await questions.ask(MAY, "2025-11-25"))

    async with open_wire(sink, sink, Timeouts()) as wire, trio.open_nursery() as nursery:
        questions = Questions(wire)
        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        (question,) = sink.got
        assert questions.take(told(question["id"], "once"))
        assert questions.take(told(question["id"], "no"))
    assert chosen == ["once"]
