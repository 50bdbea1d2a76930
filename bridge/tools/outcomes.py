"""What came of an action, in words: first what was done, then what it set going.

Nothing is said to be done that was not seen to be. Lines of the page come inside its fence.
"""

import re
from collections.abc import Iterable
from itertools import zip_longest

from bridge import cdp
from bridge.errors import BridgeError
from bridge.page.dialogs import QUESTION_HINT
from bridge.page.settling import Aftermath, Told
from bridge.page.uploads import PICKER
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.dialogs import may_be_told
from bridge.tools.documents import remark
from bridge.tools.reply import Reply, address, counted, quoted
from bridge.tools.targets import frame_is_readable

_MOST_BYTES = 2_000  # of changes that several actions made
_REF = re.compile(r"\[ref=\w+\]")
_FOCUSED = re.compile(r"^(.*?\[ref=\w+\](?: \[[^\]]*\])*?) \[focused\]")
_UNTOLD = "(an address the policy does not show)"
_MOST_FRAMES = 3  # of those that show another page
_MOST_TABS = 5  # of those a page opens at once that are named


async def told(ctx: ToolContext, after: Aftermath, *done: str) -> Reply:
    """The answer to an action; `done` says what it was."""
    kept = [f"Chrome kept a sandboxed frame from {deed}." for deed in after.kept]
    about = [*_consequences(ctx, after), *await _windows(ctx, after)]
    said = [*done, _led(after.told), *kept, *about]
    changes = changes_of(ctx, after)
    words = "\n".join(filter(None, said))
    return Reply(said=words, page=changes, source=ctx.tab.url if changes else "")


def changes_of(ctx: ToolContext, after: Aftermath) -> str:
    """Lines of the page that may be shown; the frame they are of may be elsewhere by now."""
    is_readable = after.frame is None or frame_is_readable(ctx, after.frame)
    shown = is_readable and ctx.readable(ctx.tab.place) and not after.closed
    return after.changes if shown else ""


def together(changes: Iterable[str]) -> str:
    """What several actions changed, in one; of an element what was said of it last.

    Where the focus was on the way is not told: each would say it of another element.
    """
    *before, last = ["", *changes]
    earlier = [_FOCUSED.sub(r"\1", line) for each in before for line in each.split("\n")]
    lines = {_about(line): line for line in [*earlier, *last.split("\n")] if line}
    kept, room = [], _MOST_BYTES
    for line in lines.values():
        room -= len(line.encode()) + 1
        if room >= 0:
            kept.append(line)
    left = len(lines) - len(kept)
    return "\n".join(
        [*kept, *([f"… {counted(left, 'more line')} changed; take a snapshot"] if left else [])]
    )


def _about(line: str) -> str:
    found = _REF.search(line)
    return found[0] if found else line


def which(matches: int) -> str:
    """For a selector that means several elements."""
    return f" (1 of {matches} matches)" if matches > 1 else ""


def unsent(facts: Told) -> str:
    """Of a form that Chrome kept back: the field, and what Chrome complains of."""
    complaint = facts.get("unsent")
    return f"The browser did not send the form: {quoted(complaint, 400)}." if complaint else ""


def _led(facts: Told) -> str:
    """Of a field that Chrome complains of, or the page has asked Chrome about and gone to."""
    if facts.get("unsent") or not facts.get("led"):
        return ""
    return f"It led to a field that is not filled in as it should be: {quoted(facts['led'], 400)}."


def _consequences(ctx: ToolContext, after: Aftermath) -> list[str]:
    said = []
    if after.closed:
        said.append("The page closed its tab.")
    elif after.now:
        said.append(_place(ctx, after))
    elif after.loading:
        said.append("The page is going elsewhere; nothing has come yet.")
    said += _turned(ctx, after)
    if after.dialog is not None:
        said.append(
            f"A dialog is open ({_question(ctx, after.dialog)}). Answer it with handle_dialog."
        )
    for url in after.programs[:1]:
        said.append(
            f"It wanted {_of_program(url)} opened in another program. Chrome asks a person about "
            f"that, and takes all presses and keys of this tab until then. {QUESTION_HINT}"
        )
    for begun in after.downloads:
        ctx.desk.heard_download(begun.guid)
        said.append(_download(ctx, begun.url, begun.suggested_filename))
    if after.chooser is not None and after.chooser.backend_node_id is None:
        said.append(f"{PICKER[0].upper()}{PICKER[1:]}.")
    elif after.chooser is not None:
        said.append("The page asks for a file: use upload_file on the same element.")
    if after.waiting:
        said.append(f"Still waiting for {counted(after.waiting, 'request')}.")
    return said


