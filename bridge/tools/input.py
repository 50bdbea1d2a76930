"""Tools that act on a page as a person does, with mouse and keyboard."""

from typing import Annotated, Literal

from bridge.errors import UsageError
from bridge.page.drags import Point
from bridge.page.keys import BITS, parse_key
from bridge.page.scrolling import Way
from bridge.page.settling import Aftermath, Told
from bridge.page.target import Target
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.outcomes import told, unsent, which
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, quoted
from bridge.tools.schema import Held, Ref, Selector
from bridge.tools.targets import (
    WRITTEN,
    allow_frame,
    may_act,
    may_press,
    optional_target_of,
    target_of,
)

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
    hold_ms: Held = 0,
) -> Reply:
    """Click an element or a point of the viewport."""
    bits = sum(BITS[name] for name in set(modifiers))
    verb = _TIMES[click_count] if button == "left" else f"{_TIMES[click_count]} ({button} button)"
    verb += f" (held {hold_ms} ms)" if hold_ms else ""
    hold = hold_ms / 1000
    if x is not None or y is not None:
        point = _point(x, y, ref, selector)
        await _allow_at(ctx, *point)
        after = await ctx.tab.actions.click_at(
            *point, button, count=click_count, modifiers=bits, hold=hold
        )
        return await told(ctx, after, f"{verb} at {_at(point, after)}.")
    target = await target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.actions.click(
        target,
        button,
        count=click_count,
        modifiers=bits,
        hold=hold,
        admit=may_act(ctx),
    )
    return await told(ctx, after, *_clicked(verb, target, after))


_UNSEEN = (
    "The page was too busy to tell whether the press arrived: look at it before you click again."
)


def _clicked(verb: str, target: Target, after: Aftermath) -> list[str]:
    facts = after.told
    if not facts:  # the page was gone before it could tell
        return [f"{verb} {target.name}."]
    said = [f"{verb} {target.name}{which(facts['matches'])}.{_ticked(facts)}"]
    if facts["presses"] and facts["presses"] < facts["wanted"]:
        said.append(f"Only {facts['presses']} of {facts['wanted']} clicks arrived; it went away.")
    elif complaint := unsent(facts):
        said.append(complaint)
    elif facts.get("program"):
        address = quoted(facts["program"])
        said.append(f"It leads to {address}, which is for another program: that was not opened.")
    elif facts.get("taker"):
        said.append(
            f"It went to what is inside of it, {quoted(facts['taker'])}: no other part was free."
        )
    elif facts["presses"] and not facts["clicks"]:
        what = "moved, or was covered" if facts["there"] else "was replaced"
        when = "before the release" if after.changes else "between press and release"
        reacted = "reacted to the press, and " if after.changes else ""
        said.append(f"It {reacted}{what} {when}, so no click event followed.")
    elif facts["presses"] is None and not (
        facts.get("controls") or after.arrived or after.loading or after.turned
    ):
        said.append(_UNSEEN)
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
    """Move the mouse to an element or a point."""
    if x is not None or y is not None:
        point = _point(x, y, ref, selector)
        await _allow_at(ctx, *point)
        after = await ctx.tab.actions.hover_at(*point)
        return await told(ctx, after, f"The mouse is at {_at(point, after)}.")
    target = await target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.actions.hover(target, admit=may_act(ctx))
    return await told(
        ctx, after, f"The mouse is over {target.name}{which(after.told.get('matches', 1))}."
    )


@tool(effect=Effect.ACT)
async def press(
    ctx: ToolContext,
    key: Annotated[str, "Such as Enter, a, Control+A."],
    ref: Ref | None = None,
    selector: Selector | None = None,
    modifiers: list[Literal["Alt", "Control", "Meta", "Shift"]] = [],  # noqa: B006
) -> Reply:
    """Press a key in an element, or where the focus is."""
    stroke = parse_key(key, modifiers)
    target = await optional_target_of(ctx, ref, selector, Effect.ACT)
    after = await ctx.tab.fields.press(target, stroke, leave=may_press(ctx))
    where = f" in {target.name}{which(after.told.get('matches', 1))}" if target else ""
    said = f"Pressed {'+'.join([*stroke.held, _name(key)])}{where}."
    return await told(ctx, after, said, _arrival(after.told), unsent(after.told))


def _arrival(facts: Told) -> str:
    """Of a key that was not seen to come where it should."""
    if facts.get("heard") is False:
        return (
            "The page was not seen to get it: something of the browser's, or another frame, may "
            "have the keys."
        )
    astray = str(facts.get("astray") or "").removeprefix("- ")
    return f"It does not take the focus: the key went to {quoted(astray)}." if astray else ""


def _name(key: str) -> str:
    return key.rpartition("+")[2] or "+" if len(key) > 1 else key


def _point(
    x: float | None,
    y: float | None,
    ref: str | None,
    selector: str | None,
    names: tuple[str, str, str, str] = ("x", "y", "ref", "selector"),
) -> tuple[float, float]:
    if x is None or y is None or ref is not None or selector is not None:
        across, down, by_ref, by_selector = names
        raise UsageError(
            "BAD_ARGS",
            f"a point needs {across} and {down}, and neither {by_ref} nor {by_selector}",
            hint=f"Give one of: {by_ref}; {by_selector}; {across} and {down}.",
        )
    return x, y


