"""Typing, keys, lists, forms in a real page: the field holds it, or the answer says what else."""

import re

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]


@in_turn(
    "field",
    [
        "<input id=i>",
        "<input id=i type=search>",
        "<input id=i type=password>",
        "<textarea id=i></textarea>",
        "<label id=i>Name <input></label>",
    ],
)
async def test_type(stage: Stage, field: str) -> None:
    """A field holds what was typed, added to what was there, or instead of it."""
    await stage.show(field)
    holder = "document.querySelector('input, textarea').value"
    said = await stage.does("type", selector="#i", text="Ada O'Neil <b>")
    assert said.startswith("Typed into selector '#i'.")
    assert ("Ada" in said) is ("password" not in field)
    assert "not empty" not in said
    secret = "password" in field
    holds = "15 characters" if secret else '"Ada O\'Neil <b>!"'
    said = await stage.does("type", selector="#i", text="!")
    assert f"It was not empty: it holds {holds} now. To replace, type with clear." in said
    assert await stage.value(holder) == "Ada O'Neil <b>!"
    assert "not empty" not in await stage.does("type", selector="#i", text="new", clear=True)
    assert await stage.value(holder) == "new"
    await stage.does("type", selector="#i", text="", clear=True)
    assert await stage.value(holder) == ""


@in_turn(
    ("kind", "text"),
    [
        ("date", "2026-03-01"),
        ("time", "13:45"),
        ("datetime-local", "2026-03-01T13:45"),
        ("month", "2026-03"),
        ("week", "2026-W09"),
        ("color", "#ff8800"),
        ("range", "30"),
        ("number", "42.5"),
        ("email", "ada@example.com"),
        ("url", "https://example.com/"),
        ("tel", "+81 3 1234"),
    ],
)
async def test_kinds(stage: Stage, kind: str, text: str) -> None:
    """Every kind of input takes its value, and the page hears of it."""
    await stage.show(
        f"<input id=i type={kind} step=any><script>heard = [];"
        "for (const t of ['input', 'change']) i.addEventListener(t, () => heard.push(t))</script>"
    )
    await stage.does("type", selector="#i", text=text)
    assert await stage.value("i.value") == text
    assert await stage.value("heard.includes('input')") is True


async def test_number_is_added_to(stage: Stage) -> None:
    """A field without a caret to set takes more text at its end."""
    await stage.show("<input id=i type=number value=12>")
    await stage.does("type", selector="#i", text="34")
    assert await stage.value("i.value") == "1234"


@in_turn(
    ("field", "text", "why"),
    [
        ("<input id=i type=date>", "March 1st", "wants the form 2026-01-31"),
        ("<input id=i type=number>", "many", "did not take the text"),
        ("<input id=i onbeforeinput='event.preventDefault()'>", "x", "did not take the text"),
        ("<input id=i type=checkbox>", "x", "checkbox and no text field; click it"),
        ("<input id=i type=file>", "x", "use upload_file"),
        ("<select id=i></select>", "x", "use select_option"),
        ("<div id=i>no field</div>", "x", "type into a field"),
        ("<input id=i readonly>", "x", "it is read-only"),
        ("<input id=i disabled>", "x", "it is disabled"),
    ],
)
async def test_not_taken(hurried: Stage, field: str, text: str, why: str) -> None:
    """What does not take the text says why, and never that it was done."""
    await hurried.show(field)
    refused = await hurried.refuses("type", selector="#i", text=text)
    assert refused.startswith("NOT_ACTIONABLE: selector '#i': ")
    assert why in refused


@in_turn(
    ("field", "text", "holds"),
    [
        ("<input id=i maxlength=3>", "abcdef", 'it holds "abc" (at most 3).'),
        (
            "<input id=i oninput='this.value = this.value.toUpperCase()'>",
            "abc",
            'it holds "ABC".',
        ),
        ("<input id=i type=password maxlength=3>", "secret", "it holds 3 characters (at most 3)."),
        (
            "<input id=i oninput=\"this.value = this.value.replace(/(\\d{3})(?=\\d)/, '$1-')\">",
            "123456",
            'it holds "123-456".',
        ),
    ],
)
async def test_something_else(stage: Stage, field: str, text: str, holds: str) -> None:
    """A field that makes something else of the text is told with what it holds; no secret is."""
    await stage.show(field)
    said = await stage.does("type", selector="#i", text=text)
    assert holds in said
    assert "secret" not in said