def download_began(name: str) -> str:
    """And how to learn where it is."""
    return f"A download began: {quoted(name)}. Its path is told by downloads (toolset page)."


def _download(ctx: ToolContext, url: str, name: str) -> str:
    """Whether it goes on; its name is a word of whoever sent it."""
    if ctx.permits(Effect.DOWNLOAD, url):
        return download_began(name)
    named = f" of {quoted(name)}" if ctx.readable(url) else ""
    return f"A download{named} was refused: the policy does not allow it."


def _question(ctx: ToolContext, dialog: cdp.page.JavascriptDialogOpening) -> str:
    if not may_be_told(dialog.frame_id, dialog.url, [ctx.tab], ctx.readable):
        return dialog.type
    filled = f", filled in: {quoted(dialog.default_prompt, 200)}" if dialog.default_prompt else ""
    return f"{dialog.type}: {quoted(dialog.message, 500)}{filled}"


def _turned(ctx: ToolContext, after: Aftermath) -> list[str]:
    """Frames that show another page: the refs in them mean nothing any more."""
    said = []
    for frame in after.turned[:_MOST_FRAMES]:
        prefix = ctx.tab.worlds.prefix(frame)
        where = address(frame.url) if frame_is_readable(ctx, frame) else _UNTOLD
        said.append(f"Frame {prefix} is now at {where}; refs {prefix}e… from before are gone.")
    if more := len(after.turned) - len(said):
        said.append(f"{counted(more, 'more frame')} went to another page as well.")
    return said


def _of_program(url: str) -> str:
    return quoted(url) if url else "an address"


def _place(ctx: ToolContext, after: Aftermath) -> str:
    odd = remark(ctx.tab, ctx.readable)
    if ctx.tab.frames.main.unreachable:
        return odd
    title = f" {quoted(after.title)}" if after.title else ""
    status = f" HTTP {after.status}" if after.status not in (0, 200) else ""
    still = " (still loading)" if after.loading else ""
    return f"Now at {address(after.now)}{title}{status}{still}\n{odd}".rstrip()


async def _windows(ctx: ToolContext, after: Aftermath) -> list[str]:
    """Tabs that were opened, by the ids they are known by, once they can be used."""
    said: list[str] = []
    wished: list[str] = []
    for window, url in zip_longest(after.opened, after.windows, fillvalue=""):
        shown = address(url) if url and ctx.readable(url) else _UNTOLD
        if not window and (saved := _instead(ctx, url)):
            said.append(saved)
        elif not window:
            wished.append(shown)
        elif len(said) < _MOST_TABS:
            said.append(await _opened(ctx, cdp.target.TargetID(window), shown))
    for each in after.opened:
        ctx.desk.heard((await ctx.browser()).targets.tab_id(cdp.target.TargetID(each)))
    if len(after.opened) > _MOST_TABS:
        more = len(after.opened) - _MOST_TABS
        were = "was" if more == 1 else "were"
        said.append(f"{counted(more, 'more tab')} {were} opened: see tabs_list.")
    for url in after.coming[:_MOST_TABS]:
        shown = address(url) if ctx.readable(url) else _UNTOLD
        said.append(f"It opens a tab that is not there yet (see tabs_list): {shown}")
    if wished:
        several = f"{len(wished)} more tabs" if len(wished) > 1 else "a tab"
        where = ", ".join(dict.fromkeys(wished[:_MOST_TABS]))
        said.append(f"It wanted to open {several}, and Chrome did not: {where}")
    return said


def _instead(ctx: ToolContext, url: str) -> str:
    """A download for which Chrome has closed the tab it was opened in; "" if there is none."""
    for each in ctx.desk.unheard_downloads():
        if each.url == url:
            ctx.desk.heard_download(each.guid)
            return _download(ctx, url, each.name)
    return ""


async def _opened(ctx: ToolContext, window: cdp.target.TargetID, shown: str) -> str:
    browser = await ctx.browser()
    try:
        tab = await browser.arrived(window)
    except BridgeError:
        return "A tab was opened, and is closed again."
    return f"A tab was opened: {tab.id} {shown}"
