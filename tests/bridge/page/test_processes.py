"""A service hears every process of its tab."""

from bridge.page.processes import on_each_process
from bridge.session.connection import open_connection
from bridge.session.session import Session
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import settle, target_info


def _attach(chrome: FakeChrome, session: str, kind: str, parent: str = "") -> None:
    info = target_info(f"T-{session}", type=kind)
    params = {"sessionId": session, "targetInfo": info, "waitingForDebugger": True}
    chrome.event("Target.attachedToTarget", params, parent)


async def test_frames_at_any_depth() -> None:
    """Frames with a process of their own are heard, frames in them too; workers where asked for."""
    chrome = FakeChrome()
    begun: list[Session] = []
    workers: list[Session] = []
    async with open_connection(chrome) as connection:
        on_each_process(connection.root, begun.append)
        on_each_process(connection.root, workers.append, ("iframe", "worker"))
        _attach(chrome, "A", "iframe")
        _attach(chrome, "W", "worker")
        _attach(chrome, "B", "iframe", "A")
        await settle()
    assert [session.key for session in begun] == ["", "A", "B"]
    assert [session.key for session in workers] == ["", "A", "W", "B"]