async def test_controlled_field(stage: Stage) -> None:
    """A framework that renders the value itself keeps what is typed, and what is set."""
    await stage.show(
        "<input id=i><input id=d type=date><script>"
        # As React does it: the value property of the element is shadowed, and state decides.
        "for (const field of [i, d]) { let known = '';"
        " const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');"
        " Object.defineProperty(field, 'value', {get() { return own.get.call(this) },"
        "  set(value) { known = value; own.set.call(this, value) }});"
        " field.addEventListener('input', () => { const now = field.value;"
        "  if (now !== known) { known = now; field.dataset.state = now }"
        "  else field.dataset.missed = 1 }) }</script>"
    )
    await stage.does("type", selector="#i", text="Ada")
    await stage.does("type", selector="#d", text="2026-03-01")
    states = await stage.value("[i.dataset.state, d.dataset.state, d.dataset.missed]")
    assert states == ["Ada", "2026-03-01", None]


async def test_editor(stage: Stage) -> None:
    """An editor takes text and lines, whichever part of it is named."""
    await stage.show("<div id=e contenteditable><p id=p>Old</p></div>")
    await stage.does("type", selector="#p", text=" and new")
    assert await stage.value("e.innerText.trim()") == "Old and new"
    await stage.does("type", selector="#e", text="one\ntwo", clear=True)
    assert str(await stage.value("e.innerText")).split() == ["one", "two"]


async def test_newlines(stage: Stage) -> None:
    """A line break never submits a form by itself; as a key it does what the key does."""
    await stage.show(
        "<form id=f onsubmit='event.preventDefault(); sent = 1'><input id=i>"
        "<textarea id=t></textarea></form><script>sent = 0</script>"
    )
    await stage.does("type", selector="#i", text="one\ntwo")
    assert await stage.value("[sent, i.value]") == [0, "one two"]
    await stage.does("type", selector="#t", text="one\ntwo\r\nthree", keyEvents=True)
    assert await stage.value("[sent, t.value]") == [0, "one\ntwo\nthree"]
    await stage.does("type", selector="#i", text="x\n", keyEvents=True, clear=True)
    assert await stage.value("[sent, i.value]") == [1, "x"]


async def test_key_events(stage: Stage) -> None:
    """Key by key, each key says its name, code and number, and is trusted."""
    await stage.show(
        "<input id=i><script>keys = []; i.onkeydown = (e) =>"
        " keys.push([e.key, e.code, e.keyCode, e.shiftKey, e.isTrusted])</script>"
    )
    await stage.does("type", selector="#i", text="aB 1!é", keyEvents=True)
    assert await stage.value("i.value") == "aB 1!é"
    assert await stage.value("keys") == [
        ["a", "KeyA", 65, False, True],
        ["B", "KeyB", 66, True, True],
        [" ", "Space", 32, False, True],
        ["1", "Digit1", 49, False, True],
        ["!", "Digit1", 49, True, True],
        ["é", "", 0, False, True],
    ]


async def test_focus(stage: Stage) -> None:
    """Without a target the text goes where the focus is, in a shadow root as well."""
    await stage.show(
        "<input id=i autofocus><x-field></x-field><script>customElements.define('x-field',"
        " class extends HTMLElement { connectedCallback() {"
        " this.attachShadow({mode: 'open'}).innerHTML = '<input aria-label=Inner>' } });"
        " i.focus()</script>"
    )
    await stage.does("type", text="here")
    said = await stage.does("press", key="Tab")
    assert '"Inner"' in said
    await stage.does("type", text="there")
    inner = "document.querySelector('x-field').shadowRoot.querySelector('input').value"
    assert await stage.value(f"[i.value, {inner}]") == ["here", "there"]
    await stage.value("document.querySelector('x-field').remove()")
    await stage.value("document.activeElement.blur()")
    refused = await stage.refuses("type", text="nowhere")
    assert "nothing on the page has the focus" in refused


async def test_long_text(stage: Stage) -> None:
    """A hundred thousand characters are typed in one go, and no more."""
    await stage.show("<textarea id=t></textarea>")
    await stage.does("type", selector="#t", text="x" * 100_000)
    assert await stage.value("t.value.length") == 100_000
    assert (await stage.refuses("type", selector="#t", text="x" * 100_001)).startswith("BAD_ARGS")


@in_turn("text", ["\u202eabc", "日本語", "👩‍👩‍👧", "a\u0000b", "\ud800x"])
async def test_odd_text(stage: Stage, text: str) -> None:
    """Odd characters arrive, or are told of; they break nothing."""
    await stage.show("<input id=i>")
    answer = await stage.door.call("type", selector="#i", text=text)
    assert not answer.is_error or answer.text.startswith(("NOT_ACTIONABLE", "BAD_ARGS"))
    await stage.does("type", selector="#i", text="after", clear=True)


