"""Several calls in one: each through the same door, as if it had come by itself."""

from collections.abc import Mapping
from typing import Annotated, Any

import trio

from bridge.errors import UsageError
from bridge.policy.rules import Effect
from bridge.tools.answer import Answer, Image, Suspended
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, counted

MOST = 50
"""Calls in a batch."""

_ABREAST = 6
_MOST_ABREAST = 16
_ROOM = 64_000  # characters of all answers; what has no room any more is only counted
_IMAGES = 5


class _Batch:
    def __init__(self, ctx: ToolContext, calls: list[tuple[str, dict[str, Any]]]) -> None:
        self._ctx = ctx
        self._calls = calls
        self._stopped = False
        self.begun = 0
        self.answers: list[Answer | None] = [None] * len(calls)

    async def work(self, *, stop_on_error: bool) -> None:
        """Take one call after the other, until there are none left."""
        while self.begun < len(self._calls) and not self._stopped:
            index, self.begun = self.begun, self.begun + 1
            answer = self.answers[index] = await self._call(*self._calls[index])
            self._stopped = self._stopped or (stop_on_error and answer.is_error)
            done = sum(each is not None for each in self.answers)
            await self._ctx.caller.progress(done, len(self._calls), f"{counted(done, 'call')} done")

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        try:
            return await self._ctx.again(name, arguments)
        except Suspended:
            why = "POLICY_DENIED: the user has to be asked first\nMake this call by itself."
            return Answer(text=why, is_error=True)


@tool(effect=Effect.LOCAL, toolset="page", tab=False, patient=True, destructive=True)
async def batch(
    ctx: ToolContext,
    calls: Annotated[list[dict[str, Any]], '{"tool": …, "arguments": {…}}, up to 50.'],
    parallel: Annotated[bool | int, "How many at once; true: 6."] = False,
    stop_on_error: bool = False,
) -> Reply:
    """Make several calls, one after the other or in parallel (each with its tabId then)."""
    abreast = _abreast(parallel)
    todo = [_read(ctx, number, call, abreast) for number, call in enumerate(calls, 1)]
    if not 1 <= len(todo) <= MOST:
        raise _bad(f"calls: a batch has 1 to {MOST} calls, not {len(todo)}")
    job = _Batch(ctx, todo)
    with trio.move_on_after(ctx.timeouts.batch):
        async with trio.open_nursery() as nursery:
            for _ in range(min(abreast, len(todo))):
                nursery.start_soon(lambda: job.work(stop_on_error=stop_on_error))
    return _reply([name for name, _ in todo], job.answers, job.begun)


def _abreast(parallel: bool | int) -> int:
    if isinstance(parallel, bool):
        return _ABREAST if parallel else 1
    if not 1 <= parallel <= _MOST_ABREAST:
        raise _bad(f"parallel: it is a number from 1 to {_MOST_ABREAST}")
    return parallel


def _read(
    ctx: ToolContext, number: int, call: Mapping[str, Any], abreast: int
) -> tuple[str, dict[str, Any]]:
    """One of the calls; nothing is begun before all of them are well-formed."""
    name, arguments = call.get("tool"), call.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict) or set(call) - _KEYS:
        raise _bad(f'calls: number {number} is not {{"tool": …, "arguments": {{…}}}}')
    known = ctx.offer.find(name)
    if known is not None and known.function is batch:
        raise _bad(f"calls: number {number} is a batch itself")
    if abreast > 1 and known is not None and known.tab and "tabId" not in arguments:
        raise _bad(f"calls: number {number} ({name}) needs a tabId to run beside others")
    return name, arguments


_KEYS = {"tool", "arguments"}
_CUT_OFF = "begun, and cut off with the batch: look at the page before you make it again"


def _reply(names: list[str], answers: list[Answer | None], begun: int) -> Reply:
    parts, room = [], _ROOM
    images: list[Image] = []
    for number, (name, answer) in enumerate(zip(names, answers, strict=True), 1):
        if answer is None:
            parts.append(f"{number} {name[:100]}: {_CUT_OFF if number <= begun else 'not made'}")
            continue
        outcome = "failed" if answer.is_error else "done"
        text = answer.text
        if len(text) <= room:
            room -= len(text)
        else:  # and what comes behind it may have some
            text = f"({len(text)} characters, no room for them)"
        parts.append(f"{number} {name[:100]}: {outcome}\n{text}")
        shown = answer.images[: _IMAGES - len(images)]
        if len(shown) < len(answer.images):
            parts.append(f"(no room for its picture: a batch shows {_IMAGES})")
        images += shown
    return Reply(said="\n".join(parts), images=tuple(images))


def _bad(why: str) -> UsageError:
    return UsageError("BAD_ARGS", why, hint="Nothing of the batch was begun.")
