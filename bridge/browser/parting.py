"""What a tab's processes are told before it is closed, while there still is a session to hold them.

A page that goes may ask for something once more (`pagehide`, `sendBeacon`, `keepalive`), and its
sessions are cut off while it does.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import trio

from bridge import cdp
from bridge.browser.creation import tolerate
from bridge.browser.tab import Tab
from bridge.cdp.base import Command
from bridge.session.session import Session

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


async def close_pages(
    root: Session, going: Iterable[cdp.target.TargetID], last: Tab | None
) -> None:
    """Close them; the `last` of a browser that goes on is blanked: without one, a window quits."""
    staying = last.target_id if last is not None else None
    closing = [cdp.target.close_target(each) for each in going if each != staying]
    await tolerate(root.execute_all, *closing)
    if last is not None:
        await tolerate(last.session.execute, cdp.page.navigate("about:blank"))


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
