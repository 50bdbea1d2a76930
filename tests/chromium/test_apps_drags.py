"""Drag-and-drop libraries: what they think was moved, on pointer, mouse and drag events."""

import pytest

from tests.support.apps import App
from tests.support.apps import app as app

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


async def test_pointer_events(app: App) -> None:
    """A list sorted by pointer events is sorted, down and up."""
    await app.open("dnd-kit")
    await app.does("drag", fromRef=await app.ref('"one"'), toRef=await app.ref('"three"'))
    await app.comes("items", ["two", "three", "one", "four"])
    await app.does("drag", fromRef=await app.ref('"four"'), toRef=await app.ref('"two"'))
    await app.comes("items", ["four", "two", "three", "one"])


async def test_mouse_events(app: App) -> None:
    """Cards change column and place, though the page disarms all that they are dragged over."""
    await app.open("board")
    await app.does("drag", fromRef=await app.ref('"wash"'), toRef=await app.ref('"read"'))
    await app.comes("columns", {"todo": ["cook", "sew"], "done": ["wash", "read"]})
    await app.does("drag", fromRef=await app.ref('"cook"'), toRef=await app.ref('"sew"'))
    await app.comes("columns", {"todo": ["sew", "cook"], "done": ["wash", "read"]})


@pytest.mark.parametrize("how", ["own", "fallback"])
async def test_drag_events(app: App, how: str) -> None:
    """A list sorted by the browser's own drags, or by their imitation, is sorted."""
    await app.open("sortable")

    def item(place: int) -> str:
        return f"#{how} > li:nth-child({place})"

    await app.does("drag", fromSelector=item(1), toSelector=item(3))
    assert await app.state(f"{how}()") == ["two", "three", "one", "four"]
    await app.does("drag", fromSelector=item(4), toSelector=item(1))
    assert await app.state(f"{how}()") == ["four", "two", "three", "one"]


async def test_nothing_stays_held(app: App) -> None:
    """A drag whose end is not there puts back what it held, and the next one works."""
    await app.open("board")
    card, goal = await app.ref('"wash"'), await app.ref('"read"')
    await app.value("addEventListener('mousedown', () => app.lose())")
    refused = await app.refuses("drag", fromRef=card, toRef=goal)
    assert refused.startswith("REF_EXPIRED: ")
    assert await app.state("columns.todo") == ["wash", "cook", "sew"]
    await app.does("drag", fromRef=card, toRef=await app.ref('"sew"'))
    await app.comes("columns.todo", ["cook", "sew", "wash"])
