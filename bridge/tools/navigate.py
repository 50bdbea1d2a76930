"""Tools that go somewhere."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

from bridge.page.leaving import Dismissed
from bridge.page.navigation import Arrival, WaitUntil
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.dialogs import dismissed
from bridge.tools.documents import remark
from bridge.tools.files import page_or_saved
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, address, quoted

_AGAIN = "The page is the answer to a form, which was sent again."
Milestone = Literal["load", "domcontentloaded", "networkidle", "commit"]


@tool(
    effect=Effect.NAVIGATE,
    destination="url",
    during_dialog=True,
    destructive=False,
    idempotent=True,
)
async def navigate(ctx: ToolContext, url: str, wait_until: Milestone = "load") -> Reply:
    """Go to an address and wait for the page."""

    async def go() -> Reply:
        return _there(ctx, await ctx.tab.navigate(url, until=wait_until))

    async with _leaving(ctx):
        main = ctx.tab.frames.main.id
        return await page_or_saved(ctx, lambda frame_id: frame_id == main, go)


@tool(effect=Effect.NAVIGATE, during_dialog=True, destructive=False)
async def back(ctx: ToolContext, wait_until: Milestone = "load") -> Reply:
    """Go back in the history of the tab."""
    return await _travel(ctx, -1, wait_until)


@tool(effect=Effect.NAVIGATE, during_dialog=True, destructive=False)
async def forward(ctx: ToolContext, wait_until: Milestone = "load") -> Reply:
    """Go forward in the history of the tab."""
    return await _travel(ctx, 1, wait_until)


@tool(effect=Effect.NAVIGATE, during_dialog=True, destructive=False)
async def reload(
    ctx: ToolContext, wait_until: Milestone = "load", ignore_cache: bool = False
) -> Reply:
    """Load the page again."""
    await ctx.allow(Effect.NAVIGATE, ctx.tab.frames.main.unreachable or ctx.tab.url)
    again = ctx.tab.network.posted_by(ctx.tab.frames.main.loader)
    if again:  # Chrome asks a person about that, and us not
        await ctx.allow(Effect.ACT, ctx.tab.place)
    async with _leaving(ctx):
        there = _there(ctx, await ctx.tab.reload(until=wait_until, afresh=ignore_cache))
    return replace(there, said=f"{there.said}\n{_AGAIN}") if again else there


async def _travel(ctx: ToolContext, steps: int, until: WaitUntil) -> Reply:
    entry = await ctx.tab.navigation.entry(steps)
    await ctx.allow(Effect.NAVIGATE, entry.url)
    async with _leaving(ctx):
        return _there(ctx, await ctx.tab.settling.travel(entry, until=until))


def _there(ctx: ToolContext, arrival: Arrival) -> Reply:
    return Reply(said=described(arrival), more=remark(ctx.tab, ctx.readable))


@asynccontextmanager
async def _leaving(ctx: ToolContext) -> AsyncIterator[None]:
    """Past a dialog that the caller knows of; whatever becomes of it, that is said."""
    leaving, those = ctx.tab.leaving, Dismissed()
    async with leaving.way_out():
        try:
            await leaving.clear(those)
        finally:
            if note := dismissed(those, ctx.tab, ctx.readable):
                ctx.desk.notes.append(note)
        yield


def described(arrival: Arrival) -> str:
    """Address, title, and the status where it is worth a word."""
    status = f" HTTP {arrival.status}" if arrival.status not in (0, 200) else ""
    title = f" {quoted(arrival.title)}" if arrival.title else ""
    restless = " (its network did not come to rest)" if arrival.restless else ""
    return f"{address(arrival.url)}{title}{status}{restless}"
