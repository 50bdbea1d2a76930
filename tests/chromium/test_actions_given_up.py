"""What is left in a page by an action that came to no end: nothing that the next one would meet."""

from functools import partial
from typing import cast

import pytest
import trio

from bridge.page.drags import Point
from bridge.page.target import Target
from tests.support.rows import in_turn
from tests.support.stage import HURRIED, Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_COUNTED = (
    "<p style='height: 50px'></p><button id=b onclick='n++'>Count</button><script>n = 0</script>"
)


async def _click_at_button(stage: Stage) -> None:
    """By its place."""
    place = "[b.getBoundingClientRect().x + 5, b.getBoundingClientRect().y + 5]"
    x, y = cast("list[float]", await stage.value(place))
    await stage.does("click", x=x, y=y)


async def test_press_that_opened_a_dialog(stage: Stage) -> None:
    """Behind a dialog that a press has opened, the next press arrives, wherever it goes."""
    await stage.show(f"<button id=a onclick=\"confirm('Sure?')\">Ask</button>{_COUNTED}")
    assert "A dialog is open" in await stage.does("click", selector="#a")
    await stage.does("handle_dialog", action="accept")
    await _click_at_button(stage)
    assert await stage.value("n") == 1


async def test_press_in_a_frame_that_opened_a_dialog(stage: Stage) -> None:
    """So it does where the first press went into a frame."""
    await stage.show(
        f"<iframe srcdoc='<button onclick=confirm(1)>Ask</button>'></iframe>{_COUNTED}"
    )
    snapshot = await stage.does("snapshot")
    ref = snapshot.partition('button "Ask" [ref=')[2].partition("]")[0]
    assert "A dialog is open" in await stage.does("click", ref=ref)
    await stage.does("handle_dialog", action="accept")
    await _click_at_button(stage)
    assert await stage.value("n") == 1


async def test_drag_to_nowhere(hurried: Stage) -> None:
    """Behind a drag to what is not there, the next press arrives."""
    await hurried.show(f"<div id=a style='width: 80px; height: 40px'>Take</div>{_COUNTED}")
    refused = await hurried.refuses("drag", fromSelector="#a", toSelector="#nowhere")
    assert refused.startswith("SELECTOR_NOT_FOUND")
    await _click_at_button(hurried)
    assert await hurried.value("n") == 1


async def test_first_press_into_a_page_that_hangs(hurried: Stage) -> None:
    """The first press waits for a hanging page no longer than a look, and frees it as that does."""
    await hurried.show(f"{_COUNTED}<script>setTimeout(() => {{ while (true); }}, 0)</script>")
    with trio.fail_after(HURRIED.read + 3):  # noqa: TID251 -- a limit of the test
        assert (await hurried.refuses("click", selector="#b")).startswith("TIMEOUT")
    await hurried.does("click", selector="#b")
    assert await hurried.value("n") == 1


_OWN_DRAG = (
    "<style>div { width: 100px; height: 40px; margin: 20px; background: #ccc }</style>"
    "<div id=a draggable=true>Take</div><div id=z>Here</div><script>heard = [];"
    "for (const type of ['mousedown', 'dragstart', 'drop', 'dragend'])"
    " addEventListener(type, () => heard.push(type)); z.ondragover = (e) => e.preventDefault();"
    "addEventListener('drop', (e) => e.preventDefault())</script>"
)
_DONE = ["mousedown", "dragstart", "drop", "dragend"]


async def test_own_drag_to_nowhere(hurried: Stage) -> None:
    """A drag of the browser's own that has nowhere to go is ended, and the tab takes presses."""
    await hurried.show(_OWN_DRAG + _COUNTED)
    await hurried.refuses("drag", fromSelector="#a", toSelector="#nowhere")
    await hurried.does("click", selector="#b")
    assert await hurried.value("n") == 1
    await hurried.value("heard = []")
    await hurried.does("drag", fromSelector="#a", toSelector="#z")
    assert await hurried.value("heard") == _DONE


