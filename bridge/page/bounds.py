"""Where a call may do what it does, asked once more in the moment it is done.

A call waits: for its turn, for an element, for a page that is being left. Meanwhile the tab may
have come to show a page, or a frame of it another, where the same may not be done. Whoever decides
says so for the length of a call; the page services only ask, right before what changes a page.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bridge.page.frames import Frame

Check = Callable[[Frame], None]
"""Raises where it may not be done in this frame, as the tab is now."""

_check: ContextVar[Check | None] = ContextVar("bounds", default=None)


@contextmanager
def bounded(check: Check) -> Iterator[None]:
    """Until the block ends, for whatever it starts."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def has_bounds() -> bool:
    """Whether there are any to ask about."""
    return _check.get() is not None


def check_bounds(frame: Frame) -> None:
    """Raise where nothing may be done in this frame any more; without bounds there are none."""
    check = _check.get()
    if check is not None:
        check(frame)
