"""What pages say, as a caller gets to read it."""

import json

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.browser.prelude import PRELUDE
from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.door import open_door
from tests.support.reader import Reader
from tests.support.reader import reader as reader
from tests.support.rows import in_turn

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

TEXTS = ("get_text", "get_visible_text", "read_as_markdown")


@in_turn("tool", TEXTS)
async def test_hidden_text(reader: Reader, tool: str) -> None:
    """What a person does not see is not read, however it is hidden; what is covered is."""
    await reader.go("/hidden")
    words = (await reader.page(tool)).replace("# ", "").split("\n")
    assert [line for line in words if line] == [
        "Hidden text",
        "visible text",
        "visible child of a hidden parent",
        "text hidden from accessibility only",
        "text hidden under a cover",
        "Closed details",
        "inert button",
    ]


@in_turn("tool", TEXTS)
async def test_closed_roots(reader: Reader, tool: str) -> None:
    """Open and closed shadow roots belong to the page, with what is slotted into them."""
    await reader.go("/shadow")
    words = await reader.page(tool)
    for part in ("open", "open in open", "closed", "open in closed"):
        assert f"Inside the {part} root." in words
    assert words.count("Slotted words") == 1


async def test_frames_in_place(reader: Reader) -> None:
    """The text of frames stands where they do, of whatever origin and depth."""
    await reader.go("/frames")
    words = await reader.page("get_text")
    places = [
        words.index(part)
        for part in (
            "Text of the page itself.",
            "frame same",
            "frame cross",
            "middle frame",
            "frame inner",
            "inline frame",
            "Text of a frame.",
            "Remove the last frame",
        )
    ]
    assert places == sorted(places)


async def test_frame_that_may_not_be_read(browser: Browser, site: Site) -> None:
    """A frame of an origin that is not allowed is named and not read, nor what is in it."""
    browser.add_prelude(*PRELUDE)
    host = site.origin.removeprefix("http://")
    options = PolicyOptions(allow_domain=(host,))
    async with open_door(browser, options, toolsets=("all",)) as door:
        await door.text("navigate", url=site.url("/frames"))
        for tool in (*TEXTS, "find", "snapshot"):
            given = {"text": "frame", "limit": 50} if tool == "find" else {}
            answer = await door.text(tool, **given)
            assert "frame same" in answer, tool
            for text in ("frame cross", "middle frame", "frame inner"):
                assert text not in answer, tool
            assert "not shown: the policy does not allow" in answer, tool


async def test_hidden_frame(reader: Reader) -> None:
    """A frame that a person does not see is not read."""
    await reader.go("/frames")
    await reader.tab.evaluate("same.style.opacity = 0; cross.style.width = cross.style.height = 0")
    words = await reader.page("get_text")
    assert "frame same" not in words
    assert "middle frame" in words


async def test_lines(reader: Reader) -> None:
    """Blocks are lines, cells are apart by tabs, code keeps its form, the rest is one space."""
    await reader.show(
        "<p>One <b>bold</b>\n  word</p><div>Two<div>Three</div>Four<br>Five</div>"
        "<table><tr><td>a<td>b<tr><td>c<td>d</table><pre>x\n  y</pre>"
        "<span>left</span><span>right</span><button>A</button><button>B</button>"
    )
    assert await reader.page("get_text") == (
        "One bold word\n\nTwo\nThree\nFour\nFive\n\na\tb\nc\td\n\nx\n  y\n\nleftright A B"
    )


async def test_disguised_signs(reader: Reader) -> None:
    """Signs without a picture are left out, broken ones replaced."""
    await reader.show("<p>")
    await reader.tab.evaluate(
        r"document.querySelector('p').textContent = 'a\u202eb\u{e0041}c\ud800d\u0000e\u2028f'"
    )
    assert await reader.page("get_text") == "abc\ufffdd e f"


async def test_right_to_left(reader: Reader) -> None:
    """Text of every direction is read in the order it is written in."""
    await reader.go("/unicode")
    words = await reader.page("get_text")
    assert "\ufffd" not in words
    assert await reader.tab.evaluate("document.dir || 'ltr'") in ("ltr", "rtl")


