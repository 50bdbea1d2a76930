"""What stands for more than its letters, or for less: masks, places in tables, raised numbers."""

import pytest

from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

TEXTS = ("snapshot", "get_text", "read_as_markdown")
MASKED = """<style>.dots { -webkit-text-security: disc }</style>
<textarea class="dots" aria-label="Key">hunter2</textarea>
<div class="dots" contenteditable aria-label="Words">hunter2 <b>hunter2</b></div>
<p>Yours: <span class="dots">hunter2</span></p><p class="dots" hidden>hunter2</p>"""


async def test_masked_letters(reader: Reader) -> None:
    """What is painted as dots is told as dots, whatever element it is in."""
    await reader.show(MASKED)
    for tool in (*TEXTS, "get_form_values", "find"):
        given = {"text": "hunter"} if tool == "find" else {}
        assert "hunter2" not in await reader.text(tool, **given), tool
    assert 'textbox "Key" [ref=e1]: ••••' in await reader.page("snapshot")
    for tool in TEXTS:
        assert "Yours: ••••" in await reader.page(tool), tool
    assert (await reader.page("get_form_values")).count('"••••"') == 2
    fields = await reader.page("get_html", selector="div")
    assert "hunter2" not in fields + await reader.page("get_html", selector="textarea")


BOXLESS = """<style>.on { display: contents }</style><div style="height: 3000px"></div>
<a class="on" href="#bought">Buy now</a> <button class="on" onclick="value = 1">Pay</button>
<button class="on" onclick="value = 2"><b class="on">Later</b></button>
<button class="on" style="visibility: hidden">Never</button>
<button class="on"></button><p style="display: none"><a class="on" href="/">Gone</a></p>"""


async def test_controls_without_a_box(reader: Reader) -> None:
    """What has no box but words (`display: contents`) is told, found, and takes a click."""
    await reader.show(BOXLESS)
    told = [line.partition(" [")[0] for line in (await reader.page("snapshot")).splitlines()]
    assert told == ['- link "Buy now"', '- button "Pay"', '- button "Later"']
    assert (await reader.facts("check_visibility", selector="a.on"))["visible"]
    for selector, value in (("button.on", "1"), ("button:has(b)", "2")):
        await reader.text("click", selector=selector)
        assert await reader.tab.evaluate(f"document.querySelector('{selector}').value") == value
    await reader.text("click", selector="a.on")
    assert await reader.tab.evaluate("location.hash") == "#bought"


SPANS = """<p>Before</p><table><tr><th><th>Morning<th>Noon<th>Evening
<tr><td>Mon<td rowspan="2">Gym<td colspan="2">Cinema
<tr><td>Tue<td style="display: none">x<td>Lunch<td>Dinner
<tr><td rowspan="2">Wed<td rowspan="2">Off<td rowspan="0">Late<td>One<tr><td>Two
<tr><td colspan="2">Closed<td>Late
<tr><td colspan="4">Notes</table><p>After</p>"""


async def test_cells_that_reach_over_others(reader: Reader) -> None:
    """A cell stands in its own column, whatever others reach over: their places stay empty."""
    await reader.show(SPANS)
    assert (await reader.page("snapshot")).splitlines()[2:-1] == [
        "  - row:  | Morning | Noon | Evening",
        "  - row: Mon | Gym | Cinema",
        "  - row: Tue |  | Lunch | Dinner",
        "  - row: Wed | Off | Late | One",
        "  - row:  |  |  | Two",
        "  - row: Closed |  |  | Late",
        "  - row: Notes",
    ]
    assert (await reader.page("get_text")).splitlines()[2:-2] == [
        "\tMorning\tNoon\tEvening",
        "Mon\tGym\tCinema",
        "Tue\t\tLunch\tDinner",
        "Wed\tOff\tLate\tOne",
        "\t\t\tTwo",
        "Closed\t\t\tLate",
        "Notes",
    ]
    rows = (await reader.page("read_as_markdown")).splitlines()[4:-2]
    assert [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows] == [
        ["Mon", "Gym", "Cinema", ""],
        ["Tue", "", "Lunch", "Dinner"],
        ["Wed", "Off", "Late", "One"],
        ["", "", "", "Two"],
        ["Closed", "", "", "Late"],
        ["Notes", "", "", ""],
    ]


