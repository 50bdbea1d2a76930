"""Editors of others: what the editor itself holds is the text, whatever is in its elements."""

import pytest

from tests.support.apps import App, ref_of
from tests.support.apps import app as app

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

EDITORS = pytest.mark.parametrize("name", ["prosemirror", "quill", "lexical", "codemirror"])
TEXTS = (
    "one\ntwo",
    "a\n\nb",
    " at both ends ",
    "two  spaces\tand a tab",
    "smile 😀 👩‍👩‍👧 end",
    "שלום עולם abc",
    "(brackets [and {quotes\"'",
    "line\n  indented\nback",
    "long " * 2000,
)


async def _text(app: App) -> str:
    """What the editor holds; Quill ends every text with a line break of its own."""
    text = str(await app.state("text()"))
    return text.removesuffix("\n") if "/quill" in app.tab.url else text


async def _open(app: App, name: str) -> str:
    return ref_of(await app.open(name), "textbox")


@EDITORS
async def test_exact(app: App, name: str) -> None:
    """Each text replaces the last one and arrives to the letter, and the answer says so."""
    editor = await _open(app, name)
    for text in TEXTS:
        said = await app.does("type", ref=editor, text=text, clear=True)
        assert await _text(app) == text
        assert "does not hold" not in said


@EDITORS
async def test_key_by_key(app: App, name: str) -> None:
    """Keys write lines as well, replace what is there, and can take all of it away."""
    editor = await _open(app, name)
    await app.does("type", ref=editor, text="first")
    await app.does("type", ref=editor, text="one\ntwo 😀", clear=True, keyEvents=True)
    assert await _text(app) == "one\ntwo 😀"
    await app.does("type", ref=editor, text="", clear=True)
    assert await _text(app) == ""


@EDITORS
async def test_focus_comes_back(app: App, name: str) -> None:
    """An editor that has lost the focus is emptied, added to and replaced all the same."""
    editor = await _open(app, name)
    blur = "document.activeElement.blur()"
    await app.does("type", ref=editor, text="one")
    await app.value(blur)
    await app.does("type", ref=editor, text=" two")
    assert await _text(app) == "one two"
    await app.value(blur)
    await app.does("type", ref=editor, text="", clear=True)
    assert await _text(app) == ""
    await app.value(blur)
    await app.does("fill_form", fields={editor: "three\nfour"})
    assert await _text(app) == "three\nfour"


@EDITORS
async def test_undo(app: App, name: str) -> None:
    """What was typed is one step back, as far as the editor counts it as one, and forth again."""
    editor = await _open(app, name)
    await app.does("type", ref=editor, text="one\ntwo", clear=True)
    steps = 0
    while await _text(app):
        await app.does("press", key="Control+z")
        steps += 1
        assert steps <= 2
    await app.does("press", ref=editor, key="Control+Shift+z" if name == "quill" else "Control+y")
    assert (await _text(app)).startswith("one")


@EDITORS
async def test_enter_and_more(app: App, name: str) -> None:
    """Enter begins a line, and what is typed without a target goes where the caret is."""
    editor = await _open(app, name)
    await app.does("type", ref=editor, text="one", pressEnter=True)
    await app.does("type", text="two")
    assert await _text(app) == "one\ntwo"
    await app.does("type", ref=editor, text=" three")
    assert await _text(app) == "one\ntwo three"
    shown = await app.does("get_text", ref=editor)
    assert "one\n" in shown
    assert "two three" in shown


async def test_more_than_is_shown(app: App) -> None:
    """An editor that shows a part of a long text is replaced and added to as a whole."""
    editor = await _open(app, "codemirror")
    lines = "\n".join(f"line {each}" for each in range(500))
    said = await app.does("type", ref=editor, text=lines)
    assert await _text(app) == lines
    assert "shows only the end of what it holds" in said
    await app.does("press", key="Control+Home")
    await app.does("type", ref=editor, text=" end")
    assert await _text(app) == lines + " end"
    await app.does("press", key="Control+Home")
    await app.does("type", ref=editor, text="new", clear=True)
    assert await _text(app) == "new"


async def test_brackets_that_close_themselves(app: App) -> None:
    """An editor that adds to the keys it gets is told with what it holds."""
    editor = await _open(app, "codemirror")
    said = await app.does("type", ref=editor, text="f(x", keyEvents=True)
    assert await _text(app) == "f(x)"
    assert 'It does not hold the text as given: it holds "f(x)".' in said


async def test_buttons(app: App) -> None:
    """An editor says what it asks for; its buttons have names and states, and do their work."""
    seen = await app.open("quill")
    assert '[placeholder="Write here"]' in seen
    editor = ref_of(seen, "textbox")
    await app.does("type", ref=editor, text="bold")
    await app.does("press", key="Control+a")
    said = await app.does("click", ref=await app.ref('button "bold"'))
    assert 'button "bold"' in said
    assert "[pressed]" in said
    assert await app.state("delta()") == [
        {"attributes": {"bold": True}, "insert": "bold"},
        {"insert": "\n"},
    ]


async def test_only_what_changed(app: App) -> None:
    """Buttons that an editor sets with every letter to what they were are not told as changed."""
    editor = await _open(app, "quill")
    await app.does("type", ref=editor, text="one")
    assert "button" not in await app.does("type", ref=editor, text=" two")