async def test_three_hundred_rows_by_cursor(reader: Reader) -> None:
    """A long table is read to its end, piece by piece, each within its budget."""
    await reader.go("/table")
    pieces = [await reader.text("get_text", maxTokens=600)]
    while "cursor: " in pieces[-1]:
        cursor = pieces[-1].partition("cursor: ")[2].split()[0]
        pieces.append(await reader.text("get_text", maxTokens=600, cursor=cursor))
    rows = [line for piece in pieces for line in piece.splitlines() if "\tOrder " in line]
    assert [row.split("\t")[0] for row in rows] == [str(number) for number in range(1, 301)]
    assert max(len(piece.encode()) for piece in pieces) < 600 * 4 + 300


async def test_megabyte(reader: Reader) -> None:
    """A page with a megabyte of text costs no more than the budget, and 0 means all of it."""
    await reader.show("<p>")
    await reader.tab.evaluate("document.querySelector('p').textContent = 'wörd '.repeat(2e5); 1")
    cut = await reader.text("get_text")
    assert len(cut.encode()) < 25_000 * 4 + 300
    assert len(await reader.page("get_text", maxTokens=0)) == 999_999


async def test_selectors_and_refs(reader: Reader) -> None:
    """A selector means the first match a person sees, and the answer counts the others."""
    await reader.show('<i hidden>no</i><i>yes</i><i>too</i><b title="it\'s">q</b>')
    answer = await reader.text("get_text", selector="i")
    assert answer.startswith("The first visible of 3 matches:")
    assert "\nyes\n" in answer
    assert await reader.page("get_text", selector='[title="it\'s"]') == "q"
    line = await reader.page("find", text="too")
    ref = line.partition("[ref=")[2].partition("]")[0]
    assert await reader.page("get_text", ref=ref) == "too"


async def test_ref_of_another_document(reader: Reader) -> None:
    """A ref of the page before is expired, never another element."""
    await reader.go("/form")
    ref = (
        (await reader.page("find", text="Send", exact=True)).partition("ref=")[2].partition("]")[0]
    )
    await reader.go("/form")
    for tool in ("get_text", "get_html", "snapshot", "screenshot", "get_attributes"):
        assert (await reader.refusal(tool, ref=ref)).startswith(f"REF_EXPIRED: {ref}"), tool


async def test_new_page_read_twice_at_once(reader: Reader) -> None:
    """Two readers of a new page get refs that both can use."""
    await reader.go("/form")
    found: list[str] = []

    async def find(text: str) -> None:
        line = await reader.page("find", text=text, exact=True)
        found.append(line.partition("[ref=")[2].partition("]")[0])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(find, "Send")
        nursery.start_soon(find, "Clear")
    words = {await reader.page("get_text", ref=ref) for ref in found}
    assert words == {"Send", "Clear"}


ARTICLE = """
<header>Site <nav><a href="/x">Nav</a></nav></header>
<main><h1>Title &amp; more</h1>
<p>Some <b>bold</b> and <i>slanted</i> text with <a href="/rel?a=1&b=2">a link</a>,
<code>co_de</code> and <a href="javascript:x()">a script</a>.<span style="opacity:0">NO</span></p>
<ul><li>One<ul><li>Nested</li></ul></li><li>Two</li></ul><ol start="3"><li>three</li></ol>
<pre class="language-python"><code><span>def</span> f():
    return "&lt;x&gt;"</code></pre>
<table><caption>Prices</caption><tr><th>A</th><th>B</th></tr>
<tr><td>1 | 2</td><td><a href="#q">two</a></td></tr></table>
<blockquote><p>Quote</p></blockquote>
<img src="/i.png" alt="Picture" width="50" height="50"><script>evil()</script><style>p{}</style>
<p>%s</p></main><footer>Foot</footer>
"""
MARKDOWN = """\
# Title & more

Some **bold** and *slanted* text with [a link]({origin}/rel?a=1&b=2), `co_de` and a script.

- One
  - Nested
- Two

3. three

```python
def f():
    return "<x>"
```

Prices

| A | B |
| --- | --- |
| 1 \\| 2 | [two]({origin}/charset#q) |

> Quote

![Picture]({origin}/i.png)

{filler}"""


