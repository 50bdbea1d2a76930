"""The tool that runs a caller's script in a page."""

import json
import re
from typing import Annotated

from bridge.errors import ChromeError, UsageError
from bridge.page.target import Target
from bridge.policy.rules import Effect
from bridge.tools.budget import TEXT
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply
from bridge.tools.schema import Ref, Selector
from bridge.tools.targets import optional_target_of

LARGEST = 256 * 1024
"""Bytes of a value; what is beyond is left out, and said to be."""

_NO_FORM = (
    "{} also stands for what JSON has no form for: a function (call it), an element, a date, a map."
)
_ARROW = re.compile(r"\s*(async\b\s*)?(\([^()]*\)|[\w$]+)\s*=>")


@tool(effect=Effect.EVAL)
async def eval_(
    ctx: ToolContext,
    expression: Annotated[str, "With ref or selector: a function of the element."],
    ref: Ref | None = None,
    selector: Selector | None = None,
    await_promise: bool = True,
) -> Reply:
    """Run JavaScript in the page; the answer is its value as JSON."""
    target = await optional_target_of(ctx, ref, selector, Effect.EVAL)
    scripts = ctx.tab.scripts
    if target is None:
        value = await scripts.evaluate(expression, await_promise=await_promise)
        if value == {} and _ARROW.match(expression):  # a function, as other servers take scripts
            called = f"({expression.strip().rstrip(';')}\n)()"
            value = await scripts.evaluate(called, await_promise=await_promise)
    else:
        value = await _evaluate_on(ctx, target, expression, await_promise)
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    kept = text.encode()[:LARGEST].decode(errors="ignore")
    more = _NO_FORM if value == {} else ""
    if len(kept) < len(text):
        kept, long = f"{kept}…", len(kept)  # marked: half a secret looks like none
        shown = f"the value has {len(text):,} characters, the first {long:,} are kept"
        more = f"truncated: true; {shown}"
    return ctx.desk.readings.begin(kept, source=ctx.tab.url, tokens=TEXT, more=more)


async def _evaluate_on(
    ctx: ToolContext, target: Target, function: str, await_promise: bool
) -> object:
    worlds = ctx.tab.worlds
    with target.named():
        await worlds.call(target.frame, "choose", target.wanted)
        element = await worlds.hold(target.frame, "chosen", target.wanted)
    try:
        return await ctx.tab.scripts.evaluate_on(
            target.frame, element, function, await_promise=await_promise
        )
    except ChromeError as error:
        if "does not evaluate to a function" not in error.message:
            raise
        raise UsageError(
            "BAD_ARGS",
            "with ref or selector the expression has to be a function",
            hint="For example: (element) => element.textContent",
        ) from error
