"""Waiting for the gate of a profile, for those who have an event loop to keep going."""

from collections.abc import Callable
from pathlib import Path

import trio

from bridge.timeouts import Timeouts, deadline
from launcher.leases import Gate

GATE_TURN = 0.005
"""Seconds until the next try: a file lock has no event; its holder is usually done within 0.3 s."""


async def wait_gate(attempt: Callable[[], Gate | None], profile: Path, timeouts: Timeouts) -> Gate:
    """Try until the gate is ours; whatever the attempt raises leaves as it is."""
    with deadline(timeouts, "gate", f"waiting for another process to be done with {profile}"):
        while True:
            gate = attempt()
            if gate is not None:
                return gate
            await trio.sleep(GATE_TURN)
