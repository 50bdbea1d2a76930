"""Lists of elements that our library makes for the debugger, which wants a handle of each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import trio

from bridge import cdp
from bridge.errors import BridgeError
from bridge.page.frames import Frame
from bridge.page.worlds import Handle, Worlds


@dataclass(frozen=True, slots=True)
class Held:
    """A list in the page, and what is in it."""

    listed: Handle
    elements: list[Handle]


@asynccontextmanager
async def open_list(
    worlds: Worlds, frame: Frame, function: str, *args: object
) -> AsyncIterator[Held]:
    """What `lib.function(*args)` lists; all is released when the block ends, however it does."""
    listed = await worlds.hold(frame, function, *args)
    elements: list[Handle] = []
    try:
        answer = await frame.session.execute(
            cdp.runtime.get_properties(listed.object_id, own_properties=True)
        )
        elements += [
            Handle(each.value.object_id)
            for each in answer.result
            if each.name.isdigit() and each.value is not None and each.value.object_id is not None
        ]
        yield Held(listed, elements)
    finally:
        await _release(frame, [*elements, listed])


async def _release(frame: Frame, handles: list[Handle]) -> None:
    """Let the page have them back; with their document they are gone anyway."""
    release = [cdp.runtime.release_object(each.object_id) for each in handles]
    with trio.move_on_after(frame.session.connection.timeouts.halt, shield=True):
        with suppress(BridgeError):
            await frame.session.execute_all(*release)