async def test_press(stage: Stage) -> None:
    """Keys do what they do in a browser: shortcuts, moves, submitting."""
    await stage.show(
        "<form onsubmit='event.preventDefault(); sent += 1'><input id=i value='some words'>"
        "<input id=j><button hidden>Send</button></form><script>sent = 0; seen = [];"
        "addEventListener('keydown', (e) => seen.push(e.key))</script>"
    )
    await stage.does("press", selector="#i", key="Control+A")
    await stage.does("press", key="Backspace")
    assert await stage.value("i.value") == ""
    await stage.does("type", text="abc")
    await stage.does("press", key="Shift+ArrowLeft")
    await stage.does("press", key="X")
    assert await stage.value("i.value") == "abX"
    await stage.does("press", key="Enter")
    assert await stage.value("sent") == 1
    said = await stage.does("press", key="Tab")
    assert said.startswith("Pressed Tab.")
    assert await stage.value("document.activeElement.id") == "j"
    await stage.does("press", key="a", modifiers=["Alt"])
    assert await stage.value("seen.slice(-2)") == ["Alt", "a"]
    refused = await stage.refuses("press", key="Entr")
    assert refused.startswith("BAD_ARGS: there is no key 'Entr'\nDid you mean Enter")


async def test_select(stage: Stage) -> None:
    """Options go by value or label; for one that is missing those that are there are named."""
    await stage.show(
        "<select id=s><option value=de>Germany<option value=jp>Japan<option"
        " disabled>Nowhere</select>"
        "<select id=m multiple><option>a<option>b<option>c</select><script>heard = [];"
        "for (const t of ['input', 'change']) s.addEventListener(t, () => heard.push(t))</script>"
    )
    assert "Selected in selector '#s': \"Japan\"." in await stage.does(
        "select_option", selector="#s", values=["jp"]
    )
    assert await stage.value("[s.value, heard]") == ["jp", ["input", "change"]]
    await stage.does("select_option", selector="#s", values=["germany"])
    assert await stage.value("s.value") == "de"
    await stage.does("select_option", selector="#m", values=["a", "c"])
    assert await stage.value("[...m.selectedOptions].map((o) => o.value)") == ["a", "c"]
    refused = await stage.refuses("select_option", selector="#s", values=["France"])
    assert 'no option "France"; it has 3, as below\n' in refused
    assert ' untrusted>\n"Germany" ("de")\n"Japan" ("jp")\n"Nowhere"\n</page ' in refused
    assert "disabled" in await stage.refuses("select_option", selector="#s", values=["Nowhere"])
    assert "only one" in await stage.refuses("select_option", selector="#s", values=["de", "jp"])
    assert await stage.value("s.value") == "de"


async def test_no_select(stage: Stage) -> None:
    """A list of another make is sent to click; a choice the page takes back is no success."""
    await stage.show(
        "<div id=d role=combobox tabindex=0>x</div>"
        "<select id=s onchange='this.value = \"a\"'><option>a<option>b</select>"
    )
    refused = await stage.refuses("select_option", selector="#d", values=["x"])
    assert "no select; click it" in refused
    refused = await stage.refuses("select_option", selector="#s", values=["b"])
    assert 'did not keep the choice; selected is "a"' in refused


_FORM = (
    "<form id=f onsubmit='event.preventDefault(); sent = Object.fromEntries(new FormData(f))'>"
    "<input name=name id=n value=old><input type=checkbox name=ok id=k>"
    "<input type=radio name=r value=1 id=r1><input type=radio name=r value=2 id=r2>"
    "<select name=s id=s><option>a<option>b</select><input type=number name=age id=a>"
    "<textarea name=t id=t></textarea><button id=go>Send</button></form>"
)


async def test_fill_form(stage: Stage) -> None:
    """Every kind of field is filled in as it wants to be, and then the form is submitted."""
    await stage.show(_FORM)
    fields = {"#n": "Ada", "#k": True, "#r2": True, "#s": ["b"], "#a": 42, "#t": "x\ny"}
    said = await stage.does("fill_form", fields=fields, submitSelector="#go")
    assert said.startswith("Filled in 6 of 6 fields. Clicked selector '#go'.")
    assert await stage.value("sent") == {
        "name": "Ada",
        "ok": "on",
        "r": "2",
        "s": "b",
        "age": "42",
        "t": "x\ny",
    }


