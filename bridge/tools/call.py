"""The door: every call of every client comes through `call`, and nothing else runs a tool.

In this order: the tool, its arguments, the address it wants to go to, the tab, what the policy says
of the page, an open dialog, the turn, the deadline, the work; and afterwards whether the page is
still one that may be read. A refused call has done nothing. Whatever goes wrong comes back as code,
sentence and next step.
"""

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import trio

from bridge import log
from bridge.browser.tab import Tab
from bridge.errors import BridgeError, PageError, PolicyDenied, UsageError
from bridge.gate.fetch import Gate
from bridge.gate.refusals import Refusal
from bridge.page.bounds import bounded
from bridge.page.target import HINTS
from bridge.policy.rate import WINDOW, Rate
from bridge.policy.rules import Effect, Verdict
from bridge.scope import held
from bridge.timeouts import deadline, standing_still
from bridge.tools.answer import Answer, Caller, Card, Suspended
from bridge.tools.console import errors_since
from bridge.tools.context import ToolContext
from bridge.tools.desk import Desk
from bridge.tools.dialogs import in_the_way
from bridge.tools.documents import check_page
from bridge.tools.expired import with_candidates
from bridge.tools.guard import Guard
from bridge.tools.instructions import INSTRUCTIONS
from bridge.tools.newcomers import downloads_begun, newcomers
from bridge.tools.office import Office
from bridge.tools.registry import Tool
from bridge.tools.reply import Reply, address, render, reported
from bridge.tools.schema import nearest
from bridge.tools.secrets import Secrets
from bridge.tools.targets import bounds_of
from bridge.tools.toolsets import Toolsets

Note = Callable[[str, Mapping[str, Any], Caller, str, float], None]
"""Writes down a call that is over: name, arguments, client, code of its failure or "", seconds."""

_CUT_OFF = ("net::ERR_EMPTY_RESPONSE", "net::ERR_TUNNEL_CONNECTION_FAILED")
_OPENING = (Effect.ACT, Effect.EVAL, Effect.UPLOAD, Effect.DOWNLOAD)  # may have windows opened
_DRAWN = (Effect.ACT, Effect.EVAL)  # may wait for the page to be drawn
_LASTING = (Effect.NAVIGATE, Effect.ACT, Effect.EVAL)
_OTHERS = "browser_"  # what other servers begin the same names with, and models remember
_log = log.get("tools")


