"""Tools for a closer look at the elements of a page."""

import json
from typing import Annotated, Any

from bridge.errors import BridgeError
from bridge.page.outline import filtered
from bridge.page.parts import Part
from bridge.page.stitch import origin_of
from bridge.page.target import Target
from bridge.policy.rules import Effect
from bridge.tools.budget import LISTING
from bridge.tools.context import ToolContext
from bridge.tools.documents import remark
from bridge.tools.read import addresses_in, readable_in
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, counted
from bridge.tools.schema import Limit, Ref, Selector
from bridge.tools.targets import frame_is_readable, optional_target_of, target_of

_SET = "dom"
_BOX = ("x", "y", "width", "height")  # named one by one: the extension sorts what a page answers


@tool(effect=Effect.READ, toolset=_SET)
async def query_dom(ctx: ToolContext, selector: Selector, limit: Limit = 10) -> Reply:
    """List elements a selector matches: ref, tag, id, class, text."""
    parts = await _in_all_frames(ctx, selector, "query", limit)
    count = sum(part["count"] for part in parts)
    elements = [element for part in parts for element in part["elements"]][:limit]
    first = f", the first {limit}:" if count > len(elements) else ""
    return _listing(ctx, "\n".join(map(_json, elements)), counted(count, "match") + first)


@tool(effect=Effect.READ, toolset=_SET)
async def get_visible_text(
    ctx: ToolContext, selector: Selector | None = None, max_length: Limit = 5_000
) -> Reply:
    """Read what a person sees, up to a number of characters."""
    target = await optional_target_of(ctx, None, selector)
    read = await ctx.tab.texts.text(target, readable_in(ctx))
    text = ctx.desk.readings.scrub(read.text)
    left = len(text) - max_length
    more = f"… cut: {counted(left, 'more character')}; get_text reads on." if left > 0 else ""
    shown = text[:max_length]
    return Reply(
        said=remark(ctx.tab, ctx.readable)
        or ("" if shown.strip() else "There is no visible text."),
        page=shown.strip("\n"),
        source=ctx.tab.url,
        more=f"{more}\n{read.notes}".strip(),
    )


@tool(effect=Effect.READ, toolset=_SET)
async def get_computed_styles(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    properties: Annotated[list[str], "CSS names; nine common ones if empty."] = [],  # noqa: B006
) -> Reply:
    """Read computed styles of an element."""
    return await _facts(ctx, ref, selector, "styles", properties[:_MANY])


@tool(effect=Effect.READ, toolset=_SET)
async def check_visibility(
    ctx: ToolContext, ref: Ref | None = None, selector: Selector | None = None
) -> Reply:
    """Say whether an element exists, is visible, in the viewport, covered, and where."""
    target = await target_of(ctx, ref, selector)
    facts = await _ask(ctx, target, "visibility")
    if facts["exists"]:
        x, y, width, height = (facts["box"][side] for side in _BOX)
        around = await ctx.tab.parts.owners.outermost(target.frame, (x, y, width, height))
        facts["box"] = dict(zip(_BOX, (round(side, 2) for side in around), strict=True))
    return _listing(ctx, _json(facts))


@tool(effect=Effect.READ, toolset=_SET)
async def get_attributes(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    names: list[str] = [],  # noqa: B006
) -> Reply:
    """Read the attributes of an element."""
    return await _facts(ctx, ref, selector, "attributes", names[:_MANY])


@tool(effect=Effect.READ, toolset=_SET)
async def count_elements(ctx: ToolContext, selector: Selector) -> Reply:
    """Count what a selector matches, in all frames."""
    counts = await _in_all_frames(ctx, selector, "count")
    where = f" ({counts[0]} in the main frame)" if sum(counts) > counts[0] else ""
    return Reply(said=f"{sum(counts)}{where}")


@tool(effect=Effect.READ, toolset=_SET)
async def get_page_metadata(ctx: ToolContext) -> Reply:
    """Read title, address, language, meta and social tags, and related addresses."""
    facts = await ctx.tab.worlds.call(ctx.tab.frames.main, "metadata")
    return _listing(ctx, _json(facts))


