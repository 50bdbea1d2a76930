"""Tools for tabs, and for the server itself."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import trio

from bridge.browser.browser import Browser
from bridge.browser.contexts import ContextID, context_of
from bridge.browser.creation import Window, tolerate
from bridge.browser.tab import Tab
from bridge.browser.targets import TabInfo
from bridge.errors import BridgeError, PolicyDenied, UsageError
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.desk import host_of
from bridge.tools.documents import shown
from bridge.tools.files import page_or_saved
from bridge.tools.navigate import described
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, address, quoted
from bridge.tools.schema import Limit

_LONGEST_LABEL = 40
_MOST_TABS = 10  # of a new window
_ID = re.compile(r"t[0-9a-f]{8,}")


@tool(effect=Effect.LOCAL, tab=False)
async def tabs_list(ctx: ToolContext) -> Reply:
    """List tabs: yours, and others tab_select can take over."""
    browser = await ctx.browser()
    await browser.refresh()
    tabs = browser.list_tabs()
    ctx.desk.name(_hosts(ctx, tabs))
    current, labels = ctx.desk.current, ctx.desk.labels.items()
    lines = []
    for index, info in enumerate(tabs):
        marks = [] if _is_mine(ctx, info) else ["not yours"]
        marks += ["private"] if info.context_id in browser.contexts else []
        marks += [f"label {json.dumps(label)}" for label, of in labels if of == info.id]
        marks += ["current"] if current is not None and info.id == current.id else []
        marks += ["a dialog is open"] if info.own and browser.tab(info.id).dialogs.current else []
        url = info.url or "about:blank"  # of a pop-up that has not begun to load
        if ctx.readable(browser.heritage.place(info.target_id, url)):
            what = address(url)
            what += f" {quoted(info.title)}" if _is_its_own(browser, info) else ""
        else:
            what = "(an address the policy does not show)"
        ctx.desk.heard(info.id)
        lines.append(f"{index} {info.id} {what}" + (f" [{', '.join(marks)}]" if marks else ""))
    return Reply(said="\n".join(lines) or "There are no tabs; navigate opens one.")


def _hosts(ctx: ToolContext, tabs: list[TabInfo]) -> dict[str, str]:
    """Of tabs of ours, as far as they may be told, and cannot be taken for an id."""
    shown = {
        tab.id: host_of(tab.url) for tab in tabs if _is_mine(ctx, tab) and ctx.readable(tab.url)
    }
    return {
        tab_id: host
        for tab_id, host in shown.items()
        if 0 < len(host) <= _LONGEST_LABEL and not _ID.fullmatch(host)
    }


def _is_mine(ctx: ToolContext, info: TabInfo) -> bool:
    """Of this process, and of this client."""
    return info.own and ctx.desk.owns(info.id)


def _is_its_own(browser: Browser, info: TabInfo) -> bool:
    """Whether the title belongs to the address: Chrome keeps the old one over an error page."""
    if not info.own:
        return bool(info.title)
    tab = browser.tab(info.id)  # over the extension the error page has the address it stands for
    return bool(info.title) and tab.url == info.url and not tab.frames.main.unreachable


@tool(effect=Effect.LOCAL, tab=False, read_only=False, idempotent=True)
async def tab_select(
    ctx: ToolContext, tab_id: str, front: Annotated[bool, "Show it to the person."] = False
) -> Reply:
    """Make a tab the current one; one that is not yours is taken over."""
    browser = await ctx.browser()
    tab_id = ctx.desk.id_of(tab_id)
    info = next((info for info in browser.list_tabs() if info.id == tab_id), None)
    if info is not None and not _is_mine(ctx, info):
        await ctx.allow(Effect.READ, browser.heritage.place(info.target_id, info.url))
    tab = browser.tab(tab_id) if info is None or info.own else await browser.take_over(tab_id)
    ctx.desk.select(tab)
    if front:
        await tab.bring_to_front()
    shown_to = " It was brought to the front." if front else ""
    return Reply(said=f"Current tab: {_shown(ctx, tab)}.{shown_to}")


@tool(effect=Effect.NAVIGATE, tab=False, destination="url", destructive=False)
async def tab_new(
    ctx: ToolContext,
    url: str | None = None,
    active: Annotated[bool, "false: leave the current tab current."] = True,
) -> Reply:
    """Open a tab, in the background of the window, and make it the current one."""
    browser = await ctx.browser()
    current = ctx.desk.current
    blank = current if active and current is not None and _is_free(browser, current) else None
    others = {frame.id for tab in browser.tabs if tab is not blank for frame in tab.frames}

    async def go() -> Reply:
        if blank is not None:
            return Reply(said=f"The blank tab was used: {await _used(ctx, blank, url)}.")
        with _as_opened():
            tab = await browser.new_tab(url, begun=ctx.desk.take)
        tab.warm()
        if active or current is None:
            ctx.desk.select(tab)
        return Reply(said=f"New tab: {await _opened(ctx, tab, url)}.")

    return await page_or_saved(ctx, lambda frame_id: frame_id not in others, go)


async def _used(ctx: ToolContext, blank: Tab, url: str | None) -> str:
    if url is not None:
        with _as_went(blank):
            await blank.navigate(url)
    return await _opened(ctx, blank, url)


def _is_free(browser: Browser, tab: Tab) -> bool:
    return tab.url == "about:blank" and context_of(browser, tab) is None


@tool(effect=Effect.NAVIGATE, toolset="page", tab=False, destination="url", destructive=False)
async def create_window(
    ctx: ToolContext,
    url: str | list[str] | None = None,
    incognito: Annotated[bool, "With cookies of its own; tab_new opens elsewhere."] = False,
    focused: Annotated[bool, "Show it to the person."] = False,
    width: Limit | None = None,
    height: Limit | None = None,
) -> Reply:
    """Open a window, with a tab for each address; the first becomes the current tab."""
    browser = await ctx.browser()
    _check_window(browser, url, incognito=incognito)
    urls: list[str | None] = [url] if isinstance(url, str) else [*(url or [])] or [None]
    context_id = await browser.contexts.make() if incognito else None
    # A further tab goes to the window that was in front last, of those of its context.
    front = focused or (len(urls) > 1 and not incognito)
    tabs: list[Tab] = []
    try:
        for each in urls:
            tabs.append(
                await browser.new_tab(
                    each,
                    background=not front,
                    context_id=context_id,
                    window=None if tabs else Window(width, height),
                    begun=ctx.desk.take,
                )
            )
    except BaseException as error:
        await _undo(browser, tabs, context_id, error)
        raise
    ctx.desk.select(tabs[0])
    opened = [await _opened(ctx, tab, each) for tab, each in zip(tabs, urls, strict=True)]
    return Reply(said=f"New {'private ' if incognito else ''}window: {'; '.join(opened)}.")


def _check_window(browser: Browser, url: str | list[str] | None, *, incognito: bool) -> None:
    if incognito and browser.kind == "extension":
        raise UsageError(
            "BAD_ARGS",
            "incognito: over the extension every window is the person's own",
            hint="Leave it out; for a window apart, have the server start a browser of its own.",
        )
    if isinstance(url, list) and len(url) > _MOST_TABS:
        raise UsageError(
            "BAD_ARGS",
            f"url: a window is opened with {_MOST_TABS} addresses at most, not {len(url)}",
            hint="Open the others with tab_new.",
        )


async def _undo(
    browser: Browser, tabs: list[Tab], context_id: ContextID | None, error: BaseException
) -> None:
    """Close what was opened by a call that has failed, or was taken back."""
    if isinstance(error, BridgeError):
        half = error.facts.pop("tab_id", None)  # it is there, though not ready
        tabs = [*tabs, *(tab for tab in browser.tabs if tab.id == half)]
        error.hint = "No window was kept; leave that address out, or try again later."
    with trio.move_on_after(browser.connection.timeouts.close, shield=True):
        async with trio.open_nursery() as nursery:
            for tab in tabs:
                nursery.start_soon(tolerate, browser.close_tab, tab)
    if context_id is not None:
        await browser.contexts.drop(context_id)


@tool(effect=Effect.LOCAL, tab=False, destructive=True)
async def tab_close(ctx: ToolContext, tab_id: str | None = None) -> Reply:
    """Close a tab of yours, by default the current one."""
    browser = await ctx.browser()
    tab = ctx.desk.current if tab_id is None else ctx.desk.own(browser, tab_id)
    if tab is None:
        raise UsageError(
            "TAB_NOT_FOUND", "there is no current tab", hint="List the tabs and name one."
        )
    context_id, ending = context_of(browser, tab), _ending(ctx, browser, tab)
    await tab.close()
    pages = browser.targets.pages()
    if context_id is not None and not any(p.browser_context_id == context_id for p in pages):
        await browser.contexts.drop(context_id)  # as a private window forgets with its last tab
    return Reply(said=f"Closed {tab.id}.{ending()}")


@tool(effect=Effect.LOCAL, toolset="page", tab=False, read_only=False)
async def tab_release(ctx: ToolContext, tab_id: str) -> Reply:
    """Leave a tab open and give it up: it is not yours any more."""
    browser = await ctx.browser()
    tab = ctx.desk.own(browser, tab_id)
    if ctx.limited:
        raise PolicyDenied(
            "POLICY_DENIED",
            "a page that is given up would not be held to the policy's limits any more",
            hint="Keep the tab, or close it.",
        )
    if browser.kind == "extension" or context_of(browser, tab) is not None:
        theirs = "over the extension the person releases tabs"
        why = theirs if browser.kind == "extension" else "a private tab goes with this server"
        raise UsageError("BAD_ARGS", f"tabId: {why}", hint="Keep the tab, or close it.")
    ending = _ending(ctx, browser, tab)
    await browser.release(tab)
    return Reply(said=f"{tab.id} stays open, and is not yours any more.{ending()}")


def _ending(ctx: ToolContext, browser: Browser, tab: Tab) -> Callable[[], str]:
    """What there is to say once a tab is gone: of the current one, which it is instead."""
    was_current = tab is ctx.desk.current

    def ending() -> str:
        if not was_current:
            return ""
        ctx.desk.forget()
        if not (left := ctx.desk.tabs):
            return ""
        ctx.desk.select(left[-1])
        return f" Current tab: {_shown(ctx, left[-1])}."

    return ending


@tool(effect=Effect.LOCAL, toolset="page", tab=False, read_only=False, idempotent=True)
async def tab_label(
    ctx: ToolContext, label: Annotated[str, "Empty: none."], tab_id: str | None = None
) -> Reply:
    """Give a tab a name of your own, which then does for its id wherever tabId is asked."""
    if len(label) > _LONGEST_LABEL or not label.isprintable() or label != label.strip():
        raise UsageError(
            "BAD_ARGS",
            "the label is not one line of 1 to 40 characters",
            hint="Take a short word, such as checkout.",
        )
    if _ID.fullmatch(label):
        raise UsageError(
            "BAD_ARGS", "the label looks like the id of a tab", hint="Take a word of your own."
        )
    tab = await ctx.desk.tab(tab_id)
    ctx.desk.label(tab, label)
    return Reply(said=f"{tab.id} is called {json.dumps(label)}." if label else "It has no label.")


@contextmanager
def _as_opened() -> Iterator[None]:
    """What fails says what has become of the tab that was opened for it."""
    try:
        yield
    except BridgeError as error:
        tab_id = error.facts.get("tab_id")
        if isinstance(tab_id, str):  # it is there, though not ready
            error.hint = f"{error.hint} The new tab is {tab_id}; name it as tabId, or select it."
        elif error.code == "NAVIGATION_FAILED":  # else it speaks of a tab that is closed again
            error.hint = f"{error.hint.partition(';')[0]}; no tab was kept."
        raise


@contextmanager
def _as_went(tab: Tab) -> Iterator[None]:
    """What fails names the tab to the door, which asks what it was refused on the way."""
    try:
        yield
    except BridgeError as error:
        error.facts["went"] = tab
        raise


async def _opened(ctx: ToolContext, tab: Tab, url: str | None) -> str:
    """What a tab shows that went somewhere, with its title and status."""
    if url is None or not ctx.readable(tab.url):
        return _shown(ctx, tab)
    return f"{tab.id} {described(await tab.navigation.here())}"


def _shown(ctx: ToolContext, tab: Tab) -> str:
    return f"{tab.id} {shown(tab, ctx.readable)}"
