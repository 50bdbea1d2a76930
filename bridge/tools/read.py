"""Tools that read a page: what is on it, what it says, where it leads."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated

from bridge.page.frames import Frame
from bridge.page.links import Link, Wanted, chosen_links
from bridge.page.markdown import markdown_of
from bridge.page.texts import PageText
from bridge.policy.rules import Effect
from bridge.tools.budget import BYTES_PER_TOKEN, LISTING, TEXT, Cursor, MaxTokens
from bridge.tools.context import ToolContext
from bridge.tools.documents import remark
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, counted
from bridge.tools.schema import Limit, Ref, Selector
from bridge.tools.targets import WRITTEN, frame_is_readable, optional_target_of


@tool(effect=Effect.READ)
async def snapshot(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    interactive_only: bool = False,
    max_tokens: MaxTokens = LISTING,
    cursor: Cursor = None,
) -> Reply:
    """Read the page as lines of roles, names, states and refs, what is in view first."""
    snapshots = ctx.tab.snapshots
    if cursor is not None:
        seen = await snapshots.continue_(
            cursor, max_tokens * BYTES_PER_TOKEN, readable=addresses_in(ctx)
        )
    else:
        seen = await snapshots.take(
            await optional_target_of(ctx, ref, selector),
            interactive_only=interactive_only,
            max_bytes=max_tokens * BYTES_PER_TOKEN,
            readable=addresses_in(ctx),
        )
    said = remark(ctx.tab, ctx.readable)
    return Reply(said=said, page=seen.text, source=seen.source, more=seen.more)


@tool(effect=Effect.READ)
async def get_text(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    max_tokens: MaxTokens = TEXT,
    cursor: Cursor = None,
) -> Reply:
    """Read the visible text of the page or an element."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    target = await optional_target_of(ctx, ref, selector)
    read = await ctx.tab.texts.text(target, readable_in(ctx))
    return _told(ctx, read, max_tokens, nothing="There is no visible text.")


@tool(effect=Effect.READ)
async def get_html(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    outer: Annotated[bool, "false: the inside only"] = True,
    max_tokens: MaxTokens = TEXT,
    cursor: Cursor = None,
) -> Reply:
    """Read markup, hidden parts included, of the page or an element."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    target = await optional_target_of(ctx, ref, selector)
    read = await ctx.tab.texts.markup(target, outer=outer)
    return _told(ctx, read, max_tokens, nothing="There is no markup.", tool="get_html")


@tool(effect=Effect.READ)
async def read_as_markdown(
    ctx: ToolContext,
    selector: Selector | None = None,
    max_tokens: MaxTokens = TEXT,
    cursor: Cursor = None,
) -> Reply:
    """Read the main content of the page, or an element, as Markdown."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    target = await optional_target_of(ctx, None, selector)
    read = await ctx.tab.texts.content(target, readable_in(ctx))
    source = ctx.tab.url  # by the end of the next line it may be another page's
    text, dropped = await markdown_of(read.text)
    told = replace(read, text=text, dropped=read.dropped + dropped)
    nothing = "There is nothing to read."
    return _told(ctx, told, max_tokens, nothing=nothing, tool="read_as_markdown", source=source)


@tool(effect=Effect.READ)
async def extract_links(
    ctx: ToolContext,
    selector: Selector | None = None,
    same_origin_only: bool = False,
    include: Annotated[list[str], "parts of addresses, * is anything"] = [],  # noqa: B006
    exclude: list[str] = [],  # noqa: B006
    limit: Limit = 1_000,
    max_tokens: MaxTokens = LISTING,
    cursor: Cursor = None,
) -> Reply:
    """List links of the page or an element, each address once."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    target = await optional_target_of(ctx, None, selector)
    part = await ctx.tab.parts.ask("links", target, readable=readable_in(ctx))
    wanted = Wanted(same_origin_only=same_origin_only, include=include, exclude=exclude)
    found = chosen_links(
        (Link(*link) for p in part.walk() for link in p.answer.get("links", ())), wanted
    )
    said = counted(len(found), "link")
    said += f", the first {limit}:" if len(found) > limit else ""
    text = "\n".join(link.line for link in found[:limit])
    dropped = _dropped(sum(each.answer.get("dropped", 0) for each in part.walk()), "link")
    return ctx.desk.readings.begin(
        text,
        source=ctx.tab.url,
        tokens=max_tokens,
        said=said,
        more=f"{dropped}\n{part.notes}".strip(),
        tool="extract_links",
    )


@tool(effect=Effect.READ)
async def find(
    ctx: ToolContext,
    text: str,
    ref: Ref | None = None,
    selector: Selector | None = None,
    exact: Annotated[bool, "whole and case-sensitive"] = False,
    limit: Limit = 10,
) -> Reply:
    """Find elements by text or name, in all frames."""
    target = await optional_target_of(ctx, ref, selector)
    found = await ctx.tab.finding.find(
        text, target, exact=exact, limit=limit, readable=readable_in(ctx)
    )
    counted = f"{found.visible} visible" + (f", {found.hidden} hidden" if found.hidden else "")
    said = (
        counted
        if found.visible or found.hidden
        else f"Nothing {'there' if target else 'on the page'} has this text."
    )
    said = "\n".join(filter(None, (remark(ctx.tab, ctx.readable), said)))
    return ctx.desk.readings.begin(
        "\n".join(found.lines), source=ctx.tab.url, tokens=LISTING, said=said, more=found.notes
    )


def readable_in(ctx: ToolContext) -> Callable[[Frame], bool]:
    """Which frames may be read in a call."""
    return partial(frame_is_readable, ctx)


def addresses_in(ctx: ToolContext) -> Callable[[str], bool]:
    """The same by address, for readers that come to a frame through those around it."""
    return lambda url: not url or url.startswith(WRITTEN) or ctx.readable(url)


def _told(
    ctx: ToolContext,
    read: PageText,
    tokens: int,
    *,
    nothing: str,
    tool: str = "get_text",
    source: str = "",
) -> Reply:
    said = f"The first visible of {read.matches} matches:" if read.matches > 1 else ""
    kind = remark(ctx.tab, ctx.readable)
    if not read.text.strip():
        return Reply(said=f"{said} {kind or nothing}".strip())
    said = "\n".join(filter(None, (kind, said)))
    more = f"{_dropped(read.dropped, 'character')}\n{read.notes}".strip()
    return ctx.desk.readings.begin(
        read.text, source=source or ctx.tab.url, tokens=tokens, said=said, more=more, tool=tool
    )


def _dropped(number: int, thing: str) -> str:
    if not number:
        return ""
    more = f"{counted(number, f'more {thing}')} {'was' if number == 1 else 'were'} not read."
    return f"{more} To read on, name a part of the page by its selector."