@tool(effect=Effect.READ, toolset=_SET)
async def get_filtered_aria_tree(
    ctx: ToolContext,
    roles: list[str] = [],  # noqa: B006
    max_depth: Limit = 5,
    interactive_only: bool = False,
) -> Reply:
    """Read the snapshot's lines of some roles only."""
    seen = await ctx.tab.snapshots.take(
        interactive_only=interactive_only, max_bytes=0, readable=addresses_in(ctx)
    )
    lines = filtered(seen.text, {role.lower() for role in roles}, max_depth)
    return _listing(ctx, lines, "" if lines else "Nothing has one of these roles.")


@tool(effect=Effect.READ, toolset=_SET)
async def get_form_values(
    ctx: ToolContext, ref: Ref | None = None, selector: Selector | None = None, limit: Limit = 200
) -> Reply:
    """Read what the fields of a form (or of the page) hold; passwords are masked."""
    target = await optional_target_of(ctx, ref, selector)
    asked = await ctx.tab.parts.ask("formValues", target, limit, readable=readable_in(ctx))
    fields = [each for part in asked.walk() for each in _fields(part)]
    count = sum(part.answer.get("count", 0) for part in asked.walk())
    first = f", the first {limit}:" if count > limit else ""
    return ctx.desk.readings.begin(
        "\n".join(map(_json, fields[:limit])),
        source=ctx.tab.url,
        tokens=LISTING,
        said=counted(count, "field") + first,
        more=asked.notes,
    )


def _fields(part: Part) -> list[dict[str, object]]:
    """Of one document; those in a frame are marked with whose it is."""
    where = {} if part.frame.parent is None else {"frame": origin_of(part.frame.url)}
    return [{**where, **each} for each in part.answer.get("fields", ())]


@tool(effect=Effect.READ, toolset=_SET)
async def check_element_state(
    ctx: ToolContext, ref: Ref | None = None, selector: Selector | None = None
) -> Reply:
    """Say whether an element is disabled, checked, required, hidden…, and what it holds."""
    target = await target_of(ctx, ref, selector)
    facts = await _ask(ctx, target, "state")
    if "-" in facts["tag"] and await ctx.tab.internals.hear_of(target):
        facts = await _ask(ctx, target, "state")
    return await _told(ctx, target, facts)


_MANY = 200  # names in one question


async def _in_all_frames(
    ctx: ToolContext, selector: str, function: str, *args: object
) -> list[Any]:
    """What the page says, then its frames: of those that may be read, and answer."""
    main = ctx.tab.frames.main
    target = Target(main, {"selector": selector}, f"selector {selector[:200]!r}")
    with target.named():
        answers = [await ctx.tab.worlds.call(main, function, selector, *args)]
    for frame in ctx.tab.frames:
        if frame is not main and frame_is_readable(ctx, frame):
            try:
                answer = await ctx.tab.worlds.call(
                    frame, function, selector, *args, timeout="frame"
                )
            except BridgeError as error:  # gone, or hung: the others are not
                if error.code == "DIALOG_OPEN":
                    raise
            else:
                answers.append(answer)
    return answers


async def _facts(
    ctx: ToolContext, ref: str | None, selector: str | None, function: str, *args: object
) -> Reply:
    target = await target_of(ctx, ref, selector)
    return await _told(ctx, target, await _ask(ctx, target, function, *args))


async def _told(ctx: ToolContext, target: Target, facts: object) -> Reply:
    matches = 1 if target.is_ref else await _ask(ctx, target, "choose")
    return _listing(ctx, _json(facts), f"1 of {matches} matches:" if matches > 1 else "")


async def _ask(ctx: ToolContext, target: Target, function: str, *args: object) -> Any:
    with target.named():
        return await ctx.tab.worlds.call(target.frame, function, target.wanted, *args)


def _listing(ctx: ToolContext, text: str, said: str = "") -> Reply:
    return ctx.desk.readings.begin(text, source=ctx.tab.url, tokens=LISTING, said=said)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