async def test_cells_that_only_arrange(reader: Reader) -> None:
    """Where a table only arranges its parts, none of them has a place that has to be kept."""
    await reader.show(
        '<table role="none"><tr><td rowspan="2"><td>A<td><td>B<tr><td>C</table>'
        "<table><tr><td><p>D</p><td><p>E</p><tr><td>F<td>G</table>"
    )
    assert await reader.page("get_text") == "A\tB\nC\n\nD\n\nE\n\nF\tG"
    assert "row: C" not in await reader.page("snapshot")


async def test_groups_of_options(reader: Reader) -> None:
    """Options that stand in groups are told with them: two may have the same words."""
    await reader.show(
        "<select><option>None<optgroup label=Economy><option>Adult<option disabled>Kid</optgroup>"
        "<optgroup label=Business><option>Adult</optgroup><option>Other</select>"
    )
    assert (await reader.page("snapshot")).splitlines()[1] == (
        "  - options: None | Economy: Adult | Kid [disabled] | Business: Adult | (no group): Other"
    )


async def test_groups_of_options_with_a_legend(reader: Reader) -> None:
    """A group that has its title in a legend is told by it, and an option is chosen with it."""
    group = "<optgroup><legend>Coach</legend><option>Adult</optgroup>"
    await reader.show(f"<select><option>Adult{group}</select>")
    told = "  - options: Adult | Coach: Adult"
    assert (await reader.page("snapshot")).splitlines()[1] == told
    await reader.text("select_option", selector="select", values=["Coach: Adult"])
    assert await reader.tab.evaluate("document.querySelector('select').selectedIndex") == 1


COUNTED = """<style>p { counter-increment: part } p::before { content: "Part " counter(part) ". " }
.a::before { content: counter(part) / "Alone" } .b::before { content: "counter(s) " }</style>
<p>One</p><p class="a">Two</p><p class="b">Three</p>"""


async def test_counters(reader: Reader) -> None:
    """Text that a style sheet counts with is left out whole, or told by what stands for it."""
    await reader.show(COUNTED)
    for tool in TEXTS:
        words = (await reader.page(tool)).replace("- text: ", "").split("\n")
        assert [word for word in words if word] == ["One", "Alone Two", "counter(s) Three"], tool


RAISED = """<style>.up { vertical-align: super } .flat { vertical-align: baseline }
.far { margin-left: 9px } .wide { padding-right: 9px } .near { margin: 0 1px }</style>
<p>$19<sup class="flat">99</sup> 4<sup>2</sup>5 H<sub>2</sub>O x<sup>-3</sup>
m<span class="up">2</span> (a+b)<sup>n</sup> 2<sup>nd</sup> Go<sup>*</sup>
<span>12</span><span class="far">34</span> <span class="wide">New</span><span>York</span>
com<span class="near">po</span>sed</p>"""


async def test_raised_signs(reader: Reader) -> None:
    """What is raised, or kept apart by a style alone, does not run into what is before."""
    await reader.show(RAISED)
    told = "$19^99 4^2 5 H_2O x^-3 m^2 (a+b)^n 2nd Go* 12 34 New York composed"
    for tool in TEXTS:
        words = (await reader.page(tool)).removeprefix("- text: ").replace("\\*", "*")
        assert words == told, tool
    for text in ("$1999", "$19^99", "H2O", "H_2O", "New York", "composed", "(a+b)^n 2nd"):
        assert (await reader.text("find", text=text)).startswith("1 visible\n"), text


async def test_struck_out(reader: Reader) -> None:
    """What is struck out is marked, as in Markdown."""
    await reader.show(
        "<p>Price <s>$100</s> $80, <del>a <b>b</b> <s>c</s></del><del></del>!</p>"
        "<del><p>Gone</p></del><p>was <s><a href=#>here</a> once</s></p><p>x<strike>y</strike></p>"
    )
    assert (await reader.page("snapshot")).splitlines() == [
        "- text: Price ~~$100~~ $80, ~~a b c~~!",
        "- text: ~~Gone~~",
        "- text: was",
        '- link "here" [ref=e1]',
        "- text: ~~once~~",
        "- text: x~~y~~",
    ]
    assert await reader.page("get_text") == (
        "Price ~~$100~~ $80, ~~a b c~~!\n\n~~Gone~~\n\nwas ~~here once~~\n\nx~~y~~"
    )
    for text in ("$100 $80", "~~$100~~ $80"):
        assert (await reader.text("find", text=text)).startswith("1 visible\n"), text