_MASKED = (
    "<form onsubmit='sent = [...new FormData(this).values()]; return false'>"
    "<input name=t id=t><input type=datetime-local name=d id=d><button id=go>Send</button></form>"
    "<script>sent = null; t.oninput = () => { t.value = t.value.toUpperCase().replace(/^"
    "(...)/, '($1) '); }</script>"
)


async def test_fill_form_masked(stage: Stage) -> None:
    """A field that writes the text its own way keeps no form back; one that takes nothing does."""
    await stage.show(_MASKED)
    fields = {"#t": "abc123", "#d": "2026-01-31 13:45"}
    said = await stage.does("fill_form", fields=fields, submitSelector="#go")
    assert said.startswith("Filled in 2 of 2 fields. selector '#t': it holds \"(ABC) 123\".")
    assert await stage.value("sent") == ["(ABC) 123", "2026-01-31T13:45"]
    await stage.does("type", selector="#d", text="2026-01-31 13:45", clear=True)
    refused = await stage.refuses("fill_form", fields={"#d": "soon"})
    assert "not selector '#d': it did not take the text: it wants the form" in refused
    assert await stage.value("d.value") == "2026-01-31T13:45"


async def test_fill_form_missing(hurried: Stage) -> None:
    """A field that is not there stops all before any is touched."""
    await hurried.show(_FORM)
    refused = await hurried.refuses("fill_form", fields={"#n": "Ada", "#none": "x", "#no": "y"})
    assert refused.startswith("SELECTOR_NOT_FOUND: selector '#none': ")
    assert "'#no'" in refused
    assert await hurried.value("n.value") == "old"


async def test_fill_form_without_its_button(hurried: Stage) -> None:
    """Where what submits is not there, the answer says that the fields are filled in."""
    await hurried.show(_FORM)
    refused = await hurried.refuses("fill_form", fields={"#n": "Ada"}, submitSelector="#none")
    assert refused.startswith("SELECTOR_NOT_FOUND: selector '#none': ")
    assert "Filled in 1 of 1 field. " in refused
    assert await hurried.value("n.value") == "Ada"


async def test_fill_form_partly(hurried: Stage) -> None:
    """Fields that cannot be filled are named with the reason, and nothing is submitted."""
    await hurried.show(_FORM + "<script>sent = null</script>")
    refused = await hurried.refuses(
        "fill_form",
        fields={"#n": "Ada", "#k": "yes", "#s": "z", "#go": "x"},
        submitSelector="#go",
    )
    assert refused.startswith("NOT_ACTIONABLE: 1 of 4 fields were filled in, and not ")
    for name in (
        "'#k': it is ticked or not",
        "'#s': it has no option",
        "'#go': it is a button (button) and no field",
    ):
        assert name in refused
    assert await hurried.value("[n.value, sent]") == ["Ada", None]


async def test_dialog_while_typing(stage: Stage) -> None:
    """A dialog in the middle of typing is told, and blocks nobody."""
    await stage.show("<input id=i oninput=\"alert('stop')\">")
    said = await stage.does("type", selector="#i", text="abc", keyEvents=True)
    assert "A dialog is open" in said
    assert "Accepted" in await stage.does("handle_dialog", action="accept")


async def test_editable_page_in_a_frame(stage: Stage) -> None:
    """An editor that is a whole document in a frame gets the text, wherever the focus was."""
    await stage.show("<input id=i><iframe id=f srcdoc='<body contenteditable>Old</body>'></iframe>")
    editor = re.findall(r"\[ref=(f\w+)\]", await stage.does("snapshot"))[0]
    text = "f.contentDocument.body.innerText"
    await stage.does("type", ref=editor, text="one", clear=True)
    await stage.does("type", selector="#i", text="elsewhere")
    await stage.does("type", ref=editor, text=" two")
    assert await stage.value(f"[{text}, i.value]") == ["one two", "elsewhere"]
    await stage.does("type", selector="#i", text="!")
    await stage.does("press", ref=editor, key="x")
    assert await stage.value(f"[{text}.length, i.value]") == [8, "elsewhere!"]


async def test_caret_in_an_editable_document(stage: Stage) -> None:
    """In a frame in design mode the caret stays where keys and text have left it."""
    await stage.show("<iframe id=f srcdoc='Old'></iframe>")
    await stage.value("f.contentDocument.designMode = 'on'")
    editor = re.findall(r"\[ref=(f\w+)\]", await stage.does("snapshot"))[0]
    await stage.does("type", ref=editor, text=" one")
    await stage.does("press", key="ArrowLeft")
    await stage.does("type", text="!")
    assert await stage.value("f.contentDocument.body.innerText") == "Old on!e"
