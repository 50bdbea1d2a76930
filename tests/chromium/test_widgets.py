"""What libraries of components make of the platform, as they are met in pages: told and usable."""

import re

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]


@in_turn(
    ("page", "line"),
    [
        (
            '<div style="position: relative; width: 200px; height: 30px">Green<input role=combobox'
            " aria-label=Shade aria-expanded=false"
            ' style="position: absolute; inset: 0; opacity: 0"></div>',
            r'- combobox "Shade" \[ref=e\d+\] \[collapsed\]',
        ),
        (
            '<span style="position: relative; display: block; width: 200px; height: 20px"><input'
            ' type=range aria-label=Volume value=30 style="position: absolute; width: 100%;'
            " height: 100%;"
            ' clip-path: inset(50%)"></span>',
            r'- slider "Volume" \[ref=e\d+\].*: 30',
        ),
        (
            '<label style="position: relative; display: block; width: 80px; height: 30px">Colour'
            '<input type=color style="position: absolute; inset: 0; opacity: 0"></label>',
            r'- button "Colour" \[ref=e\d+\] \[color\]: #000000',
        ),
        (
            '<div style="position: relative; width: 200px; height: 30px">5 March<input type=date'
            ' aria-label=Day style="position: absolute; inset: 0; opacity: 0"></div>',
            r'- textbox "Day" \[ref=e\d+\] \[date\]',
        ),
        (
            "<input role=combobox aria-label=City autocomplete=new-password value=Bern>",
            r'- combobox "City" \[ref=e\d+\]: Bern',
        ),
        (
            "<input aria-label=Code autocomplete=new-password value=Bern>",
            r'- textbox "Code" \[ref=e\d+\]: ••••',
        ),
        (
            "<table><tr><th aria-sort=ascending>Name<th>Age<tr><td>Ann<td>7</table>",
            r"- row: Name \[sort=ascending\] \| Age",
        ),
        (
            "<div role=grid><div role=row><div role=columnheader aria-sort=descending"
            " tabindex=0>Name"
            "</div><div role=columnheader tabindex=0>Age</div></div></div>",
            r'- columnheader "Name" \[ref=e\d+\] \[sort=descending\]',
        ),
        (
            "<table><tr><th aria-sort=ascending><button>Name</button><th>Age"
            "<tr><td>Ann<td>7</table>",
            r'- button "Name" \[ref=e\d+\] \[sort=ascending\]',
        ),
        ("<div tabindex=0></div><p>Words", r"^- text: Words$"),
    ],
)
async def test_in_a_snapshot(stage: Stage, page: str, line: str) -> None:
    """The line of it is what a person sees there."""
    await stage.show(page)
    shown = await stage.does("snapshot")
    assert re.search(line, shown, re.MULTILINE), shown
    assert "generic" not in shown


async def test_label_of_a_component(stage: Stage) -> None:
    """The label of a component that takes part in forms is the name of the one field in it."""
    await stage.show(
        "<label><x-check></x-check>Remember me</label> <label for=b>Wifi</label><x-check"
        " id=b></x-check>"
        "<label for=c>Nothing in it</label><x-bare id=c></x-bare>"
        "<script>for (const [tag, html] of [['x-check', '<input type=checkbox>'], ['x-bare',"
        " '<i>i</i>']])"
        " customElements.define(tag, class extends HTMLElement { static formAssociated = true;"
        " constructor() { super(); this.attachInternals();"
        " this.attachShadow({mode: 'open'}).innerHTML = html } })</script>"
    )
    shown = await stage.does("snapshot")
    assert re.search(r'- checkbox "Remember me" \[ref=e\d+\]', shown), shown
    assert re.search(r'- checkbox "Wifi" \[ref=e\d+\]', shown), shown
    assert "Nothing in it" in shown


async def test_rows_by_their_index(stage: Stage) -> None:
    """Rows that are placed by a transform are told in the order the page gives them."""
    row = (
        "<div role=row aria-rowindex={} style='position: absolute'>"
        "<span role=cell>{}</span><span role=cell>x</span></div>"
    )
    rows = "".join(row.format(*each) for each in [(3, "Third"), (1, "First"), (2, "Second")])
    await stage.show(f"<div role=table style='position: relative'>{rows}</div>")
    shown = await stage.does("snapshot")
    assert shown.index("First") < shown.index("Second") < shown.index("Third")


async def test_chosen_by_keys(stage: Stage) -> None:
    """The option that the Enter key would choose is marked, and told when the keys move to it."""
    await stage.show(
        "<input id=i role=combobox aria-label=Fruit aria-expanded=true aria-controls=l>"
        "<ul id=l role=listbox><li role=option id=o0>Apple<li role=option id=o1>Pear</ul>"
        "<script>let k = -1; i.onkeydown = (e) => { if (e.key == 'ArrowDown')"
        " i.setAttribute('aria-activedescendant', 'o' + ++k) }</script>"
    )
    said = await stage.does("press", selector="#i", key="ArrowDown")
    assert re.search(r'^~ - option "Apple" \[ref=e\d+\] \[active\]$', said, re.MULTILINE), said
    await stage.does("press", key="ArrowDown")
    shown = await stage.does("snapshot")
    assert re.search(r'- option "Pear" \[ref=e\d+\] \[active\]', shown)
    assert re.search(r'- option "Apple" \[ref=e\d+\]$', shown, re.MULTILINE)


