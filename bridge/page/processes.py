"""The sessions of one tab: its own, and one for each frame that lives in another process.

A service that listens to a tab has to listen to all of them. Every process tells only of itself,
and a frame may come into one, or leave it, at any time. Workers of a page tell of themselves, too.
"""

from collections.abc import Callable, Container

from bridge import cdp
from bridge.session.session import Session


def on_each_process(
    session: Session, begin: Callable[[Session], None], kinds: Container[str] = ("iframe",)
) -> None:
    """Call `begin` with this session, and with that of every frame below it before its first event.

    To be called before the session's first command: what came earlier is missed.
    """
    begin(session)

    def attached(event: cdp.target.AttachedToTarget) -> None:
        if event.target_info.type in kinds:
            on_each_process(session.attach(event.session_id), begin, kinds)

    session.mirror(cdp.target.AttachedToTarget, attached)
