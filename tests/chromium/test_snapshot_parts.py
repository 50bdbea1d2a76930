"""Readings of real pages: refs, parts and pieces, marks, and that no page notices."""

import random
import re
from dataclasses import replace

import pytest

from bridge.browser.browser import Browser
from bridge.errors import UsageError
from fixtures.site import Site
from tests.support.browsers import until
from tests.support.readings import by_ref, by_selector, markup, read, read_all, ref_of

pytestmark = [pytest.mark.chromium, pytest.mark.inside]


async def test_refs_stay(browser: Browser) -> None:
    """An element keeps its ref while the page around it changes; a removed one's is expired."""
    tab = await browser.new_tab(markup("<button>One</button><button>Two</button>"))
    first = (await tab.snapshots.take()).text
    await tab.evaluate("document.body.prepend(document.createElement('input')); 0")
    await tab.evaluate("document.querySelector('button').remove(); 0")
    second = (await tab.snapshots.take()).text
    assert ref_of(second, "Two") == ref_of(first, "Two")
    with pytest.raises(UsageError, match="not in the page") as gone:
        await tab.snapshots.take(by_ref(tab, ref_of(first, "One")))
    assert gone.value.code == "REF_EXPIRED"


async def test_refs_of_an_earlier_page(browser: Browser, site: Site) -> None:
    """A ref of a page that was left names nothing in the next one, even in the same place."""
    tab = await browser.new_tab(site.url("/form"))
    first = ref_of((await tab.snapshots.take()).text, "Send")
    await tab.reload()
    second = ref_of((await tab.snapshots.take()).text, "Send")
    assert first != second
    with pytest.raises(UsageError, match="the page that had it was left or loaded anew") as gone:
        await tab.snapshots.take(by_ref(tab, first))
    assert gone.value.code == "REF_EXPIRED"


async def test_part_of_a_page(browser: Browser, site: Site) -> None:
    """A selector or a ref narrows the reading to that element; one nobody sees says so."""
    tab = await browser.new_tab(site.url("/form"))
    whole = (await tab.snapshots.take()).text
    part = await tab.snapshots.take(by_selector(tab, "fieldset"))
    assert [line.strip() for line in part.text.splitlines()] == [
        line.strip() for line in whole.splitlines() if re.search("Size|Small|Medium|Large", line)
    ]
    ref = ref_of(whole, "Send")
    assert (await tab.snapshots.take(by_ref(tab, ref))).text == f'- button "Send" [ref={ref}]'
    await tab.evaluate("document.querySelector('fieldset').hidden = true; 0")
    assert "nothing to see" in (await tab.snapshots.take(by_selector(tab, "fieldset"))).text
    assert "nothing to see" in (await tab.snapshots.take(by_selector(tab, "fieldset input"))).text


async def test_interactive_only(browser: Browser, site: Site) -> None:
    """On request only what can be used is told, frames and shadow roots included."""
    tab = await browser.new_tab(site.url("/frames"))
    await until(lambda: len(tab.frames) == 7, "all frames are there")
    text = (await tab.snapshots.take(interactive_only=True)).text
    assert all("[ref=" in line for line in text.splitlines())
    assert text.count('button "Count"') == 4


async def test_nothing_below(browser: Browser) -> None:
    """A line ends with a colon only where something of what is told stands below it."""
    tab = await browser.new_tab()
    await tab.evaluate(
        "document.body.innerHTML = '<select size=2><option>One<option>Two</select>"
        "<div role=listbox tabindex=0>Colours<div role=option>Red</div></div>'; 0"
    )
    text = (await tab.snapshots.take(interactive_only=True)).text
    assert re.sub(r" \[ref=\w+\]", "", text).splitlines() == [
        "- listbox",
        "- listbox:",
        '  - option "Red"',
    ]


async def test_pieces(browser: Browser, site: Site) -> None:
    """A long table comes in pieces that stay in their bounds and leave nothing out."""
    tab = await browser.new_tab(site.url("/table?rows=300"))
    whole = (await tab.snapshots.take(max_bytes=0)).text
    piece = await tab.snapshots.take(max_bytes=2_000)
    told = piece.text.splitlines()
    left = piece.left
    pieces = 1
    while piece.cursor:
        assert len(piece.text.encode()) <= 2_000
        assert piece.more == f"… {piece.left} more lines; cursor {piece.cursor}"
        piece = await tab.snapshots.continue_(piece.cursor, max_bytes=2_000)
        assert piece.left < left
        left = piece.left
        told += [line for line in piece.text.splitlines() if line not in told]
        pieces += 1
    assert sorted(told) == sorted(set(whole.splitlines()))
    assert pieces > 10


