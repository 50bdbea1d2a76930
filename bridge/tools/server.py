"""Tools about the server itself."""

import platform
from typing import Annotated

from bridge.browser.lifecycle import State
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.documents import shown
from bridge.tools.registry import TOOLS, tool
from bridge.tools.reply import Reply
from bridge.tools.toolsets import Toolsets


@tool(effect=Effect.LOCAL, tab=False, during_dialog=True, open_world=False)
async def status(ctx: ToolContext) -> Reply:
    """Say how the browser is, without starting it."""
    lifecycle = ctx.desk.lifecycle
    live = lifecycle.live
    lines = [f"state: {lifecycle.state.value}"]
    if lifecycle.state is State.IDLE:
        lines.append("The browser starts with the first call that needs it.")
    if lifecycle.lost is not None:
        lines.append(f"last loss: {lifecycle.lost.report().splitlines()[0]}")
    if live is not None:
        whose = "the person's own" if lifecycle.kind == "extension" else live.chrome.ownership
        lines.append(f"browser: {live.browser.product}, {whose}")
        lines.append(f"tabs: {len(ctx.desk.tabs)} of yours")
    current = ctx.desk.current
    if current is not None:
        lines.append(f"current tab: {current.id} {shown(current, ctx.readable)}")
    lines += lifecycle.describe()
    lines += [f"not held by the policy: {gap}" for gap in ctx.desk.gaps()]
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    lines.append(f"version: chrome-bridge {ctx.desk.version}, {system}")
    return Reply(said="\n".join(lines))


@tool(effect=Effect.LOCAL, tab=False, during_dialog=True, open_world=False, read_only=False)
async def toolsets(
    ctx: ToolContext,
    enable: Annotated[list[str], "Sets to switch on, or all."] = [],  # noqa: B006
) -> Reply:
    """List the sets of tools, and switch on more of them."""
    changed = ctx.offer.enable(enable)
    if changed:
        await ctx.caller.tools_changed()
    on = ctx.offer.on
    lines = [
        f"{name}: {'on' if name in on else _off(ctx.offer, name)}" for name in ctx.offer.known()
    ]
    return Reply(said="\n".join(lines))


def _off(offer: Toolsets, name: str) -> str:
    """What there would be, for who has to choose."""
    names = [offer.card(each).name for each in TOOLS.values() if each.toolset == name]
    return f"off ({', '.join(names)})"