def _at(point: tuple[float, float], after: Aftermath) -> str:
    line = str(after.told.get("line", "")).removeprefix("- ")
    return f"({point[0]:g}, {point[1]:g})" + (f": {quoted(line)}" if line else "")


async def _allow_at(ctx: ToolContext, x: float, y: float) -> None:
    """A frame below the point is a place of its own for the policy."""
    for frame in await ctx.tab.actions.frames_at(x, y):
        await allow_frame(ctx, Effect.ACT, frame)


@tool(effect=Effect.ACT, during_dialog=True, in_turn=False)
async def handle_dialog(
    ctx: ToolContext, action: Literal["accept", "dismiss"], prompt_text: str | None = None
) -> Reply:
    """Answer the open alert, confirm, prompt or beforeunload dialog."""
    accept = action == "accept"
    if prompt_text is not None and not accept:
        raise UsageError(
            "BAD_ARGS", "promptText goes with accept", hint="Leave it out, or accept the dialog."
        )
    await _allow_answer(ctx)
    after = await ctx.tab.answering.answer(accept=accept, text=prompt_text)
    return await told(ctx, after, f"{'Accepted' if accept else 'Dismissed'} the dialog.")


async def _allow_answer(ctx: ToolContext) -> None:
    """A dialog may be a frame's; once a user has been asked it may be another one."""
    asked, dialog = None, ctx.tab.dialogs.current
    while dialog is not None and dialog is not asked:
        asked = dialog
        frame = next((each for each in ctx.tab.frames if each.id == dialog.frame_id), None)
        if frame is not None:
            await allow_frame(ctx, Effect.ACT, frame)
        elif not dialog.url.startswith(WRITTEN):
            await ctx.allow(Effect.ACT, dialog.url)
        dialog = ctx.tab.dialogs.current


@tool(effect=Effect.ACT)
async def scroll(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    x: Annotated[float | None, "Position to go to."] = None,
    y: float | None = None,
    delta_x: float | None = None,
    delta_y: float | None = None,
) -> Reply:
    """Scroll to an element; with x, y or deltas the box around it, or the page."""
    target = await optional_target_of(ctx, ref, selector, Effect.ACT)
    way = Way(left=x, top=y, right=delta_x, down=delta_y)
    if target is None and way == Way():
        raise UsageError(
            "BAD_ARGS",
            "there is nowhere to scroll to",
            hint="Give an element (ref or selector), a position (x, y) or deltaX, deltaY.",
        )
    after = await ctx.tab.scrolling.scroll(target, way)
    return await told(ctx, after, _scrolled(target, after.told))


def _scrolled(target: Target | None, facts: Told) -> str:
    if not facts:
        return "Scrolled."
    where = f"({facts['left']}, {facts['top']}) of ({facts['mostLeft']}, {facts['mostTop']})"
    what = "The page" if facts["page"] else "A box of the page"
    if facts["toIt"] and target is not None:
        return f"{target.name}{which(facts['matches'])} is in view. {what} is at {where}."
    if facts["wheel"]:
        return "Nothing there scrolls by itself; the mouse wheel was turned over it."
    if not facts["moved"]:
        return f"It was there already. {what} is at {where}."
    return f"{what} is at {where}."


@tool(effect=Effect.ACT)
async def drag(
    ctx: ToolContext,
    from_ref: Ref | None = None,
    from_selector: Selector | None = None,
    from_x: float | None = None,
    from_y: float | None = None,
    to_ref: Ref | None = None,
    to_selector: Selector | None = None,
    to_x: float | None = None,
    to_y: float | None = None,
) -> Reply:
    """Drag from one element or point to another."""
    source = await _place(ctx, "from", from_ref, from_selector, from_x, from_y)
    destination = await _place(ctx, "to", to_ref, to_selector, to_x, to_y)
    after = await ctx.tab.drags.drag(source, destination, admit=may_act(ctx))
    refused = after.told.get("drop") == "none"
    way = f"{_place_name(source)} to {_place_name(destination)}"
    if after.told["unfinished"]:
        return await told(ctx, after, f"Began to drag {way}, which came to no end.")
    said = f"Dragged {way}."
    return await told(ctx, after, said, "The page did not take the drop." if refused else "")


async def _place(
    ctx: ToolContext,
    end: str,
    ref: str | None,
    selector: str | None,
    x: float | None,
    y: float | None,
) -> Target | Point:
    if x is None and y is None:
        names = (f"{end}Ref", f"{end}Selector")
        return await target_of(ctx, ref, selector, Effect.ACT, names=names)
    told_as = (f"{end}X", f"{end}Y", f"{end}Ref", f"{end}Selector")
    point = _point(x, y, ref, selector, told_as)
    await _allow_at(ctx, *point)
    return Point(*point)


def _place_name(place: Target | Point) -> str:
    return place.name if isinstance(place, Target) else f"({place.x:g}, {place.y:g})"
