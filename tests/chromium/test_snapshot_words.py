"""Words that a person sees are told once, in one piece, and with what they belong to."""

import re

import pytest

from bridge.browser.browser import Browser
from tests.support.reader import Reader
from tests.support.reader import reader as reader
from tests.support.readings import read
from tests.support.rows import in_turn

pytestmark = [  # once: what is in a page does not depend on how its browser is shared
    pytest.mark.chromium,
    pytest.mark.shared,
]


async def test_what_a_label_holds(browser: Browser) -> None:
    """What shows itself inside of its own label is told with what it says, and the label once."""
    body = (
        "<label>Upload <progress value=.5></progress></label><label>Fuel <meter value=3 max=9>"
        "</meter></label><label>Sum <output>42</output></label>"
        "<label>Country <button>Norway</button></label>"
        "<label>Size <button role=combobox>Large</button></label>"
        "<label>Colour <select><option>Red</select></label><label>Name <input value=Ada></label>"
        "<button><label>Load <progress value=.2></progress></label></button>"
    )
    assert (await read(browser, body)).splitlines() == [
        '- progressbar "Upload": 50%',
        '- meter "Fuel": 3',
        '- status "Sum": 42',
        '- button "Country" [ref=e1]:',
        "  - text: Norway",
        '- combobox "Size" [ref=e2]:',
        "  - text: Large",
        '- combobox "Colour" [ref=e3]: Red',
        "  - options: Red",
        '- textbox "Name" [ref=e4]: Ada',
        '- button "Load" [ref=e5]',
    ]


async def test_words_through_boxless_elements(browser: Browser) -> None:
    """What has no box of its own, as a slot, sets nothing off from the words around it."""
    body = (
        "<p><x-badge>5<template shadowrootmode=open>(<slot></slot>)</template></x-badge>"
        " un<b style='display: contents'>do</b>ne"
    )
    assert await read(browser, body) == "- text: (5) undone"


_LETTERS = """<style>.s span { display: inline-block } .s i { display: inline-block }
.keys kbd { display: inline-block; padding: 0 9px } .far span { margin-right: 9px }</style>"""


def _spelt(word: str) -> str:
    return "".join(f"<span>{sign}</span>" for sign in word)


async def test_words_that_come_letter_by_letter(reader: Reader) -> None:
    """Letters in boxes of their own are the word a person sees; keys beside each other are none."""
    await reader.show(
        f"{_LETTERS}<h1 class=s>{_spelt('Hello')} {_spelt('you!')}</h1>"
        f"<p class=s>We <i>{_spelt('can')}</i> <b>{_spelt('do')}</b></p>"
        f"<button class=s>{_spelt('Send')}</button><p class='s far'>{_spelt('XY')}</p>"
        "<p class=keys><kbd>Q</kbd><kbd>W</kbd></p>"
    )
    assert (await reader.page("snapshot")).splitlines() == [
        '- heading "Hello you!" [level=1]',
        "- text: We can do",
        '- button "Send" [ref=e1]',
        "- text: X Y",
        "- text: Q W",
    ]
    said = await reader.page("get_text")
    assert said.split("\n\n") == ["Hello you!", "We can do", "Send", "X Y", "Q W"]
    assert (await reader.text("find", text="hello you")).startswith("1 visible\n")


_ENDS = r"""<style>.end::after { content: "\A"; white-space: pre }
.said::after { content: "\201C\41\"\\\9z\A  b"; white-space: pre }</style>"""


async def test_line_ends_of_style_sheets(reader: Reader) -> None:
    r"""A line end that a style sheet writes, `\A`, is one, and no letter."""
    await reader.show(
        f"{_ENDS}<p><span class=end>One</span><span class=end>Two</span>Three</p>"
        "<button><b class=end>Four</b><b>Five</b></button><p class=said>Six</p>"
    )
    assert (await reader.page("snapshot")).splitlines() == [
        "- text: One Two Three",
        '- button "Four Five" [ref=e1]',
        '- text: Six“A"\\ z b',
    ]
    assert (await reader.page("get_text")).startswith("One\nTwo\nThree\n")


