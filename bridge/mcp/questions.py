"""Questions to the user behind a client: a form with one choice, and whoever waits for it.

With a handshake a question is a request of ours, which a client answers whenever its user does.
Like the calls of `early.py` it needs nothing of the SDK; a test holds it to what the SDK would ask.
"""

from typing import Any

import trio

from bridge import log
from bridge.mcp.envelope import Kind, Message, notification, request
from bridge.mcp.wire import Wire
from bridge.tools.answer import Question

_CHOICE = "choice"
_TITLED_SINCE = "2025-11-25"  # choices with titles of their own; before, a list beside the values
_OURS = "question-"  # what our ids begin with; the SDK's are numbers
_log = log.get("mcp")


def form_of(question: Question, version: str) -> dict[str, Any]:
    """What a client shows its user, as this version of the protocol says it."""
    choice: dict[str, Any] = {"type": "string", "title": "Your decision"}
    if version >= _TITLED_SINCE:
        choice["oneOf"] = [{"const": o, "title": label} for o, label in question.options]
    else:
        choice["enum"] = [option for option, _ in question.options]
        choice["enumNames"] = [label for _, label in question.options]
    schema = {"type": "object", "properties": {_CHOICE: choice}, "required": [_CHOICE]}
    return {"mode": "form", "message": question.message, "requestedSchema": schema}


def answer_in(action: object, content: object) -> str | None:
    """What was picked, if anything was."""
    if action != "accept" or not isinstance(content, dict):
        return None
    return str(content.get(_CHOICE))


def chosen(question: Question, answer: str | None) -> str | None:
    """The answer, if it is one of those that were offered."""
    return answer if answer in {option for option, _ in question.options} else None


class Questions:
    """Those to one client that a call of ours waits for."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._asked = 0
        self._waiting: dict[str, trio.MemorySendChannel[Message]] = {}

    async def ask(self, question: Question, version: str) -> str | None:
        """The id of the chosen option; None if declined, cancelled, or answered with nonsense."""
        await self._wire.room()
        self._asked += 1
        number = f"{_OURS}{self._asked}"
        self._wire.queue(request(number, "elicitation/create", form_of(question, version)))
        give, take = trio.open_memory_channel[Message](1)
        self._waiting[number] = give
        try:
            reply = await take.receive()
        except trio.Cancelled:
            gone = {"requestId": number, "reason": "caller cancelled"}
            self._wire.queue(notification("notifications/cancelled", gone))
            raise
        finally:
            del self._waiting[number]
        result = reply.body.get("result")
        if not isinstance(result, dict):
            _log.info("the client did not ask its user")
            return None
        return chosen(question, answer_in(result.get("action"), result.get("content")))

    def take(self, message: Message) -> bool:
        """Whether this answers a question of ours, if perhaps one that nobody asks any more."""
        number = message.body.get("id")
        if message.kind is not Kind.REPLY or not str(number).startswith(_OURS):
            return False
        if (waiting := self._waiting.get(str(number))) is not None:
            try:
                waiting.send_nowait(message)
            except trio.WouldBlock:
                _log.info("a question was answered twice")
        return True
