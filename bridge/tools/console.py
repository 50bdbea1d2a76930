"""The tool that reads the console of a tab."""

from bridge.page.console import Console, Said
from bridge.page.remarks import LEVELS, Level, Remark, fold
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, counted
from bridge.tools.schema import Limit
from bridge.tools.targets import ANYWHERE

_LINE = 500  # characters of a line among many
_MOST = 16_000  # characters of an answer
_NEWEST = 200  # lines that are looked through for errors beside an action
_WEB = ("http://", "https://")


@tool(effect=Effect.READ, during_dialog=True)
async def console_messages(
    ctx: ToolContext,
    level: Level = "info",
    limit: Limit = 50,
    since: int | None = None,
) -> Reply:
    """Show the page's console messages this bad or worse, newest last."""
    console = ctx.tab.console
    is_heard = await console.catch_up()
    after = console.earlier if since is None else since
    wanted = LEVELS[: LEVELS.index(level) + 1]
    said = [said for said in console.said() if said.remark.level in wanted]
    found = [each for each in said if each.number > after]
    readable = [said for said in found if _is_readable(ctx, said)]
    lines = _fitting([_line(remark) for remark in fold(said.remark for said in readable)], limit)
    newer = f"since: {console.count} shows only later ones."
    notes = [f"{len(lines)} shown.", *_gaps(console, after, len(found) - len(readable))]
    if not is_heard:
        notes.append("What the page said last is still to come: it is busy, or shows a dialog.")
    if since is None and (earlier := len(said) - len(found)):
        notes.append(f"{earlier} of the pages before; since: 0 shows them too.")
    if not lines:
        notes[0] = "No messages since then." if since else "No messages."
    return Reply(
        page="\n".join(lines),
        source=ctx.tab.url,
        more=" ".join([*notes, newer]),
    )


def errors_since(ctx: ToolContext, before: int) -> str:
    """That what was done led to errors, for who would not have looked; "" if it led to none."""
    console = ctx.tab.console
    if console.count == before:  # as after nearly every action: nothing is looked through
        return ""
    newest = console.said(after=max(before, console.count - _NEWEST))
    errors = [each for each in newest if each.remark.level == "error" and _is_readable(ctx, each)]
    if not errors:
        return ""
    return f"The console got {counted(len(errors), 'error')}: console_messages, since: {before}."


def _is_readable(ctx: ToolContext, said: Said) -> bool:
    """Whether the script that spoke, its frame and the page it spoke on may be read.

    What is evaluated has no address: of a page that has gone, that page's is all there is.
    """
    frames = [frame for frame in ctx.tab.frames if frame.session is said.session]
    where = [frames[0].url] if frames else []
    if said.remark.own and said.remark.url.startswith(_WEB):
        where.append(said.remark.url)
    if said.page.startswith(_WEB):
        where.append(said.page)
    elif not said.page and said.number <= ctx.tab.console.earlier:
        where.append(ANYWHERE)
    return all(ctx.readable(url) for url in where)


def _line(remark: Remark) -> str:
    text = remark.text if len(remark.text) <= _LINE else f"{remark.text[:_LINE]}…"
    where = f" ({remark.where})" if remark.where else ""
    times = f" ×{remark.times}" if remark.times > 1 else ""
    first, *rest = text.split("\n")
    return "\n".join([f"[{remark.level}] {first}{where}{times}", *(f"  {each}" for each in rest)])


def _fitting(lines: list[str], limit: int) -> list[str]:
    """The last ones that have room."""
    room = _MOST
    chosen: list[str] = []
    for line in reversed(lines[-limit:]):
        room -= len(line)
        if room < 0 and chosen:
            break
        chosen.append(line)
    return chosen[::-1]


def _gaps(console: Console, since: int, unreadable: int) -> list[str]:
    lost = max(0, console.first - 1 - since)
    uncounted = console.uncounted > since
    gaps = []
    if lost:
        more = ", nor are more that came too fast to be counted" if uncounted else ""
        gaps.append(f"{lost} older ones are no longer kept{more}.")
    elif uncounted:
        gaps.append("Some may be missing: they came too fast to be counted.")
    if unreadable:
        gaps.append(f"{unreadable} of addresses that may not be read are left out.")
    return gaps