_PICTURES = r"""<style>.a::after { content: url("/a.png") } .b::before { content: url(b.png) "B " }
.c::before { content: image-set("c.png" 1x, url("d.png") type("image/png") 2x) / "C " }
.d::before { content: "url(\"d\") " " url(" ") " }</style>"""


async def test_pictures_of_style_sheets(reader: Reader) -> None:
    """The address of a picture that a style sheet puts before or behind words is none of them."""
    words = "".join(f"<p class={each}>x</p>" for each in "bcd")
    await reader.show(f"{_PICTURES}<a class=a href=#>Far</a>{words}")
    assert (await reader.page("snapshot")).splitlines() == [
        '- link "Far" [ref=e1]',
        "- text: B x",
        "- text: C x",
        '- text: url("d") url() x',
    ]
    assert (await reader.page("get_text")).startswith("Far\n\nB x")


_DRAWING = """<svg width=9 height=9><style>.a { fill: red }</style><desc>Made with Draw</desc>
<metadata>x</metadata><defs><text>y</text></defs><rect class=a width=9 height=9 /></svg>"""


async def test_what_drawings_hold_unpainted(browser: Browser) -> None:
    """What a drawing holds and never paints is in no name, but for one that refers to it."""
    body = (
        f"<button>{_DRAWING} Save</button><a href=#>{_DRAWING}</a>"
        f"<label>{_DRAWING}Find <input></label>"
        "<b id=tip hidden><style>b { color: red }</style><script>0</script>Help</b>"
        "<button aria-labelledby=tip>?</button>"
        "<svg width=9 height=9 role=img aria-labelledby='t d'><title id=t>A</title>"
        "<desc id=d>B</desc></svg>"
    )
    assert (await read(browser, body)).splitlines() == [
        '- button "Save" [ref=e1]',
        "- link [ref=e2]",
        '- textbox "Find" [ref=e3]',
        '- button "Help" [ref=e4]:',
        "  - text: ?",
        '- img "A B"',
    ]


async def test_lines_of_code(reader: Reader) -> None:
    """What stands behind a block in a listing is a line of its own."""
    await reader.show(
        "<pre><b style='display: block'>a.py</b>import a\n<i style='display: block'>b</i>\nc"
        "<div>d</div>  <div>e</div><span>f</span></pre>"
    )
    assert await reader.page("read_as_markdown") == "```\na.py\nimport a\nb\nc\nd\ne\nf\n```"


async def test_what_is_typed_into_editors(browser: Browser) -> None:
    """What somebody has typed is the value of a field, and not its name as well, nor told twice."""
    body = (
        "<div role=searchbox contenteditable>one</div><br>"
        "<div role=combobox contenteditable aria-expanded=true aria-label=To>two</div><br>"
        "<div role=combobox tabindex=0 aria-label=Size>three</div>"
    )
    assert (await read(browser, body)).splitlines() == [
        "- searchbox [ref=e1]: one",
        '- combobox "To" [ref=e2] [expanded]: two',
        '- combobox "Size" [ref=e3]:',
        "  - text: three",
    ]


_EDITED = """<h1 contenteditable>Title</h1><table><tr><td contenteditable>3<td>pieces</table>
<p role=document contenteditable aria-label=Paragraph>Once</p><ul><li contenteditable="">Milk</ul>
<div role=none contenteditable>upon</div><h2 contenteditable=false>End</h2>"""


