"""Asks for blank pages, and leaves none behind that nobody will ever hold.

The command cannot be taken back: a caller that is cancelled meanwhile gets no target id, and the
page would stay open in a browser that others use. So a task beside the caller waits for the answer,
and closes what nobody takes from it. (A shield around the caller would not do: what reads the
answers is cancelled with it, and it would see a lost browser where it was only told to stop.)
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import trio
from outcome import Error, Outcome, Value

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.session.session import Session


@dataclass(frozen=True, slots=True)
class Window:
    """A window of its own for a new tab; its size in the screen's pixels, if not the usual one."""

    width: int | None = None
    height: int | None = None


Start = Callable[..., None]
"""Starts a task beside the caller: an async function and its arguments."""

_Made = Outcome[cdp.target.TargetID]
_log = log.get("browser")


async def create_page(
    root: Session,
    start: Start,
    background: bool,
    context_id: cdp.browser.BrowserContextID | None,
    window: Window | None,
) -> cdp.target.TargetID:
    """A blank page, by its target."""
    command = cdp.target.create_target(
        "about:blank",
        background=background,
        focus=None if background else True,
        browser_context_id=context_id,
        new_window=True if window is not None else None,
        width=window.width if window is not None else None,
        height=window.height if window is not None else None,
    )
    # Without a buffer: what was sent has been taken.
    order, made = trio.open_memory_channel[_Made](0)
    start(_deliver, root, command, order)
    with made:
        return (await made.receive()).unwrap()


async def _deliver(
    root: Session,
    command: Command[cdp.target.CreateTargetResult],
    order: trio.MemorySendChannel[_Made],
) -> None:
    nobody_waits = trio.BrokenResourceError, trio.WouldBlock
    try:
        made = await root.execute(command, timeout="new_tab")
    except BridgeError as error:
        with suppress(*nobody_waits):
            order.send_nowait(Error(error))
        return
    try:
        order.send_nowait(Value(made.target_id))
    except nobody_waits:
        await discard(root, made.target_id)


async def discard(root: Session, target_id: cdp.target.TargetID) -> None:
    """Close a page nobody holds."""
    await tolerate(root.execute, cdp.target.close_target(target_id))


async def tolerate(work: Callable[..., Awaitable[Any]], *args: Any) -> None:
    """Work on something that may be gone before it is done."""
    try:
        await work(*args)
    except BridgeError as error:
        _log.debug("gone meanwhile: %s", error)