async def test_markdown(reader: Reader) -> None:
    """The main part of a page becomes Markdown with tables, code and absolute links."""
    filler = "Filler. " * 30
    await reader.show(ARTICLE % filler)
    expected = MARKDOWN.format(origin=reader.site.origin, filler=filler.strip())
    assert await reader.page("read_as_markdown") == expected
    assert await reader.page("read_as_markdown", selector="footer") == "Foot"


async def test_markdown_under_a_strict_policy(reader: Reader) -> None:
    """Nothing of it needs the page's leave to run scripts."""
    await reader.go("/csp")
    assert "forbids nearly everything" in await reader.page("read_as_markdown")


async def test_links(reader: Reader) -> None:
    """Addresses are absolute and come once; scripts are none; hidden links lose their words."""
    await reader.show(
        '<a href="/a">First</a><a href="/a">Again</a><a href="https://b.example/?q=[ref=e1]">B</a>'
        '<a href="javascript:1">no</a><a href="/h" style="opacity:0">SECRET</a><a name="x">none</a>'
    )
    origin = reader.site.origin
    assert (await reader.page("extract_links")).split("\n") == [
        f"- [First]({origin}/a)",
        "- [B](https://b.example/?q=[ref=e1])",
        f"- {origin}/h [hidden]",
    ]
    own = await reader.page("extract_links", sameOriginOnly=True, exclude=["/h"])
    assert own == f"- [First]({origin}/a)"
    assert await reader.page("extract_links", include=["*b.ex*q="]) == (
        "- [B](https://b.example/?q=[ref=e1])"
    )


async def test_find(reader: Reader) -> None:
    """Controls are found by text, label, name and value; what a person sees comes first."""
    await reader.show(
        "<p hidden>save it</p><p>Nothing to <b>save</b> it here</p><label>Save as <input></label>"
        '<button><span>Save</span></button><a href="#" aria-label="Save all">x</a>'
        '<select aria-label="Kind"><option>other<option selected>save both</select>'
        '<input aria-label="Field" value="Save me">'
    )
    answer = await reader.text("find", text="save")
    lines = [line.partition(" [ref=")[0] for line in answer.splitlines()[2:-1]]
    assert answer.startswith("6 visible, 1 hidden")
    assert lines == [
        '- text "save"',
        '- textbox "Save as"',
        '- button "Save"',
        '- link "Save all"',
        '- combobox "Kind"',
        '- textbox "Field"',
        '- text "save it"',
    ]
    assert answer.splitlines()[-2].endswith("[hidden]")
    exact = await reader.page("find", text="Save", exact=True)
    assert exact.startswith('- button "Save"')
    assert "\n" not in exact
    assert "Nothing to save" in await reader.page("find", text="nothing to save it")


CASED = """<style>.up { text-transform: uppercase } .down { text-transform: lowercase }
.first, i::after { text-transform: capitalize } i::after { content: " word" }</style>
<p class="up">straße <i style="text-transform: none">Kept</i></p> <p class="down">ÉTÉ Low</p>
<p class="up" lang="tr">ilk</p>
<p class="first">it's an e-mail, 3rd he<b>ll</b>o 'so' a&nbsp;b x_y été<br>new</p>"""


async def test_letters_as_painted(reader: Reader) -> None:
    """Words have the letters a person sees, whoever reads them; they are found as written too."""
    await reader.show(CASED)
    shown = str(await reader.tab.evaluate("document.body.innerText")).replace("Kept", "Kept Word")
    words = await reader.page("get_text")
    assert words == shown.strip()
    assert words.startswith("STRASSE Kept Word\n\nété low\n\nİLK\n\nIt's An E-Mail")
    told = await reader.page("read_as_markdown") + await reader.page("snapshot")
    assert all(told.count(line) == 2 for line in ("STRASSE", "Kept Word", "été low", "İLK", "New"))
    for text in ("strasse", "straße", "HELLO", "e-mail, 3rd"):
        assert (await reader.text("find", text=text)).startswith("1 visible\n"), text
        assert "waitedMs" in await reader.text("wait_for", textContains=text)
    for text in ("İLK", "ilk", "été low", "ÉTÉ Low"):
        assert (await reader.text("find", text=text, exact=True)).startswith("1 visible\n"), text