async def test_view_first(browser: Browser, site: Site) -> None:
    """What is in view comes first, under the lines it hangs under, in the middle of a page too."""
    tab = await browser.new_tab(site.url("/table?rows=300"))
    await tab.evaluate("document.getElementById('row-150').scrollIntoView({block: 'center'}); 0")
    piece = await tab.snapshots.take(max_bytes=1_000)
    lines = piece.text.splitlines()
    assert lines[0].startswith("- main") or lines[0].startswith("- table")
    assert any("Order 150" in line for line in lines)
    assert not any('Order 1"' in line for line in lines)
    assert piece.cursor is not None
    after = (await tab.snapshots.continue_(piece.cursor, max_bytes=1_000)).text
    assert "Order 150" not in after


async def test_cursor_of_another_reading(browser: Browser, site: Site) -> None:
    """Only the last reading goes on: any other cursor is refused, with the next step."""
    tab = await browser.new_tab(site.url("/table?rows=300"))
    first = await tab.snapshots.take(max_bytes=1_000)
    second = await tab.snapshots.take(max_bytes=1_000)
    assert first.cursor is not None
    assert second.cursor is not None
    for cursor in (first.cursor, "s9:1", "nonsense", "s2:999999", "s2:-1", ""):
        with pytest.raises(UsageError, match="cursor") as refused:
            await tab.snapshots.continue_(cursor)
        assert refused.value.code == "BAD_ARGS"
        assert "new snapshot" in refused.value.hint
    assert (await tab.snapshots.continue_(second.cursor)).text


async def test_covered(browser: Browser) -> None:
    """A control that something lies over is told, and marked; its own label covers nothing."""
    text = await read(
        browser,
        "<button>Free</button><label>Own <input type=checkbox></label>"
        "<div style='position:relative;width:200px'><button style='width:100%'>Under</button>"
        "<div style='position:absolute;inset:0;background:#eee'></div></div>"
        "<div style='height:40px;overflow:auto'><p>x</p><p>y</p><button>Scrolled off</button></div>"
        "<p style='width:90px'><a href='#'>A link that is broken into lines</a></p>"
        "<div style='height:3000px'></div><button>Below</button>",
    )
    covered = [line for line in text.splitlines() if "[covered]" in line]
    assert len(covered) == 1, text
    assert '"Under"' in covered[0]
    await_modal = await read(
        browser,
        "<button>Behind</button><dialog id=d aria-label=Ask><button>Yes</button></dialog>"
        "<script>d.showModal()</script>",
    )
    assert re.search(r'button "Behind" \[ref=e\d+\] \[covered\]', await_modal)
    assert 'dialog "Ask" [modal]:' in await_modal
    assert re.search(r'button "Yes" \[ref=e\d+\]( \[focused\])?$', await_modal, re.MULTILINE)


async def test_states(browser: Browser, site: Site) -> None:
    """Marks tell what a person sees of a control's state."""
    text = await read(
        browser,
        """<input type=checkbox aria-label=a checked><input type=checkbox aria-label=b>
        <button disabled>c</button><button aria-expanded=true>d</button>
        <button aria-expanded=false>e</button><button aria-pressed=true>f</button>
        <input aria-label=g required><input aria-label=h aria-invalid=true>
        <input aria-label=i readonly value=x><a href=# aria-current=page>j</a>
        <div role=tab tabindex=0 aria-selected=true>k</div><h3>l</h3>
        <div role=checkbox tabindex=0 aria-checked=mixed>m</div><input aria-label=n id=n>
        <select aria-label=o><option>p<option selected>q<option disabled>n
        </select><div draggable=true>r</div>
        <script>document.getElementById('n').focus()</script>""",
    )
    lines = [re.sub(r" \[ref=e\d+\]", "", line.strip()[2:]) for line in text.splitlines()]
    assert lines == [
        'checkbox "a" [checked]',
        'checkbox "b"',
        'button "c" [disabled]',
        'button "d" [expanded]',
        'button "e" [collapsed]',
        'button "f" [pressed]',
        'textbox "g" [required]',
        'textbox "h" [invalid]',
        'textbox "i" [readonly]: x',
        'link "j" [current]',
        'tab "k" [selected]',
        'heading "l" [level=3]',
        'checkbox "m" [checked=mixed]',
        'textbox "n" [focused]',
        'combobox "o": q',
        "options: p | q | n [disabled]",
        'generic "r" [draggable]',
    ]


async def test_lengths(browser: Browser) -> None:
    """Names, values and texts are cut where they are too long, and say how much is missing."""
    text = await read(
        browser,
        f"<button aria-label='{'n' * 500}'></button><input aria-label=v value='{'v' * 500}'>"
        f"<p>{'t' * 5000}</p>",
    )
    name, value, words = text.splitlines()
    assert "n" * 119 + '…"' in name
    assert value.endswith("v" * 200 + "… (+300 chars)")
    assert words.endswith("t" * 1000 + "… (+4000 chars)")