@in_turn("seconds", [0.005, 0.015, 0.03, 0.06, 0.12, 0.18])
async def test_own_drag_taken_back(stage: Stage, seconds: float) -> None:
    """So is one whose call is taken back, whenever that is."""
    await stage.show(_OWN_DRAG)
    main = stage.tab.frames.main
    ends = [Target(main, {"selector": each}, each) for each in ("#a", "#z")]
    with trio.move_on_after(seconds):
        await stage.tab.drags.drag(ends[0], ends[1])
    await stage.value("heard = []")
    await stage.does("drag", fromSelector="#a", toSelector="#z")
    assert await stage.value("heard") == _DONE


async def test_held_drag_taken_back(stage: Stage) -> None:
    """A button that was pressed for a drag comes up when the call is taken back before it moves."""
    await stage.show(
        "<div id=a style='width: 100px; height: 40px'>Take</div><script>heard = [];"
        "for (const type of ['mousedown', 'mouseup'])"
        " addEventListener(type, () => heard.push(type));"
        "a.onmousedown = () => { fetch('/pressed') };"
        "a.onmousemove = (e) => { const end = performance.now() + 300 * e.buttons;"
        " while (performance.now() < end); }</script>"
    )
    taken = Target(stage.tab.frames.main, {"selector": "#a"}, "#a")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stage.tab.drags.drag, taken, Point(300, 300))
        await stage.site.wait_request("/pressed")
        nursery.cancel_scope.cancel()
    assert await stage.value("heard") == ["mousedown", "mouseup"]


async def test_held_click_taken_back(stage: Stage) -> None:
    """So does one that a click was to hold, when its page is still busy with the press."""
    await stage.show(
        "<button id=b>Hold</button><script>heard = [];"
        "for (const type of ['mousedown', 'mouseup'])"
        " addEventListener(type, () => heard.push(type));"
        "b.onmousedown = () => { fetch('/pressed'); const end = performance.now() + 400;"
        " while (performance.now() < end); }</script>"
    )
    button = Target(stage.tab.frames.main, {"selector": "#b"}, "#b")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(stage.tab.actions.click, button, hold=5.0))
        await stage.site.wait_request("/pressed")
        nursery.cancel_scope.cancel()
    assert await stage.value("heard") == ["mousedown", "mouseup"]


_ASKING = "addEventListener('change', () => alert('Sure?'))"


@in_turn(
    ("field", "tool", "arguments", "said", "holds"),
    [
        (
            "<input id=i type=date>",
            "type",
            {"text": "2026-01-31"},
            "Typed into selector '#i'.",
            "2026-01-31",
        ),
        (
            "<select id=i><option>1<option>2</select>",
            "select_option",
            {"values": ["2"]},
            "Selected in selector '#i'.",
            "2",
        ),
    ],
)
async def test_value_that_a_dialog_follows(
    stage: Stage, field: str, tool: str, arguments: dict[str, object], said: str, holds: str
) -> None:
    """A value that the page asks about is told as set, with the dialog."""
    await stage.show(f"{field}<button id=b>Go</button><script>{_ASKING}</script>")
    answer = await stage.does(tool, selector="#i", **arguments)
    assert answer.startswith(said)
    assert 'A dialog is open (alert: "Sure?")' in answer
    await stage.does("handle_dialog", action="accept")
    assert await stage.value("i.value") == holds


async def test_dialog_of_the_last_field(stage: Stage) -> None:
    """What submits a form is not pressed while a dialog of its last field is open."""
    await stage.show("<input id=i oninput=\"alert('Sure?')\"><button id=b>Go</button>")
    with trio.fail_after(5):  # noqa: TID251 -- a limit of the test
        said = await stage.does("fill_form", fields={"#i": "x"}, submitSelector="#b")
    assert said.startswith("Filled in 1 of 1 field.\nA dialog is open")
    await stage.does("handle_dialog", action="accept")
