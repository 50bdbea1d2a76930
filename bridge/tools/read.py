"""Tools that read a page: what is on it, what it says, where it leads."""

from typing import Annotated

from bridge.page.texts import PageText
from bridge.policy.rules import Effect
from bridge.tools.budget import BYTES_PER_TOKEN, LISTING, TEXT, Cursor, MaxTokens
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply
from bridge.tools.schema import Ref, Selector
from bridge.tools.targets import frame_is_readable, optional_target_of


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
        seen = snapshots.continue_(cursor, max_tokens * BYTES_PER_TOKEN)
    else:
        seen = await snapshots.take(
            await optional_target_of(ctx, ref, selector),
            interactive_only=interactive_only,
            max_bytes=max_tokens * BYTES_PER_TOKEN,
            readable=lambda url: url.startswith(_WRITTEN) or not url or ctx.readable(url),
        )
    return Reply(page=seen.text, source=ctx.tab.url, more=seen.more)


_WRITTEN = ("about:", "data:", "blob:")


@tool(effect=Effect.READ)
async def get_text(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    max_tokens: MaxTokens = TEXT,
    cursor: Cursor = None,
) -> Reply:
    """Read the visible text of the page or of an element."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    target = await optional_target_of(ctx, ref, selector)
    read = await ctx.tab.texts.text(target, lambda frame: frame_is_readable(ctx, frame))
    return _told(ctx, read, max_tokens, nothing="There is no visible text.")


@tool(effect=Effect.READ)
async def get_html(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    outer: Annotated[bool, "false: only what is inside."] = True,
    max_tokens: MaxTokens = TEXT,
    cursor: Cursor = None,
) -> Reply:
    """Read the markup of the page or of an element; it may say what nobody sees."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    target = await optional_target_of(ctx, ref, selector)
    read = await ctx.tab.texts.markup(target, outer=outer)
    return _told(ctx, read, max_tokens, nothing="There is no markup.")


def _told(ctx: ToolContext, read: PageText, tokens: int, *, nothing: str) -> Reply:
    said = f"The first visible of {read.matches} matches:" if read.matches > 1 else ""
    if not read.text.strip():
        return Reply(said=f"{said} {nothing}".strip())
    more = f"{read.dropped:,} more characters were not read." if read.dropped else ""
    return ctx.desk.readings.begin(
        read.text, source=ctx.tab.url, tokens=tokens, said=said, more=more
    )