_WATCH = """
window.seen = [];
window.before = Object.getOwnPropertyNames(window).length;
new MutationObserver((records) => seen.push(...records.map((each) => each.type)))
  .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
for (const type of ["focus", "blur", "focusin", "scroll", "selectionchange", "resize", "toggle",
    "input", "pointermove", "mouseover", "error"])
  addEventListener(type, () => seen.push(type), true);
for (const [object, name] of [[Element.prototype, "attachShadow"], [Element.prototype,
    "setAttribute"], [window, "getComputedStyle"], [Document.prototype, "elementFromPoint"],
    [Element.prototype, "getBoundingClientRect"], [Array.prototype, "push"]]) {
  const own = object[name];
  object[name] = function (...args) {
    if (name !== "push") seen.push(name);
    return own.apply(this, args);
  };
}
0"""
_TOLD = """(() => { const extra = Object.getOwnPropertyNames(window).length - before;
return [seen, extra, document.activeElement.id, scrollX, scrollY, getSelection().toString(),
document.title, Object.keys(document.body).length, document.body.outerHTML.length]; })()"""


@pytest.mark.differs("Chrome's bar about debugging makes a page lower when it appears.")
async def test_page_is_not_changed(browser: Browser, site: Site) -> None:
    """A page cannot tell that it was read: no change, no event, no call, no focus, no scrolling."""
    tab = await browser.new_tab(site.url("/shadow"), background=False)
    await tab.evaluate(
        "document.body.insertAdjacentHTML('beforeend', "
        "'<input id=here><p style=\"height:4000px\">')"
    )
    await tab.evaluate("here.focus(); scrollTo(0, 100); getSelection().selectAllChildren(here); 0")
    await tab.evaluate("new Promise(requestAnimationFrame).then(() => 0)")
    await tab.evaluate(_WATCH)
    before = await tab.evaluate(_TOLD)
    await tab.snapshots.take()
    await tab.snapshots.take(interactive_only=True, max_bytes=100)
    await tab.snapshots.take(by_selector(tab, "main"))
    await tab.evaluate("new Promise(requestAnimationFrame).then(() => 0)")
    assert await tab.evaluate(_TOLD) == before


async def test_fifty_thousand_nodes(browser: Browser, site: Site) -> None:
    """A page of 50,000 elements is read whole, and by default told in a small first piece."""
    # How long so much takes is the machine's; tests/bench measures it.
    browser.connection.timeouts = replace(browser.connection.timeouts, read=60.0)
    tab = await browser.new_tab(site.url("/big?n=50000"))
    first = await tab.snapshots.take()
    assert len(first.text.encode()) <= 16_000
    assert '"Pick 0"' in first.text
    whole = (await tab.snapshots.take(max_bytes=0)).text
    count = first.left + len(first.text.splitlines())
    assert count == pytest.approx(len(whole.splitlines()), rel=0.05)
    assert '"Pick 12497"' in whole


async def test_deep_page(browser: Browser) -> None:
    """A page nested deeper than a parser builds one is read to a depth, and says where it ends."""
    tab = await browser.new_tab(markup("<p>Above</p>"))
    await tab.evaluate(
        """(() => { let at = document.body; for (let level = 0; level < 1500; level++) {
        const next = document.createElement('div'); at.append(next); at = next; }
        at.textContent = 'Below'; })()"""
    )
    text = (await tab.snapshots.take()).text
    assert text.splitlines() == ["- text: Above", "- text: … nested too deeply to be read"]


_PROPERTIES = (
    "localName", "nextSibling", "firstChild", "parentElement", "parentNode", "childNodes",
    "getAttribute", "hasAttributes", "getBoundingClientRect", "shadowRoot", "assignedSlot",
    "nodeType", "matches", "closest", "children", "inert", "tabIndex", "type", "style", "host",
)  # fmt: skip


async def test_fields_called_like_properties(browser: Browser, site: Site) -> None:
    """A form whose field is called like a property of elements is read like any other."""
    bodies = {
        name: f"<p>Before</p><input form=f name={name} aria-label=Outside><form id=f>"
        f"<label>Inside <input name={name}></label><p>Words</p></form>"
        f"<form><p>Next</p><input name={name} aria-label=Last></form><p>After</p>"
        for name in _PROPERTIES
    }
    texts = await read_all(browser, site, bodies)
    said = {
        name: [re.sub(r" \[ref=e\d+\]", "", line)[2:] for line in text.splitlines()]
        for name, text in texts.items()
    }
    plain = [
        "text: Before",
        'textbox "Outside"',
        'textbox "Inside"',
        "text: Words",
        "text: Next",
        'textbox "Last"',
        "text: After",
    ]
    assert said == {name: plain for name in _PROPERTIES}


