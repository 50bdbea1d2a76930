"""Text for what takes none, choices for what is no list: the answer says what would do instead."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
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


_FORMS = {
    "date": ("2026-03-01", "2026-01-31"),
    "time": ("13:05", "13:45"),
    "month": ("2026-03", "2026-01"),
    "week": ("2026-W09", "2026-W05"),
    "datetime-local": ("2026-03-01T13:05", "2026-01-31T13:45"),
    "color": ("#00ff00", "#ff8800"),
    "number": ("7", "12.5, a number"),
    "range": ("30", "12.5, a number"),
}


@in_turn("kind", _FORMS)
async def test_text_of_another_form(stage: Stage, kind: str) -> None:
    """A text that a field has no value for leaves what it held, and the page hears of nothing."""
    held, form = _FORMS[kind]
    await stage.show(
        f"<input id=i type={kind} value={held}><script>heard = [];"
        "for (const t of ['focus', 'beforeinput', 'input', 'change', 'keydown'])"
        " i.addEventListener(t, () => heard.push(t))</script>"
    )
    for text in ("next Monday", "31.01.26."):
        for clear in (False, True):
            said = await stage.refuses("type", selector="#i", text=text, clear=clear)
            assert said.startswith("NOT_ACTIONABLE: selector '#i': it did not take the text: ")
            assert f"it wants the form {form}, and holds what it held" in said
            assert said.endswith("Give the text in that form.")
        said = await stage.refuses("fill_form", fields={"#i": text})
        assert f"it wants the form {form}, and holds what it held" in said
        assert await stage.value("[i.value, heard.join()]") == [held, ""]


@in_turn(
    ("kind", "text", "holds"),
    [
        ("date", "", ""),
        ("time", "13:05:09", "13:05:09"),
        ("datetime-local", "2026-03-01 13:05", "2026-03-01T13:05"),
        ("color", "#000000", "#000000"),
        ("color", "#ABCDEF", "#abcdef"),
        ("range", "30.5", "30.5"),
        ("range", "500", "100"),
        ("number", "", ""),
        ("number", "-1e3", "-1e3"),
        ("number", "$12.50", "12.50"),
    ],
)
async def test_text_of_a_form_near_by(stage: Stage, kind: str, text: str, holds: str) -> None:
    """What Chrome understands is given to it, in whichever of the forms it knows."""
    await stage.show(f"<input id=i type={kind} step=any>")
    await stage.does("type", selector="#i", text=text, clear=True)
    assert await stage.value("i.value") == holds


async def test_choice_of_a_suggestion(stage: Stage) -> None:
    """A field with suggestions is to be typed into, and they are named."""
    await stage.show(
        "<input list=l><datalist id=l><option value=Rome><option value=osl label=Oslo></datalist>"
    )
    said = await stage.refuses("select_option", selector="input", values=["Rome"])
    assert "no select: type the value; it suggests 2, as below\n" in said
    assert ' untrusted>\n"Rome"\n"Oslo" ("osl")\n</page ' in said


async def test_options_called_alike(stage: Stage) -> None:
    """Of options with the same words one is chosen with its group, as it is told, none without."""
    await stage.show(
        "<select id=s><option value=0>None<optgroup label=Bill><option value=1>Germany</optgroup>"
        "<optgroup label=Ship><option value=2>Germany</select>"
    )
    said = await stage.refuses("select_option", selector="#s", values=["Germany"])
    assert "BAD_ARGS: selector '#s': it has 2 options \"Germany\", as below\n" in said
    assert ' untrusted>\n"Bill: Germany" ("1")\n"Ship: Germany" ("2")\n</page ' in said
    for value, words in (("2", "Ship: Germany"), ("1", "1"), ("2", "ship: germany")):
        assert await stage.does("select_option", selector="#s", values=[words])
        assert await stage.value("s.value") == value


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


_MADE = (
    "<div id=s role=slider tabindex=0 aria-valuenow=3 aria-label=Volume>slide</div>"
    "<div id=c role=combobox tabindex=0 aria-expanded=false>choose</div><button id=b>Go</button>"
)


async def test_values_for_what_is_no_field(stage: Stage) -> None:
    """A control that takes no value is named, with what sets it."""
    await stage.show(_MADE)
    for selector, instead in (
        ("#s", "it is a slider (div) and no field to fill in; press arrow keys in it (press)"),
        ("#c", "it is a combobox (div) and no field to fill in; click it, and then what is"),
        ("#b", "it is a button (button) and no field to fill in; click it"),
    ):
        said = await stage.refuses("fill_form", fields={selector: "5"})
        assert f"and not selector '{selector}': {instead}" in said
    assert "press arrow keys in it" in await stage.refuses("type", selector="#s", text="5")


async def test_text_for_a_field_that_takes_keys_only(stage: Stage) -> None:
    """Where a page refuses what is inserted at once, the answer says how to type instead."""
    await stage.show(
        "<input id=i><script>i.addEventListener('beforeinput', (event) =>"
        " event.data?.length > 1 && event.preventDefault())</script>"
    )
    for said in (
        await stage.refuses("type", selector="#i", text="hello"),
        await stage.refuses("fill_form", fields={"#i": "hello"}),
    ):
        assert "did not take the text and holds" in said
        assert "Try type with keyEvents: some pages take keys only" in said
    said = await stage.does("type", selector="#i", text="hello", keyEvents=True)
    assert said.startswith("Typed into selector '#i'.")


async def test_prefix_of_a_mask(stage: Stage) -> None:
    """What a mask puts before a text is its way of writing it; what was there before is not."""
    await stage.show(
        "<input id=i oninput=\"i.value = '+43 (664) ' + i.value.slice(3)\">"
        "<input id=k value=15 oninput='k.value = 15'>"
    )
    said = await stage.does("fill_form", fields={"#i": "664123"})
    assert "selector '#i': it holds \"+43 (664) 123\"." in said
    assert "did not take the text" in await stage.refuses(
        "type", selector="#k", text="5", clear=True
    )


async def test_number_that_a_mask_changes(stage: Stage) -> None:
    """Digits that a mask puts before others make another number: no form is sent with that."""
    await stage.show(
        '<form action=/echo><input id=i value=0.00 oninput="i.value ='
        " (i.value.replace(/\\D/g, '') / 100).toFixed(2)\"><input id=p oninput=\"p.value ="
        " 'No. ' + p.value\"><button id=go>Go</button></form>"
    )
    said = await stage.refuses("fill_form", fields={"#p": "7", "#i": "50"}, submitSelector="#go")
    assert "1 of 2 fields were filled in, and not selector '#i': it holds \"0.50\"" in said


async def test_text_where_a_frame_has_the_focus(stage: Stage) -> None:
    """What is no field and has the focus as a frame would is said to be no place for text."""
    await stage.show("<object id=o tabindex=0 style='width: 50px; height: 50px'></object>")
    await stage.value("o.focus()")
    for keys in (False, True):
        said = await stage.refuses("type", text="x", keyEvents=keys)
        assert said.startswith("NOT_ACTIONABLE: the focus is in ")
        assert "of which no field is known; name one" in said


async def test_list_in_a_component(stage: Stage) -> None:
    """A component whose only field is a list takes options, as one with a text field takes text."""
    await stage.show(
        "<x-list id=s></x-list><script>customElements.define('x-list', class extends HTMLElement {"
        " constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML ="
        " '<select><option>One<option>Two<option>Three</select>' } })</script>"
    )
    await stage.does("fill_form", fields={"#s": "Two"})
    assert await stage.value("s.shadowRoot.querySelector('select').value") == "Two"
    said = await stage.does("select_option", selector="#s", values=["Three"])
    assert "Selected in selector '#s': \"Three\"." in said


async def test_label_of_a_disabled_field(hurried: Stage) -> None:
    """A label that presses for nothing, for its field is disabled, is said to be that."""
    await hurried.show(
        "<fieldset disabled><label id=a><input type=checkbox>One</label></fieldset>"
        "<label id=b for=c>Two</label><input type=radio id=c disabled>"
    )
    for selector in ("#a", "#b"):
        said = await hurried.refuses("click", selector=selector)
        assert said.startswith(f"NOT_ACTIONABLE: selector '{selector}': its field is disabled")