class Tools:
    """The door of one server; see `bridge.tools.answer.Door`."""

    def __init__(
        self,
        office: Office,
        guard: Guard,
        toolsets: Toolsets,
        note: Note,
        *,
        secrets: Secrets | None = None,
        gate: Callable[[Tab], Gate] | None = None,
        rate: Rate | None = None,
    ) -> None:
        self._office = office
        self._guard = guard
        self._toolsets = toolsets
        self._note = note  # the audit
        self._secrets = secrets or Secrets()
        self._gate = gate
        self._rate = rate or Rate()

    @property
    def instructions(self) -> str:
        return INSTRUCTIONS

    async def cards(self, *, can_ask: bool) -> list[Card]:
        return [
            self._toolsets.card(tool)
            for tool in self._toolsets.enabled()
            if self._guard.possible(tool.effect, can_ask=can_ask)
        ]

    async def ready(self, name: str, arguments: object) -> None:
        """They are."""
        await trio.lowlevel.checkpoint_if_cancelled()

    def expect(self, name: str) -> None:
        """A call of this tool is on its way; what it certainly needs may start."""
        tool = self._toolsets.find(name)
        if tool is not None and tool.effect is not Effect.LOCAL and self._guard.policy.visited:
            self._office.lifecycle.expect()

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        started = trio.current_time()
        desk = self._office.desk(caller.id)
        code = ""
        try:
            answer = await self._call(name, arguments, caller, desk)
        except BridgeError as failure:
            code = failure.code
            if not failure.hint:
                usage = code == "BAD_ARGS"
                failure.hint = self._find(name).arguments.usage if usage else HINTS.get(code, "")
            told = [*self._first(desk), self._report(failure, desk)]
            answer = Answer(text="\n".join(told), is_error=True)
        except Suspended:
            raise
        except Exception as bug:  # noqa: BLE001 -- the border to a client: it gets an answer
            _log.exception("%s failed", name)
            code = "INTERNAL"
            answer = Answer(text=_fault(name, bug), is_error=True)
        except BaseException:  # taken back, or the client is gone: what was done is done
            self._note(name, arguments, caller, "CANCELLED", trio.current_time() - started)
            raise
        self._note(name, arguments, caller, code, trio.current_time() - started)
        return replace(answer, text=self._secrets.scrub(answer.text))

    async def leave(self, client: str) -> None:
        """A client has gone; what goes wrong then is nobody's but ours."""
        try:
            await self._office.leave(client)
        except Exception:  # noqa: BLE001 -- one that has gone must not end what serves the others
            _log.exception("what a client had is not put away")

    async def _call(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, desk: Desk
    ) -> Answer:
        tool = self._find(name)
        values = tool.arguments.read(arguments)
        tab_id = values.pop("tab_id", None) if tool.tab else None

        limit: trio.CancelScope | None = None

        async def allow(effect: Effect, url: str) -> None:
            with standing_still(limit):  # the user may be asked
                await self._guard.check(effect, url, caller)

        async with AsyncExitStack() as stack:
            if tool.effect is not Effect.LOCAL:
                stack.enter_context(self._counted())
            for url in tool.destinations(values):
                await allow(Effect.NAVIGATE, url)
            if not tool.patient:
                limit = stack.enter_context(deadline(desk.timeouts, "tool", tool.name))
            tab = await self._tab(desk, tool, tab_id, allow) if tool.tab else None
            if tab is not None and tool.effect is not Effect.READ and tool.in_turn:
                await stack.enter_async_context(held(desk.turn(tab)))
                desk.check(tab)
                await self._admit(tool, tab, allow)  # whose turn it was may have led elsewhere
            if tab is not None:
                stack.enter_context(bounded(bounds_of(tab, tool.effect, self._guard.still)))
            if tab is not None and tool.effect in _DRAWN:
                await stack.enter_async_context(desk.facing(tab))
            context = self._context(desk, caller, allow, tab)
            reply = await self._run(tool, context, self._secrets.fill(tool.name, values))
            if tab is not None:
                self._check_again(tool, tab, reply)
                if tool.effect in (Effect.NAVIGATE, Effect.ACT):
                    tab.warm()
            return render(reply, self._first(desk))

    def _first(self, desk: Desk) -> list[str]:
        """What an answer says before anything else."""
        readable = self._guard.readable
        return [*desk.take_notes(), *newcomers(desk, readable), *downloads_begun(desk, readable)]

    def _context(
        self,
        desk: Desk,
        caller: Caller,
        allow: Callable[[Effect, str], Awaitable[None]],
        tab: Tab | None,
    ) -> ToolContext:
        return ToolContext(
            desk=desk,
            caller=caller,
            allow=allow,
            readable=self._guard.readable,
            permits=self._guard.permits,
            limited=self._guard.limits,
            offer=self._toolsets,
            again=lambda name, arguments: self.call(name, arguments, caller),
            opened=tab,
            uploads_dir=self._guard.policy.uploads_dir,
        )

    async def _run(self, tool: Tool, context: ToolContext, values: dict[str, Any]) -> Reply:
        """The work; what it led to in the console, and where the gate was in its way, is added."""
        before = context.tab.console.count if tool.effect is Effect.ACT and tool.tab else None
        try:
            async with self._watch(tool, context.opened):
                reply = await self._work(tool, context, values)
        except PageError as error:
            tab = error.facts.pop("went", context.opened)  # a tool that opened one
            pages = [each for each in self._refused(tab) if each.kind == "Document"]
            if error.code == "NAVIGATION_FAILED" and pages:
                raise _astray(pages[-1], context.caller) from error
            if why := self._unreached(tab, error):
                told = f"{error.message}, for there was no connection: {why}"
                raise PageError(error.code, told, hint=error.hint, facts=error.facts) from error
            raise
        if before is not None and (errors := errors_since(context, before)):
            reply = replace(reply, more=f"{reply.more}\n{errors}".strip())
        if refused := self._refused(context.opened):
            told = ", ".join(f"{each.count} to {each.host} ({each.kind})" for each in refused[:5])
            more = f" and {len(refused) - 5} more kinds" if len(refused) > 5 else ""
            said = f"Requests of the page that the policy refused: {told}{more}."
            reply = replace(reply, more=f"{reply.more}\n{said}".strip())
        return reply

    def _watch(self, tool: Tool, tab: Tab | None) -> AbstractAsyncContextManager[None]:
        """The gate looks out for pop-ups while a page may open some."""
        if self._gate is None or tab is None or tool.effect not in _OPENING:
            return nullcontext()
        return self._gate(tab).acting()

    async def _work(self, tool: Tool, context: ToolContext, values: dict[str, Any]) -> Reply:
        """The work; if the call is taken back, what it has going in the page ends with it."""
        try:
            return await tool.run(context, values)
        except trio.Cancelled:
            tab = context.opened
            if tab is not None and tab.dialogs.current is None and tool.effect in _LASTING:
                with trio.move_on_after(context.timeouts.halt, shield=True):
                    await tab.navigation.stop()
            raise
        except UsageError as error:
            if error.code != "REF_EXPIRED" or context.opened is None:
                raise
            raise await with_candidates(context.opened, error) from error

    def _refused(self, tab: object) -> tuple[Refusal, ...]:
        if self._gate is None or not isinstance(tab, Tab):
            return ()
        return self._gate(tab).refusals.take(tab.target_id)

    def _unreached(self, tab: object, error: PageError) -> str:
        """What Chrome cannot know behind our proxy, which is cut off instead of an answer."""
        if self._gate is None or not isinstance(tab, Tab) or error.code != "NAVIGATION_FAILED":
            return ""
        by_proxy = error.facts.get("reason") in _CUT_OFF
        return self._gate(tab).unreached(str(error.facts["url"])) if by_proxy else ""

    async def _tab(self, desk: Desk, tool: Tool, tab_id: str | None, allow: Any) -> Tab:
        going = tool.effect is Effect.NAVIGATE
        tab = await desk.tab(tab_id, fresh=going)
        await self._admit(tool, tab, allow)
        if not tool.during_dialog:
            tab.dialogs.check()
        if tab.crashed and not going:
            await tab.reload()
            desk.notes.append(f"Note: the page of {tab.id} had crashed and was loaded again.")
        return tab

    async def _admit(self, tool: Tool, tab: Tab, allow: Any) -> None:
        """What the policy says of the page; of the one that is there once a user has answered."""
        asked = ""
        while tool.effect is not Effect.NAVIGATE and asked != tab.place:
            asked = tab.place
            if tool.effect in _OPENING:
                check_page(tab, self._guard.readable)
            await allow(tool.effect, asked)

    def _check_again(self, tool: Tool, tab: Tab, reply: Reply) -> None:
        """The page may have gone elsewhere while we were looking at it."""
        if tool.effect is Effect.LOCAL or not (reply.page or reply.images or reply.said):
            return
        if not self._guard.readable(tab.place):
            raise PolicyDenied(
                "POLICY_DENIED",
                "the page is now at an address that may not be read; what it says is withheld",
                hint="Go back, or navigate to an allowed address.",
                facts={"done": True},
            )

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """As many as the owner allows; one that comes again with an answer has not begun yet."""
        now = trio.current_time()
        if seconds := math.ceil(self._rate.wait(now)):
            raise PolicyDenied(
                "RATE_LIMITED",
                f"as many calls were made as the owner allows: {self._rate.most} in {WINDOW:g} s"
                " (--rate-limit)",
                hint=f"Nothing was done. Call again in {seconds} s, or ask the user.",
                retryable=True,
                facts={"seconds": seconds},
            )
        try:
            yield
        except Suspended:
            self._rate.take_back(now)
            raise

    def _find(self, name: str) -> Tool:
        tool = self._toolsets.find(name)
        if tool is not None:
            return tool
        names = [each.name for each in self._toolsets.enabled()]
        meant = nearest(name.removeprefix(_OTHERS), names)
        hint = f"Did you mean {meant}? " if meant else ""
        raise UsageError(
            "UNKNOWN_TOOL",
            f"there is no tool {name[:100]!r}",
            hint=f"{hint}{self._toolsets.where(name)}",
        )

    def _report(self, failure: BridgeError, desk: Desk) -> str:
        """What went wrong; of a dialog also what it says, where that may be read."""
        if failure.code == "DIALOG_OPEN":
            return in_the_way(failure, desk.tabs, self._guard.readable)
        going = str(failure.facts.get("going", ""))
        said = reported(failure)
        if going and not self._guard.readable(going):
            return said.replace(address(going), "an address the policy does not show")
        return said


def _astray(refused: Refusal, caller: Caller) -> PolicyDenied:
    """A navigation that was let go, and then led to where it may not."""
    never = "not" if refused.flag else "never"
    reason = f"the way leads to {refused.host}, which is {never} allowed"
    error = Verdict(False, reason, refused.flag, refused.host).error()
    if refused.flag and caller.can_ask:  # it was refused on its way, when nobody could be asked
        error.hint = f"Navigate to {refused.host} itself, and the user is asked. {error.hint}"
    return error


def _fault(name: str, bug: Exception) -> str:
    return (
        f"INTERNAL: {type(bug).__name__} in {name}\n"
        "This is a fault of the server, which has logged it; try another way."
    )
