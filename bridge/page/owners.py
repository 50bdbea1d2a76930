"""Which frame is in which element of the document around it.

Only Chrome knows, and it is asked once for each frame and document. What is asked for is the ref of
the element, so readers in a page can name frames and Python can find them.
"""

import trio

from bridge import cdp, log
from bridge.errors import BridgeError
from bridge.page.frames import Frame, Frames
from bridge.page.worlds import Handle, Worlds

Box = tuple[float, float, float, float]

_log = log.get("page")


class Owners:
    """The elements of one tab's frames."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self._frames = frames
        self._worlds = worlds
        self._refs: dict[tuple[str, str, str], str] = {}  # (frame, its parent's document) -> ref

    async def children(self, frame: Frame) -> dict[str, Frame]:
        """The frames of a document by the refs of their elements."""
        found: dict[str, Frame] = {}
        dialogs: list[BridgeError] = []

        async def ask(child: Frame) -> None:
            try:
                found[await self._ref(frame, child)] = child
            except BridgeError as error:
                if error.code == "DIALOG_OPEN":
                    dialogs.append(error)
                _log.debug("a frame has no element any more: %s", error.code)

        async with trio.open_nursery() as nursery:
            for child in list(frame.children.values()):
                nursery.start_soon(ask, child)
        if dialogs:
            raise dialogs[0]
        live = {each.id for each in self._frames}
        self._refs = {key: ref for key, ref in self._refs.items() if key[0] in live}
        return found

    async def handle(self, child: Frame) -> Handle:
        """The element of a frame, in our world of the document around it."""
        parent = child.parent
        assert parent is not None, "the main frame is in no element"
        owner = await parent.session.execute(cdp.dom.get_frame_owner(child.id))
        world = await self._worlds.context(parent)
        node = await parent.session.execute(
            cdp.dom.resolve_node(backend_node_id=owner.backend_node_id, execution_context_id=world)
        )
        assert node.object.object_id is not None
        return Handle(node.object.object_id)

    async def outermost(self, frame: Frame, box: Box) -> Box:
        """The box around a box of this frame in the viewport of the page: x, y, width, height."""
        while frame.parent is not None:
            element = await self.handle(frame)
            x, y, width, height = await self._worlds.call(
                frame.parent, "boxAround", element, list(box)
            )
            box, frame = (x, y, width, height), frame.parent
        return box

    async def _ref(self, frame: Frame, child: Frame) -> str:
        key = (child.id, frame.id, frame.loader)
        if key not in self._refs:
            self._refs[key] = await self._worlds.call(frame, "number", await self.handle(child))
        return self._refs[key]
