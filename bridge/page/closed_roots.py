"""Closed shadow roots: scripts cannot see them, the debugger can.

The walker names elements that may hide one (a custom element, a box without visible children).
Each is asked about once; a root that is found is given to the library in the page, which walks it
like an open one from then on. A page without such elements costs nothing.
"""

from bridge import cdp
from bridge.page.frames import Frame
from bridge.page.held import open_list
from bridge.page.worlds import Handle, Worlds


class ClosedRoots:
    """Finds what is hidden in one tab's documents."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds

    async def find(self, frame: Frame) -> int:
        """Ask about the elements the last reading suspected; how many roots were found."""
        found = 0
        async with open_list(self._worlds, frame, "suspects") as held:
            described = await frame.session.execute_all(
                *(cdp.dom.describe_node(object_id=h.object_id, depth=0) for h in held.elements)
            )
            for host, answer in zip(held.elements, described, strict=True):
                for root in answer.node.shadow_roots or []:
                    if root.shadow_root_type == "closed":
                        await self._tell(frame, host, root.backend_node_id)
                        found += 1
        return found

    async def _tell(self, frame: Frame, host: Handle, root: cdp.dom.BackendNodeId) -> None:
        world = await self._worlds.context(frame)
        node = await frame.session.execute(
            cdp.dom.resolve_node(backend_node_id=root, execution_context_id=world)
        )
        assert node.object.object_id is not None
        await self._worlds.call(frame, "closedRoot", host, Handle(node.object.object_id))