async def test_struck_out_by_style(reader: Reader) -> None:
    """What only a style strikes out is marked as well: old prices, and what is done on a list."""
    await reader.show(
        "<style>.old, .done label { text-decoration: line-through }</style>"
        "<p>Price <span class=old>$<b>100</b></span> $80</p><p class=old>Sold out</p>"
        "<button>Buy <span class=old>$9</span> $7</button>"
        "<ul><li class=done><input type=checkbox checked><label>Milk</label>"
        "<li><label>Tea</label></ul>"
    )
    lines = (await reader.page("snapshot")).splitlines()
    for line in ("- text: Price ~~$100~~ $80", "- text: ~~Sold out~~", '- button "Buy ~~$9~~ $7"'):
        assert any(each.startswith(line) for each in lines), line
    assert sum("~~Milk~~" in line for line in lines) == 1
    assert not any("~~Tea" in line for line in lines)
    text = await reader.page("get_text")
    assert "Price ~~$100~~ $80" in text
    assert "~~Milk~~\nTea" in text
    markdown = await reader.page("read_as_markdown")
    assert "Price ~~$**100**~~ $80" in markdown.replace("\\", "")


async def test_words_that_are_drawn(reader: Reader) -> None:
    """Words of a drawing are content like others, unless it has a name that stands for it."""
    text = "<text y=20>Sales</text><text y=40>2026</text>"
    await reader.show(f"<h1>Report</h1><svg width=99 height=50>{text}</svg><p>End")
    for tool in TEXTS:
        said = await reader.page(tool)
        assert "Sales" in said, tool
        assert "2026" in said, tool
    assert "Sales 2026" in (await reader.page("read_as_markdown")).replace("\n", " ")
    await reader.show(f"<svg width=99 height=50><title>Chart</title>{text}</svg><p>End")
    assert (await reader.page("read_as_markdown")).split() == ["Chart", "End"]


async def test_words_around_boxes_in_a_line(reader: Reader) -> None:
    """Words on both sides of a field, or in buttons beside each other, do not run into one."""
    await reader.show(
        "<p><label><input type=radio>Red</label><label><input type=radio>Blue</label></p>"
        "<div><button>One</button><button>Two</button></div><p>sub<wbr>way <b>bo</b>ld</p>"
        f"<h2>{''.join(f'<span class=s>{sign}</span>' for sign in 'Hello')}</h2>"
        "<p><span class='s far'>Name</span>Ada</p>"
        "<style>.s { display: inline-block } .far { width: 99px }</style>"
    )
    said = (await reader.page("read_as_markdown")).split("\n\n")
    assert said == ["Red Blue", "One Two", "subway **bo**ld", "## Hello", "Name Ada"]


_FORMULAS = {
    "<msup><mi>x</mi><mn>2</mn></msup>": "x^2",
    "<msub><mi>z</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub>": "z_(ij)",
    "<mi>y</mi><mo>=</mo><mfrac><mn>1</mn><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>": "y = 1/(2a)",
    "<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>": "√(a + b)",
    "<mroot><mi>x</mi><mn>3</mn></mroot>": "root(3, x)",
    "<munderover><mo>∑</mo><mn>1</mn><mi>n</mi></munderover><mi>k</mi>": "∑_1^n k",
    "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>": "[1, 2]",
    "<mi>x</mi><mphantom><mi>y</mi></mphantom><mtext style='font-size:0'>z</mtext>": "x",
    "<semantics><mi>x</mi><annotation>tex</annotation></semantics>": "x",
    "<mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>14</mn></mmultiscripts>": (
        "^14C_6"
    ),
    "<mn>2</mn><mmultiscripts><mi>R</mi><mi>i</mi><none/><none/><mi>j</mi></mmultiscripts>": (
        "2 R_i^j"
    ),
    "<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>": "binom(n, k)",
    "<msup><mi>x</mi></msup><mfrac><mn>1</mn></mfrac>": "x1/",
}