async def test_what_is_edited_in_its_place(reader: Reader) -> None:
    """A heading, a cell, an item that can be written into says so, and has a ref to do it by."""
    await reader.show(_EDITED)
    said = await reader.page("snapshot")
    assert said.splitlines() == [
        '- heading "Title" [ref=e1] [level=1] [editable]',
        "- table:",
        "  - row:  | pieces",
        '    - cell "3" [ref=e2] [editable]',
        '- textbox "Paragraph" [ref=e3]: Once',
        '- listitem "Milk" [ref=e4] [editable]',
        "- textbox [ref=e5]: upon",
        '- heading "End" [level=2]',
    ]
    for ref in ("e1", "e2", "e3", "e4", "e5"):
        await reader.text("type", ref=ref, text=ref, clear=True)
    said = await reader.page("get_text")
    assert said.split() == ["e1", "e2", "pieces", "e3", "e4", "e5", "End"]


_CARDS = """<a href=/1><h3>One</h3><p>About it</p></a><a href=/2><div>Two</div><div>More</div></a>
<ul><li><a href=/3> <p>Three</p></a> behind</ul><a href=/4><ul><li>Four<li>Five</ul></a>
<table><tr><th>A<th>B<tr><td><a href=/6><div>Six</div><div>Seven</div></a><td>x</table>
<a href=/7><div></div></a><p>Last <a href=/8>in <em>line</em></a>.</p>
<a href=/9><i></i><h3>Nine</h3></a><a href=/10><b><h3>Ten</h3></b><p>More</p></a>"""


async def test_links_around_several_parts(reader: Reader) -> None:
    """The link of a whole card is told in Markdown, with the first of the words in it."""
    await reader.show(_CARDS)
    said = (await reader.page("read_as_markdown")).replace(reader.site.url("/"), "/")
    assert said.split("\n\n") == [
        "### [One](/1)",
        "About it",
        "[Two](/2)",
        "More",
        "- [Three](/3)",
        "  behind",
        "- [Four](/4)\n- Five",
        "| A | B |\n| --- | --- |\n| [Six Seven](/6) | x |",
        "Last [in *line*](/8).",
        "### [Nine](/9)",
        "### [Ten](/10)",
        "More",
    ]


async def test_blanks_that_hold_together(reader: Reader) -> None:
    """A blank that does not break, or is wider, is one at the border of two elements as well."""
    await reader.show(
        "<p>Price:&nbsp;<b>$5</b> for<i>&nbsp;two</i><span>&nbsp;</span><b>or</b>\u3000<b>more</b>"
        "<p>&nbsp;</p><p>&nbsp;End&nbsp;</p>"
    )
    assert (await reader.page("get_text")).split("\n\n") == ["Price: $5 for two or more", "End"]


async def test_lists_and_tables_for_looks(browser: Browser) -> None:
    """What is declared meaningless has no items, rows and cells; what stands in it has its own."""
    body = (
        "<ul role=none><li>a<li>b<ul><li>c</ul></ul><ol role='presentation'><li tabindex=0>d</ol>"
        "<ul role=none aria-label=Named><li>e</ul><table role=none><caption>f</caption><thead><tr>"
        "<th>g<tbody><tr><td>h<td><table><tr><td>i<td>j<tr><td>k<td>l</table></table>"
    )
    assert (await read(browser, body)).splitlines() == [
        *["- text: a", "- text: b", "- listitem: c"],
        '- generic "d" [ref=e1] [clickable]',
        *['- list "Named":', "  - listitem: e"],
        *["- text: f", "- text: g", "- text: h"],
        *["- table:", "  - row: i | j", "  - row: k | l"],
    ]


async def test_what_heads_a_row(browser: Browser) -> None:
    """A header before the data of its row is that row's, whatever the page leaves unsaid."""
    body = (
        "<table><tr><td><th tabindex=0>Mon<tr><th tabindex=0>Ada<td>3<tr><th tabindex=0>Sum</table>"
    )
    said = [line.strip() for line in (await read(browser, body)).splitlines()]
    assert [line.partition(" [")[0] for line in said if "ref=" in line] == [
        '- columnheader "Mon"',
        '- rowheader "Ada"',
        '- columnheader "Sum"',
    ]


