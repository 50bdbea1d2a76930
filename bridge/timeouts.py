"""How long anything may take: every deadline of the product, in seconds, with its reason.

Deadlines sit outside, loops inside just wait. `deadline(timeouts, "close", "closing the browser")`
names the field rather than the number, so the error can say what to raise.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import trio

from bridge.errors import DeadlineExceeded


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """All deadlines; replace single fields with `dataclasses.replace`."""

    launch: float = 20.0  # spawn to first answer; a cold profile on a loaded machine needs 5
    gate: float = 30.0  # wait for another process that is launching the profile
    connect: float = 5.0  # TCP and WebSocket handshake on this machine; measured 0.6 ms
    approve: float = 120.0  # a person has to click "Allow" in the user's own Chrome
    question: float = 120.0  # a person is asked whether a host is allowed; after that it is a no
    command: float = 30.0  # one CDP command that nothing else bounds
    probe: float = 4.0  # "are you alive?" on a held connection (a stopped Chrome never answers)
    link: float = 3.0  # until the extension has found a server that has just begun; measured 0.6
    responsive: float = 0.8  # the same question to the extension; after that CDP is used
    navigation: float = 30.0  # from the command to the awaited milestone
    error_page: float = 1.0  # until Chrome shows one, after it has said so; measured 30 ms
    tool: float = 34.0  # one call of a client, whatever it does; above every deadline inside it
    batch: float = 120.0  # all calls of a batch; those that have not begun by then are not made
    read: float = 10.0  # look at a page; measured 1 to 60 ms, unless the page's scripts are busy
    held: float = 1.0  # the same once more, where the tab has been on its way elsewhere that long
    frame: float = 2.0  # one frame's part of a snapshot; the page does not wait for a hung ad
    action: float = 5.0  # wait until an element can be clicked, filled or dragged
    settle: float = 3.0  # what an action started (requests, a navigation) before it is answered
    idle: float = 5.0  # a quiet network after `load`, where that is asked for; many never rest
    hover: float = 0.8  # until a tip or a menu begins to open below the mouse; 0.1 to 0.7 are usual
    chooser: float = 0.5  # of files, where nothing says that a click asks for some; measured 20 ms
    offer: float = 6.0  # from a click that has settled to its download; pages count down from 5
    download: float = 120.0  # all of a file, once it has begun to come
    earshot: float = 3.0  # out of which a page is that floods its console
    catch_up: float = 1.0  # until it has told what it said meanwhile; measured 50 ms
    evaluate: float = 30.0  # a script of the caller in the page
    activation: float = 6.0  # a page may open a window after an act; Chrome lets it for 5
    unanswered: float = 36.0  # the same after one that failed: its click may be taken late
    halt: float = 0.5  # end what a call that was taken back has going in its page; measured 20 ms
    opened: float = 1.0  # a tab its opener has told of; the extension tells a few ms later
    first_tab: float = 1.0  # the blank tab a browser starts with; measured 30 ms
    new_tab: float = 5.0  # create and attach; measured 60 ms
    close: float = 3.0  # ask Chrome to leave, orderly; then what we own is ended
    terminate: float = 1.0  # after SIGTERM, before SIGKILL
    leave: float = 1.0  # closing our own tabs in a browser that stays; measured 30 ms
    farewell: float = 4.0  # until a browser that should end has; its watchdog goes on without us
    dial: float = 15.0  # the proxy's connection to a site, all its addresses together
    next_address: float = 0.25  # until a site's next address is tried beside the first (RFC 8305)
    proxy_idle: float = 300.0  # a connection to our proxy nobody asks on; Chrome's own limit
    head_start: float = 0.08  # of a browser that is started, before the tools are loaded
    look_again: float = 0.25  # did somebody come while it ends; was a stopped browser continued?
    absent: float = 1800.0  # a client over HTTP that asks for nothing: its session ends then, too
    exit: float = 5.0  # from the end of service to the end of the process, whatever happens
    flush: float = 0.5  # answers on their way to a client that may not be reading; measured 1 ms
    gather: float = 0.05  # a line of the audit waits for others; a thread for each is dear
    silence: float = 5.0  # on an HTTP connection, until there is a request with all of its head
    body: float = 10.0  # of an HTTP request; a client on this machine has it ready
    token: float = 0.5  # from look to look whether the file with a token of ours is still there
    port: float = 4.0  # until a server that is ending has let go of the port we were told to take
    hello: float = 2.0  # until an extension has proved who it is; measured 2 ms
    ready: float = 5.0  # from then until it is at work; it looks at all tabs first
    ping: float = 20.0  # from one to the next: Chrome ends a silent worker after 30
    pong: float = 15.0  # until its answer, of which one may stay out
    relink: float = 0.8  # a call waits for a worker that is being woken; measured 34 to 264 ms
    reunion: float = 40.0  # until a worker that was ended is given up; an alarm wakes it every 30
    wake: float = 0.25  # until a tab that draws nothing is made to; a picture takes 15 to 35 ms
    explain: float = 1.0  # the watchdog's report of an exit; measured 10 ms


_HINTS = {
    "gate": "It is starting or ending a browser there, or is stopped; try again, or use another "
    "profile.",
    "launch": "One that another process has started is not getting up; try again, or use another "
    "profile.",
    "navigation": "The page shows what it had by then, and can be used; or go somewhere else.",
    "new_tab": "A page that answers nothing may be busy, or show a dialog from before we came, "
    "which only a person can answer.",
    "evaluate": "What the script has done until then stays done.",
    "read": "A script of the page was in the way and has been ended; try again.",
    "tool": "It was ended; look at the page before trying again.",
}


@contextmanager
def deadline(timeouts: Timeouts, field: str, operation: str) -> Iterator[trio.CancelScope]:
    """Raise DeadlineExceeded when the block takes longer than the named field of `timeouts`."""
    seconds: float = getattr(timeouts, field)
    with trio.move_on_after(seconds) as scope:
        yield scope
    if scope.cancelled_caught:
        raise DeadlineExceeded(
            "TIMEOUT",
            f"{operation} took longer than {seconds:g} s",
            hint=_HINTS.get(field, "Look at the page or the browser again before going on."),
            facts={"operation": operation, "timeout": field, "seconds": seconds},
        )


# Scopes that stand still: how many blocks of each last, and how much time it has left.
_standing: WeakKeyDictionary[trio.CancelScope, tuple[int, float]] = WeakKeyDictionary()


@contextmanager
def standing_still(limit: trio.CancelScope | None) -> Iterator[None]:
    """The deadline does not come nearer while the block lasts: a person is thinking, or we are.

    Of several blocks at once, one in another or side by side, the last to end lets it go on.
    """
    if limit is None or (limit.deadline == math.inf and limit not in _standing):
        yield
        return
    blocks, left = _standing.get(limit, (0, limit.deadline - trio.current_time()))
    _standing[limit] = blocks + 1, left
    limit.deadline = math.inf
    try:
        yield
    finally:
        blocks, left = _standing.pop(limit)
        if blocks > 1:
            _standing[limit] = blocks - 1, left
        else:
            limit.deadline = trio.current_time() + left
