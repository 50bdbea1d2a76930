"""Lists of elements that our library makes for the debugger, which wants a handle of each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bridge import cdp
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
    """What `lib.function(*args)` lists; all is released when the block ends."""
    listed = await worlds.hold(frame, function, *args)
    answer = await frame.session.execute(
        cdp.runtime.get_properties(listed.object_id, own_properties=True)
    )
    elements = [
        Handle(each.value.object_id)
        for each in answer.result
        if each.name.isdigit() and each.value is not None and each.value.object_id is not None
    ]
    yield Held(listed, elements)
    await frame.session.execute_all(
        *(cdp.runtime.release_object(each.object_id) for each in (*elements, listed))
    )