async def test_enter_waits_for_suggestions(stage: Stage) -> None:
    """Enter behind a text chooses what is suggested for it, and not what was before."""
    await stage.show(
        "<input id=i role=combobox aria-label=Tag aria-expanded=true>"
        "<ul role=listbox id=l><li role=option class=on>apple</ul><script>let t;"
        "i.oninput = () => { clearTimeout(t); t = setTimeout(() => { l.innerHTML ="
        " '<li role=option class=on>' + i.value }, 200) }; i.onkeydown = (e) => {"
        " if (e.key == 'Enter') window.chosen = l.querySelector('.on').textContent }</script>"
    )
    await stage.does("type", selector="#i", text="zebra", pressEnter=True)
    assert await stage.value("chosen") == "zebra"


async def test_right_click(stage: Stage) -> None:
    """A menu that opens below the mouse gets the rest of a right click: nothing has gone wrong."""
    await stage.show(
        "<div id=r style='width: 200px; height: 40px'>Row A</div><div id=m role=menu hidden"
        " style='position: fixed; background: #fff'><div role=menuitem tabindex=-1"
        " style='padding: 8px'>"
        "Delete</div></div><script>r.oncontextmenu = (e) => { e.preventDefault(); m.hidden = false;"
        " m.style.left = e.clientX + 'px'; m.style.top = e.clientY + 'px' }</script>"
    )
    said = await stage.does("click", selector="#r", button="right")
    assert '+ - menuitem "Delete"' in said
    assert "between" not in said


async def test_opens_with_the_press(stage: Stage) -> None:
    """What opens with the press, and takes the release, is told as a reaction to it."""
    await stage.show(
        "<button id=b onmousedown='m.hidden = false'>Open</button><div id=m hidden"
        " style='position: fixed; inset: 0; background: #fff'>Choices</div>"
    )
    said = await stage.does("click", selector="#b")
    assert "It reacted to the press" in said
    assert "Choices" in said


async def test_picker_of_a_select(stage: Stage) -> None:
    """The open picker of a select that a page paints is told, its options as parts of the page."""
    await stage.show(
        "<style>#s, #s::picker(select) { appearance: base-select }</style>"
        "<label>B <select id=s><button>Pick</button><option><b>On</b>e<option>Two"
        "<optgroup label=More><option disabled>Three</select></label>"
    )
    assert "  - options: One | Two | More: Three [disabled]" in await stage.does("snapshot")
    said = await stage.does("click", selector="#s")
    assert '~ - option "Two" [ref=' in said
    told = (await stage.does("snapshot")).splitlines()
    begin = told.index('- combobox "B" [ref=e1] [expanded]: One')
    shown = [re.sub(r" \[ref=\w+\]", "", line) for line in told[begin + 1 : begin + 5]]
    assert shown == [
        '  - option "One" [selected] [focused]',
        '  - option "Two"',
        '  - group "More":',
        '    - option "Three" [disabled]',
    ]
    [ref] = re.findall(r'- option "Two" \[ref=(\w+)\]', await stage.does("find", text="two"))
    said = await stage.does("click", ref=ref)
    assert re.findall("^[-+~] .*", said, re.MULTILINE) == [
        '~ - combobox "B" [ref=e1] [focused]: Two'
    ]


async def test_style_sheets_are_no_words(stage: Stage) -> None:
    """The style sheet of what goes is not among the words of it."""
    await stage.show(
        "<div id=d><style>#d { color: red }</style>Gone soon</div>"
        "<button id=b onclick='d.remove()'>x</button>"
    )
    said = await stage.does("click", selector="#b")
    assert "- - text: Gone soon" in said
    assert "color" not in said


async def test_editor_that_paints_itself(stage: Stage) -> None:
    """An editor with an EditContext is typed into, whether or not its field has a size."""
    await stage.show(
        "<div id=view>let a = 1;</div><div id=e role=textbox aria-label=Code tabindex=0"
        " style='position: absolute; width: 0; height: 19px; overflow: hidden'></div><script>"
        "const c = new EditContext({text: 'let a = 1;'}); e.editContext = c;"
        " c.updateSelection(10, 10);"
        "view.onmousedown = (event) => { event.preventDefault(); e.focus() };"
        "e.onkeydown = (event) => { if (event.ctrlKey && event.key == 'a')"
        " { c.updateSelection(0, c.text.length); event.preventDefault() } };"
        "c.ontextupdate = () => { view.textContent = c.text }</script>"
    )
    await stage.does("click", selector="#view")
    assert 'it holds "let a = 1; // one" now' in await stage.does("type", text=" // one")
    assert '"let a = 1; // one."' in await stage.does("type", text=".", keyEvents=True)
    await stage.does("type", selector="#e", text="done()", clear=True)
    assert '- textbox "Code" [ref=e1] [focused]: done()' in await stage.does("snapshot")
    assert "Filled in 1 of 1" in await stage.does("fill_form", fields={"#e": "again()"})
    assert await stage.value("c.text") == "again()"
