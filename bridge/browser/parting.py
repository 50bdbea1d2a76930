"""What a tab's processes are told before it is closed, while there still is a session to hold them.

A page that goes may ask for something once more (`pagehide`, `sendBeacon`, `keepalive`), and its
sessions are cut off while it does.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import trio

from bridge import cdp
from bridge.browser.creation import tolerate
from bridge.browser.tab import Tab
from bridge.cdp.base import Command

if TYPE_CHECKING:
    from bridge.browser.browser import Browser

Parting = Callable[[], Iterable[Command[Any]]]
"""Gives what each session of a tab is told before the tab is closed."""


def kept_blank(
    going: Sequence[cdp.target.TargetID],
    pages: Iterable[cdp.target.TargetInfo],
    private: Container[object],
) -> cdp.target.TargetID | None:
    """Of the tabs that are to be closed the one that has to stay, so that the browser has a window.

    One of a private context goes with us, whatever we wish. None if somebody else has a tab open.
    """
    usual = [page.target_id for page in pages if page.browser_context_id not in private]
    ours = [target_id for target_id in going if target_id in usual]
    return ours[-1] if ours and len(ours) == len(usual) else None


async def close_those(
    browser: "Browser", is_going: Callable[[str], bool], *, alone: bool = False
) -> None:
    """Close tabs of ours, by their ids; what we took over stays open, and the last one if need be.

    Without a tab a window quits, and the browser with it, which is as it should be only where it
    ends with us anyway (`alone`). Over the extension the window is a person's.
    """

    def going() -> list[cdp.target.TargetID]:
        ours = dict.fromkeys((*browser.coming, *(tab.target_id for tab in browser.tabs)))
        theirs = [each for each in ours if is_going(browser.targets.tab_id(each))]
        return [each for each in theirs if not browser.keeps(each)]

    now = going()
    await part([tab for tab in browser.tabs if tab.target_id in now], browser.partings)
    now, pages = going(), browser.targets.pages()
    some = alone or browser.kind == "extension"
    staying = None if some else kept_blank(now, pages, browser.contexts)
    last = next((tab for tab in browser.tabs if tab.target_id == staying), None)
    closing = [each for each in now if last is None or each != last.target_id]
    root = browser.connection.root
    with trio.move_on_after(browser.connection.timeouts.leave, shield=True):
        await tolerate(root.execute_all, *map(cdp.target.close_target, closing))
        if last is not None:
            await tolerate(last.session.execute, cdp.page.navigate("about:blank"))
        if not alone:
            await browser.contexts.drop_left(pages, closing)


async def part(tabs: Iterable[Tab], partings: list[Parting]) -> None:
    """Tell them, all at once; who does not hear it in time is closed all the same."""
    commands = [command for parting in partings for command in parting()]
    sessions = {frame.session for tab in tabs if not tab.crashed for frame in tab.frames}
    if not commands or not sessions:
        return
    timeouts = next(iter(sessions)).connection.timeouts
    with trio.move_on_after(timeouts.leave, shield=True):
        async with trio.open_nursery() as nursery:
            for session in sessions:
                nursery.start_soon(tolerate, session.execute_all, *commands)
