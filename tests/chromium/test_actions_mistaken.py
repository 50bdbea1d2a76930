"""Text for what takes none, choices for what is no list: the answer says what would do instead."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

_PRESSED = (
    "<button>Go</button><input type=checkbox><a href=#x>Link</a><select><option>One</select>"
    "<script>document.onkeydown = (key) => { document.title += key.key }</script>"
)


async def test_text_for_a_button(stage: Stage) -> None:
    """What is pressed rather than typed into gets no text, keys or not, and is left as it was."""
    await stage.show(_PRESSED)
    for selector, instead in (
        ("button", "click it, or press a key in it (press)"),
        ("input", "click it, or press a key in it (press)"),
        ("a", "click it, or press a key in it (press)"),
        ("select", "use select_option"),
    ):
        for keys in (False, True):
            said = await stage.refuses("type", selector=selector, text="ab", keyEvents=keys)
            assert f"and no text field; {instead}" in said
    assert not await stage.value("document.title")


async def test_choice_of_a_suggestion(stage: Stage) -> None:
    """A field with suggestions is to be typed into, and they are named."""
    await stage.show(
        "<input list=l><datalist id=l><option value=Rome><option value=osl label=Oslo></datalist>"
    )
    said = await stage.refuses("select_option", selector="input", values=["Rome"])
    assert "no select: type the value; it suggests 2, as below\n" in said
    assert ' untrusted>\n"Rome"\n"Oslo" ("osl")\n</page ' in said


async def test_no_choice(stage: Stage) -> None:
    """No option at all can be had of a list that holds several, and of no other: that stays."""
    await stage.show(
        "<select id=one><option>a<option selected>b</select>"
        "<select id=many multiple><option selected>a<option selected>b</select>"
    )
    said = await stage.refuses("select_option", selector="#one", values=[])
    assert "one option is always selected in it: give a value or label" in said
    assert await stage.value("one.value") == "b"
    said = await stage.does("select_option", selector="#many", values=[])
    assert said.startswith("Selected in selector '#many': nothing.")