async def test_formulas(reader: Reader) -> None:
    """A formula is read in one piece, and what is above, below or raised in it as that."""
    for markup, said in _FORMULAS.items():
        await reader.show(f"<p>So <math>{markup}</math>, then</p>")
        for tool in TEXTS:
            assert f"So {said}, then" in await reader.page(tool), (markup, tool)
    await reader.show(
        "<p>So<math display=block><mi>a</mi></math>then</p>"
        "<h2>About <math><msup><mi>e</mi><mi>x</mi></msup></math></h2>"
    )
    assert (await reader.page("snapshot")).splitlines() == [
        "- text: So",
        "- math: a",
        "- text: then",
        '- heading "About e^x" [level=2]',
    ]
    assert (await reader.text("find", text="e^x")).startswith("1 visible\n")


async def test_large_formulas(reader: Reader) -> None:
    """A long formula is told as any text is; of one without end it is said that it goes on."""
    await reader.show(f"<math display=block>{'<mi>x</mi><mo>+</mo>' * 99}<mi>z</mi></math>")
    assert (await reader.page("snapshot")).endswith("x + z")
    await reader.show(f"<p>So <math>{'<mi>x</mi><mo>+</mo>' * 2000}</math>, then</p>")
    assert (await reader.page("get_text")).endswith("+ x…, then")
    await reader.show("<math id=m></math><p>End</p>")
    await reader.tab.evaluate(
        "let at = m; for (let n = 0; n < 900; n++) {"
        " at.append(document.createElementNS(at.namespaceURI, 'msqrt')); at = at.lastChild }"
        " at.append('x'); let up = document.body; for (let n = 0; n < 900; n++) {"
        " up.append(document.createElement('div')); up = up.lastChild } up.append(m); 1"
    )
    for tool in TEXTS:
        said = await reader.page(tool)
        assert "√(√(…))" in said.replace("\\", ""), tool
        assert "End" in said


async def test_formulas_that_are_used(reader: Reader) -> None:
    """What a formula has for somebody to use, or to look at, is there as anywhere else."""
    await reader.show(
        "<p>So <math><mi>x</mi><mo>=</mo><mtext><input aria-label=Answer></mtext></math> or"
        " <math><mtext><a href=#>Help</a> <img alt=Plot width=9 height=9></mtext></math> or"
        " <math onclick=f()><msup><mi>y</mi><mn>2</mn></msup></math>"
    )
    told = await reader.page("snapshot")
    for line in (
        '- textbox "Answer" [ref=',
        '- link "Help" [ref=',
        '- img "Plot"',
        "[clickable]: y^2",
    ):
        assert line in told, line
    found = await reader.text("find", text="x")
    assert found.startswith("1 visible\n")
    assert "hidden" not in found


async def test_options_that_are_shown(reader: Reader) -> None:
    """Options of a list that is open all the time are found, as what they are chosen from."""
    options = "<optgroup label=G><option>Amber<option>Blue</optgroup>"
    await reader.show(f"<select size=4 aria-label=L>{options}</select><select>{options}")
    found = await reader.text("find", text="blue")
    assert found.startswith("1 visible\n")
    assert '- listbox "L" [ref=' in found


async def test_marks_that_touch(reader: Reader) -> None:
    """Words that are strong one by one are strong together; those beside a link, by themselves."""
    for markup, said in (
        ("<b>a</b><b>b</b> <b>c</b>", "**ab** **c**"),
        ("<i>a</i><em>b</em>, <code>d</code><code>e</code>", "*ab*, `de`"),
        ("<b>a<s>b</s></b><b><s>c</s>d</b>", "**a~~bc~~d**"),
        ("<b>a</b><a href=https://a.test/><b>b</b></a>", "**a**[**b**](https://a.test/)"),
    ):
        await reader.show(f"<p>{markup}</p>")
        assert await reader.page("read_as_markdown") == said, markup
