"""Pressing and holding, as long-press menus and steppers want it."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_LONG = (
    "<button id=b>Hold</button><p id=m hidden>Menu</p><script>clicks = 0; ups = 0;"
    "b.onpointerdown = () => { t = setTimeout(() => { m.hidden = false }, 400) };"
    "b.onpointerup = () => { clearTimeout(t); ups++ }; b.onclick = () => clicks++</script>"
)


async def test_held(stage: Stage) -> None:
    """What a page does while a button is held down is told; it is pressed and released once."""
    await stage.show(_LONG)
    assert "Menu" not in await stage.does("click", selector="#b")
    said = await stage.does("click", selector="#b", holdMs=600)
    assert said.startswith("Clicked (held 600 ms) selector '#b'.")
    assert "+ - text: Menu" in said
    assert await stage.value("[clicks, ups]") == [2, 2]


async def test_held_at_a_point(stage: Stage) -> None:
    """A point of the viewport is held as well."""
    await stage.show(_LONG)
    assert "+ - text: Menu" in await stage.does("click", x=20, y=20, holdMs=600)
    assert await stage.value("[clicks, ups]") == [1, 1]


async def test_dialog_while_held(stage: Stage) -> None:
    """A dialog that opens under the hand is told at once, and what comes next is a click anew."""
    await stage.show(_LONG.replace("m.hidden = false", "alert('Sure?')"))
    said = await stage.does("click", selector="#b", holdMs=5000)
    assert 'A dialog is open (alert: "Sure?")' in said
    await stage.does("handle_dialog", action="accept")
    assert "Clicked selector" in await stage.does("click", selector="#b")
    assert await stage.value("[clicks, ups]") == [
        1,
        1,
    ]  # Chrome keeps from a page what is behind it