async def test_one_element(browser: Browser) -> None:
    """The library tells of one element what a snapshot would: sight, role, name and line."""
    tab = await browser.new_tab(
        markup(
            "<label>Who <input id=a value=Ada></label><p id=b>Some <b>words</b></p>"
            "<div style='opacity:0'><button id=c>Gone</button></div>"
            "<div id=d style='cursor:pointer'>Press</div>"
            "<select id=e><option>One<option selected>Two</select>"
            "<div id=f contenteditable style='-webkit-text-security: disc'>geheim</div>"
        )
    )

    async def ask(function: str, selector: str) -> object:
        return await tab.worlds.call(tab.frames.main, function, {"selector": selector})

    assert [await ask("isVisible", each) for each in ("#a", "#b", "#c", "#d")] == [
        True, True, False, True,
    ]  # fmt: skip
    assert [await ask("roleOf", each) for each in ("#a", "#b", "#c")] == [
        "textbox", "generic", "button",
    ]  # fmt: skip
    assert [await ask("nameOf", each) for each in ("#a", "#b", "#c")] == ["Who", "", "Gone"]
    assert [re.sub(r"e\d+", "e", str(await ask("lineOf", f"#{each}"))) for each in "abdef"] == [
        '- textbox "Who" [ref=e]: Ada',
        '- generic "Some words" [ref=e]',
        '- generic "Press" [ref=e] [clickable]',
        "- combobox [ref=e]: Two",
        "- textbox [ref=e]: ••••",
    ]


_TAGS = ("div", "p", "span", "b", "ul", "li", "section", "i", "em", "article", "h2", "button", "a")
_STYLES = ("", "", "", "display:none", "visibility:hidden", "display:inline-block", "opacity:0")


async def test_text_in_reading_order(browser: Browser) -> None:
    """On pages made at random, the words are those a person reads, in the same order."""
    tab = await browser.new_tab(markup(""))
    dice = random.Random(8)
    for _ in range(60):
        body = _some_markup(dice, 4)
        read = await tab.evaluate(f"document.body.innerHTML = {body!r}; document.body.innerText")
        text = (await tab.snapshots.take(max_bytes=0)).text
        words = re.findall(r"w\d+", str(read))
        if "opacity" not in body:  # what is transparent is text to `innerText`
            assert re.findall(r"w\d+", text) == words, body
        else:
            assert set(re.findall(r"w\d+", text)) <= set(words), body


def _some_markup(dice: random.Random, depth: int) -> str:
    parts = []
    for _ in range(dice.randint(1, 4)):
        if depth == 0 or dice.random() < 0.4:
            parts.append(f" w{dice.randint(0, 10**6)} ")
        else:
            tag = dice.choice(_TAGS)
            style = dice.choice(_STYLES)
            inner = _some_markup(dice, depth - 1)
            parts.append(f"<{tag} style='{style}'>{inner}</{tag}>")
    return "".join(parts)


async def test_kept_for_the_form(browser: Browser) -> None:
    """A select a pixel wide, clipped to nothing, is nobody's: what is painted instead is told."""
    style = "position: absolute; width: 1px; overflow: hidden; clip-path: inset(50%)"
    for clip in ("", "; clip: rect(0 0 0 0)"):
        html = f"<select style='{style}{clip}'><option>One</select><div tabindex=0>One</div>"
        tab = await browser.new_tab(markup(html))
        text = (await tab.snapshots.take()).text
        assert re.sub(r" \[ref=\w+\]", "", text) == '- generic "One" [clickable]'


async def test_under_way(browser: Browser) -> None:
    """What turns without end is told, by its name if it has one; what is not there is not."""
    spinner = "<span role=progressbar style='display: inline-block; width: 20px; height: 20px'"
    shown = await read(
        browser,
        f"<progress></progress>{spinner}></span>{spinner} aria-label=Sending></span>"
        "<progress value=1 max=4></progress><p>Text</p><div role=progressbar></div>"
        "<progress hidden></progress><progress style='opacity: 0'></progress>",
    )
    turning = ["- progressbar", "- progressbar", '- progressbar "Sending"', "- progressbar: 25%"]
    assert shown.splitlines() == [*turning, "- text: Text"]


async def test_switched_off_by_a_style(browser: Browser) -> None:
    """What a style makes inert is marked like what an attribute does."""
    body = "<p style='interactivity: inert'>Text <button>One</button></p><button>Two</button>"
    shown = await read(browser, body)
    assert re.findall(r'"(\w+)" .*\[inert\]', shown) == ["One"]
