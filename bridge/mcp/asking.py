"""The client behind one call: progress to it, questions to its user, in both eras of the protocol.

With a handshake (up to 2025-11-25) a question is a request of ours, and the call waits. Since
2026-07-28 there are no such requests: the call ends with the question as its result and comes again
with the answer. So `ask` suspends the call, which has done nothing yet (the door asks first and
acts then), and when it comes again everything runs as before up to the same question, whose answer
is there by now. Answers are found by what was asked: no other question can ever be given them.
"""

import json
from hashlib import sha256
from typing import Any

import mcp_types as types
import trio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from bridge import log
from bridge.mcp.audience import Audience
from bridge.mcp.questions import answer_in, chosen, form_of
from bridge.tools.answer import Question, Suspended

_log = log.get("mcp")
Context = ServerRequestContext[Any, Any]


def can_ask(context: Context) -> bool:
    """Whether a question would reach a user."""
    offered = context.session.client_capabilities
    if offered is None or offered.elicitation is None:
        return False
    if offered.elicitation.url is not None and offered.elicitation.form is None:
        return False
    return context.session.can_send_request or not _has_handshake(context)


def _has_handshake(context: Context) -> bool:
    return context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS


class Client:
    """One call's `Caller`."""

    def __init__(
        self, context: Context, params: types.CallToolRequestParams, audience: Audience
    ) -> None:
        self._context = context
        self._audience = audience
        self._answers = _answers(params)

    @property
    def id(self) -> str:
        """Over HTTP its session, or where there are none what it calls itself."""
        headers = getattr(self._context.request, "headers", None)
        return "" if headers is None else headers.get("mcp-session-id") or self.name

    @property
    def name(self) -> str:
        """What the client calls itself."""
        known = self._context.session.client_params
        return known.client_info.name if known is not None else ""

    @property
    def can_ask(self) -> bool:
        """Whether its user can be asked."""
        return can_ask(self._context)

    async def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell how far the call is, if the client wants to know."""
        await self._context.session.report_progress(done, total, message)

    async def tools_changed(self) -> None:
        """Tell everybody connected to list the tools again."""
        await self._audience.tools_changed()

    async def ask(self, question: Question) -> str | None:
        """The id of the chosen option; None if declined, cancelled, or answered with nonsense."""
        if not self.can_ask:
            await trio.lowlevel.checkpoint()
            return None
        if _has_handshake(self._context):
            return await self._elicit(question)
        key = _key(question)
        if key in self._answers:
            await trio.lowlevel.checkpoint()
            return chosen(question, self._answers[key])
        raise Suspended(question)

    def suspended(self, question: Question) -> types.InputRequiredResult:
        """The result of a call that comes again with the answer to this."""
        return types.InputRequiredResult(
            input_requests={_key(question): types.ElicitRequest(params=self._form(question))},
            request_state=json.dumps(self._answers),
        )

    async def _elicit(self, question: Question) -> str | None:
        form = self._form(question)
        try:
            result = await self._context.session.elicit_form(
                form.message, form.requested_schema, related_request_id=self._context.request_id
            )
        except (MCPError, ValidationError) as error:
            _log.info("the client did not ask its user: %s", type(error).__name__)
            return None
        return chosen(question, answer_in(result.action, result.content))

    def _form(self, question: Question) -> types.ElicitRequestFormParams:
        return types.ElicitRequestFormParams.model_validate(
            form_of(question, self._context.protocol_version)
        )


def _key(question: Question) -> str:
    asked = json.dumps([question.message, question.options])
    return sha256(asked.encode()).hexdigest()[:16]


def _answers(params: types.CallToolRequestParams) -> dict[str, str | None]:
    """What the user has answered so far in this call, this time and before."""
    known: dict[str, str | None] = {}
    try:
        before = json.loads(params.request_state or "{}")
    except ValueError:
        before = {}
    if isinstance(before, dict):
        known.update({k: v for k, v in before.items() if isinstance(v, str | None)})
    for key, response in (params.input_responses or {}).items():
        if isinstance(response, types.ElicitResult):
            known[key] = answer_in(response.action, response.content)
    return known
