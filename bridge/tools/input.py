"""Tools that act on a page as a person does, with mouse and keyboard."""

from typing import Annotated, Literal

from bridge.errors import UsageError
from bridge.page.keys import BITS, parse_key
from bridge.page.settling import Aftermath, Told, not_actionable
from bridge.page.target import Target
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.outcomes import told, which
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, quoted
from bridge.tools.schema import Ref, Selector
from bridge.tools.targets import allow_frame, optional_target_of, target_of

_TIMES = {1: "Clicked", 2: "Double-clicked", 3: "Triple-clicked"}


@tool(effect=Effect.ACT)
async def click(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    x: float | None = None,
    y: float | None = None,
    button: Literal["left", "right", "middle"] = "left",
    click_count: Literal[1, 2, 3] = 1,
    modifiers: list[Literal["Alt", "Control", "Meta", "Shift"]] = [],  # noqa: B006
) -> Reply:
    """Click an element, or a point of the viewport."""
    bits = sum(BITS[name] for name in set(modifiers))
    verb = _TIMES[click_count] if button == "left" else f"{_TIMES[click_count]} ({button} button)"
    if x is not None or y is not None:
        point = _point(x, y, ref, selector)
        await _allow_at(ctx, *point)
        after = await ctx.tab.actions.click_at(*point, button, count=click_count, modifiers=bits)
        return await told(ctx, after, f"{verb} at {_at(point, after)}.")
    target = await target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.actions.click(target, button, count=click_count, modifiers=bits)
    return await told(ctx, after, *_clicked(verb, target, after))


def _clicked(verb: str, target: Target, after: Aftermath) -> list[str]:
    facts = after.told
    if not facts:  # the page was gone before it could tell
        return [f"{verb} {target.name}."]
    said = [f"{verb} {target.name}{which(facts['matches'])}.{_ticked(facts)}"]
    if facts["presses"] and facts["presses"] < facts["wanted"]:
        said.append(f"Only {facts['presses']} of {facts['wanted']} clicks arrived; it went away.")
    elif facts["presses"] and not facts["clicks"] and not facts["there"]:
        said.append("It was replaced between press and release, so no click event followed.")
    return said


def _ticked(facts: Told) -> str:
    now, before = facts.get("checked"), facts.get("was_checked")
    if now is None or before is None:
        return ""
    still = " still" if now == before else " now"
    return f" It is{still} {'checked' if now else 'unchecked'}."


@tool(effect=Effect.ACT)
async def hover(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    x: float | None = None,
    y: float | None = None,
) -> Reply:
    """Move the mouse over an element, or to a point of the viewport."""
    if x is not None or y is not None:
        point = _point(x, y, ref, selector)
        await _allow_at(ctx, *point)
        after = await ctx.tab.actions.hover_at(*point)
        return await told(ctx, after, f"The mouse is at {_at(point, after)}.")
    target = await target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.actions.hover(target)
    return await told(
        ctx, after, f"The mouse is over {target.name}{which(after.told.get('matches', 1))}."
    )


@tool(effect=Effect.ACT, name="type")
async def type_(
    ctx: ToolContext,
    text: str,
    ref: Ref | None = None,
    selector: Selector | None = None,
    clear: Annotated[bool, "Replace what is there."] = False,
    press_enter: bool = False,
    key_events: Annotated[bool, "Key by key."] = False,
) -> Reply:
    """Type into a field, or into what has the focus."""
    target = await optional_target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.fields.type(
        target, text, clear=clear, enter=press_enter, key_events=key_events
    )
    enter = " and pressed Enter" if press_enter else ""
    name = target.name if target is not None else "what has the focus"
    return await told(ctx, after, _typed(text, name, enter, after))


def _typed(text: str, name: str, enter: str, after: Aftermath) -> str:
    facts = after.told
    done = f"Typed into {name}{which(facts.get('matches', 1))}{enter}."
    if not facts.get("there", False):
        return done
    if facts["exact"]:
        return done
    holds = _holds(facts)
    if facts["unchanged"]:
        raise not_actionable(f"{name}: it did not take the text and {holds}", delivered=True)
    return f"{done} It does not hold the text as given: it {holds}."


def _holds(facts: Told) -> str:
    limit = f" (at most {facts['limit']})" if facts["limit"] is not None else ""
    if facts["value"] is None:
        return f"holds {facts['length']} characters{limit}"
    form = f" (wants the form {facts['form']})" if facts["form"] else ""
    return f"holds {quoted(facts['value'])}{limit}{form}"


@tool(effect=Effect.ACT)
async def press(
    ctx: ToolContext,
    key: Annotated[str, "Such as Enter, a, Control+A."],
    ref: Ref | None = None,
    selector: Selector | None = None,
    modifiers: list[Literal["Alt", "Control", "Meta", "Shift"]] = [],  # noqa: B006
) -> Reply:
    """Press a key, in an element or in what has the focus."""
    stroke = parse_key(key, modifiers)
    target = await optional_target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.fields.press(target, stroke)
    where = f" in {target.name}{which(after.told.get('matches', 1))}" if target else ""
    return await told(ctx, after, f"Pressed {'+'.join([*stroke.held, _name(key)])}{where}.")


def _name(key: str) -> str:
    return key.rpartition("+")[2] or "+" if len(key) > 1 else key


def _point(
    x: float | None, y: float | None, ref: str | None, selector: str | None
) -> tuple[float, float]:
    if x is None or y is None or ref is not None or selector is not None:
        raise UsageError(
            "BAD_ARGS",
            "a point needs x and y, and neither ref nor selector",
            hint="Give one of: ref; selector; x and y.",
        )
    return x, y


def _at(point: tuple[float, float], after: Aftermath) -> str:
    line = str(after.told.get("line", "")).removeprefix("- ")
    return f"({point[0]:g}, {point[1]:g})" + (f": {line}" if line else "")


async def _allow_at(ctx: ToolContext, x: float, y: float) -> None:
    """A frame below the point is a place of its own for the policy."""
    for frame in await ctx.tab.actions.frames_at(x, y):
        await allow_frame(ctx, Effect.ACT, frame)


@tool(effect=Effect.ACT, during_dialog=True)
async def handle_dialog(
    ctx: ToolContext, action: Literal["accept", "dismiss"], prompt_text: str | None = None
) -> Reply:
    """Answer the open alert, confirm, prompt or beforeunload dialog."""
    accept = action == "accept"
    if prompt_text is not None and not accept:
        raise UsageError(
            "BAD_ARGS", "promptText goes with accept", hint="Leave it out, or accept the dialog."
        )
    after = await ctx.tab.answering.answer(accept=accept, text=prompt_text)
    return await told(ctx, after, f"{'Accepted' if accept else 'Dismissed'} the dialog.")


@tool(effect=Effect.ACT)
async def select_option(
    ctx: ToolContext,
    values: Annotated[list[str], "Values or labels."],
    ref: Ref | None = None,
    selector: Selector | None = None,
) -> Reply:
    """Select options of a <select>; for other lists click the list and the option."""
    target = await target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.fields.choose(target, values)
    facts = after.told
    selected = ", ".join(quoted(each) for each in facts["selected"][:20]) or "nothing"
    if not facts["kept"]:
        raise not_actionable(
            f"{target.name}: the page did not keep the choice; selected is {selected}",
            delivered=True,
        )
    kept = "" if facts["changed"] else " already"
    return await told(
        ctx, after, f"Selected in {target.name}{which(facts['matches'])}{kept}: {selected}."
    )
