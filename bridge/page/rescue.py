"""Gets a page back that a script holds: its own, or one we were asked to run."""

from bridge import cdp
from bridge.errors import BridgeError
from bridge.session.session import Session


async def free(session: Session) -> None:
    """End what runs in a page that does not come back; other pages never notice."""
    try:
        await session.execute(cdp.runtime.terminate_execution(), timeout="probe")
    except BridgeError:
        return  # nothing was running, or nothing is there any more