_SAYS = "<p>He said <q>go <q>now</q></q>.</p><button><q>Go</q></button>"


@in_turn(
    ("style", "said", "name"),
    [
        ("", "He said “go \u2018now\u2019”.", "“Go”"),
        ("q { quotes: '«' '»' }", "He said «go «now»».", "«Go»"),
        ("q { quotes: none }", "He said go now.", "Go"),
        ("q::before, q::after { content: none }", "He said go now.", "Go"),
        ("q { quotes: none } p::before { content: open-quote }", "“He said go now.", "Go"),
        ("q { quotes: none } p::before { content: no-open-quote }", "He said go now.", "Go"),
    ],
)
async def test_quotation_marks(reader: Reader, style: str, said: str, name: str) -> None:
    """Quotation marks that no text of the page holds are told, as far as the page wants them."""
    await reader.show(f"<style>{style}</style>{_SAYS}")
    text, button = (await reader.page("snapshot")).splitlines()
    assert (text, button.partition(" [")[0]) == (f"- text: {said}", f'- button "{name}"')
    assert said in await reader.page("get_text")
    assert said in await reader.page("read_as_markdown")


async def test_a_sign_with_a_name(browser: Browser) -> None:
    """What is painted without a word is told by its name, where nothing in it says anything."""
    stars = "<span aria-label='4.5 of 5' style='display: inline-block; {}'></span>"
    gold = "width: 80px; height: 16px; background: gold"
    body = (
        f"<p>Lamp {stars.format(gold)} (12)</p><i title=Sold style='float: left; {gold}'></i>"
        "<div aria-label='Drop here' style='height: 90px; border: 2px dashed'></div>"
        "<div aria-label=Mail><svg width=20 height=20><circle r=9></svg></div>"
        f"<div aria-label=Price style='{gold}'>$19</div><b aria-label=Box><button>Go</button></b>"
        f"<div aria-label=Clear style='height: 90px'><i></i></div>{stars.format('')}"
        f"<div aria-label=Away style='visibility: hidden; {gold}'></div>"
    )
    assert (await read(browser, body)).splitlines() == [
        "- text: Lamp",
        '- generic "4.5 of 5" [ref=e1]',
        "- text: (12)",
        '- generic "Sold" [ref=e2]',
        '- generic "Drop here" [ref=e3]',
        '- generic "Mail" [ref=e4]',
        "- text: $19",
        '- button "Go" [ref=e5]',
    ]


_KEPT_BACK = """<style>.k { content-visibility: hidden }</style>
<p class=k><i>paragraph</i></p><span class=k><i>words</i></span><b class=k
style="display: inline-block"><i>box</i></b><table><tr><td class=k><i>single</i></td></tr>
<tr class=k><td><i>across</i></td></tr></table><table class=k><tr><td><i>whole</i></td></tr></table>
<table><caption class=k><i>heading</i></caption><tbody class=k><tr><td><i>body</i></td></tr></tbody>
</table><ul><li class=k><i>item</i></li></ul><div class=k style="display: grid"><i>raster</i></div>
<div class=k style="display: contents"><i>held</i></div><ruby class=k><i>ruby</i></ruby>
<svg class=k width=99 height=20><text y=15><tspan>drawn</tspan></text></svg>"""


async def test_kept_back_by_a_style(reader: Reader) -> None:
    """What `content-visibility` keeps back is not told; what is in boxes it does nothing to is."""
    words = [
        word for pair in re.findall(r"<i>(\w+)|<tspan>(\w+)", _KEPT_BACK) for word in pair if word
    ]
    await reader.show(_KEPT_BACK)
    for tool in ("snapshot", "get_text", "read_as_markdown"):
        page = await reader.page(tool)
        told = [word for word in words if word in page]
        named = ["heading"] * (tool == "snapshot")  # a caption is its table's name, seen or not
        assert told == ["words", "across", "whole", *named, "body", "held", "ruby"], tool