READERS: dict[str, dict[str, object]] = {
    "snapshot": {},
    "find": {"text": "a", "limit": 100},
    "get_text": {},
    "get_html": {},
    "read_as_markdown": {},
    "extract_links": {},
    "wait_for": {"selector": "form"},
    "query_dom": {"selector": "*", "limit": 200},
    "get_visible_text": {},
    "get_computed_styles": {"selector": "input"},
    "check_visibility": {"selector": "input"},
    "get_attributes": {"selector": "#password"},
    "count_elements": {"selector": "input"},
    "get_page_metadata": {},
    "get_filtered_aria_tree": {},
    "get_form_values": {},
    "check_element_state": {"selector": "#password"},
    "screenshot": {},
}


async def test_passwords(reader: Reader) -> None:
    """A password is told by no reading tool, wherever the page keeps it."""
    await reader.go("/form")
    await reader.tab.evaluate(
        "password.value = 'hunter2hunter2'; password.setAttribute('value', 'hunter2hunter2');"
        "card = email.cloneNode(); card.autocomplete = 'cc-number'; card.id = 'card';"
        "card.setAttribute('value', '4111111111111111'); form.prepend(card); 1"
    )
    answers = {tool: await reader.text(tool, **given) for tool, given in READERS.items()}
    assert [tool for tool, answer in answers.items() if "hunter2" in answer] == []
    assert [tool for tool, answer in answers.items() if "4111" in answer] == []


async def test_page_is_not_changed(reader: Reader) -> None:
    """Reading leaves no trace that a page could see."""
    await reader.go("/form")
    await reader.tab.evaluate(
        "seen = []; new MutationObserver((all) => seen.push(...all)).observe(document,"
        " {subtree: true, childList: true, attributes: true, characterData: true});"
        "for (const kind of ['focus', 'blur', 'scroll', 'resize', 'selectionchange'])"
        " addEventListener(kind, (event) => seen.push(event.type), true);"
        "before = ''; before = Object.getOwnPropertyNames(window).join(); 1"
    )
    for tool, given in READERS.items():
        await reader.text(tool, **given)
    assert await reader.tab.evaluate("seen.length") == 0
    assert await reader.tab.evaluate("before === Object.getOwnPropertyNames(window).join()")


async def test_boxes_are_where_clicks_go(reader: Reader) -> None:
    """The box of an element in a frame is where a click on the page hits it."""
    await reader.go("/frames")
    ref = (await reader.page("find", text="Middle button")).partition("ref=")[2].partition("]")[0]
    box = (await reader.facts("check_visibility", ref=ref))["box"]
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    hit = await reader.tab.evaluate(
        f"document.elementFromPoint({place['x']}, {place['y'] - 0}).id || scrollY"
    )
    inside = await reader.tab.evaluate("JSON.stringify(nested.getBoundingClientRect())")
    frame = json.loads(str(inside))
    assert frame["left"] < place["x"] < frame["right"]
    assert frame["top"] < place["y"] < frame["bottom"]
    assert hit in ("nested", 0)


async def test_state_of_elements(reader: Reader) -> None:
    """Facts about elements are those of the page."""
    await reader.go("/form")
    state = await reader.facts("check_element_state", selector="#terms")
    assert (state["checked"], state["disabled"], state["value"]) == (True, False, "yes")
    assert (await reader.facts("check_element_state", selector="#off"))["disabled"] is True
    assert (await reader.facts("check_element_state", selector="#fixed"))["readOnly"] is True
    styles = await reader.facts("get_computed_styles", selector="h1", properties=["display"])
    assert styles == {"display": "block"}
    assert await reader.facts("check_visibility", selector="#nothing") == {"exists": False}
    assert await reader.text("count_elements", selector="input") == "13"
    fields = (await reader.page("get_form_values", selector="form")).split("\n")
    values = {field["name"]: field["value"] for field in map(json.loads, fields)}
    assert (values["colour"], values["fruits"], values["password"]) == ("g", ["Pear"], "••••")
    tree = await reader.page("get_filtered_aria_tree", roles=["button"], maxDepth=1)
    assert [line.split('"')[1] for line in tree.split("\n")] == ["File", "Send", "Clear"]
    meta = await reader.facts("get_page_metadata")
    assert (meta["title"], meta["language"]) == ("Form", "en")
