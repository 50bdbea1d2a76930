"""Clicks in a real page: they wait until they hit, they hit what was meant, and only once."""

import re

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [  # once: what is behind a session does not know how its browser is shared
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_COUNT = (
    "<script>window.hits = 0; b.onclick = (event) => { hits += 1; trusted ="
    " event.isTrusted }</script>"
)


async def hit_once(stage: Stage, selector: str = "#b", **more: object) -> str:
    """Click, and see that the page counted one."""
    said = await stage.does("click", selector=selector, **more)
    assert await stage.value("window.hits") == 1, said
    return said


async def test_trusted_click(stage: Stage) -> None:
    """A click is one trusted click, and the answer says what it changed."""
    await stage.show(
        "<button id=b>Press</button> <output id=o>none</output>"
        "<script>window.hits = 0; b.onclick = (e) => { o.textContent = `${++hits}"
        " ${e.isTrusted}` }</script>"
    )
    said = await hit_once(stage)
    assert said.startswith("Clicked selector '#b'.\n<page ")
    assert "~ - status: 1 true" in said


async def test_by_ref(stage: Stage) -> None:
    """A ref of a snapshot means its element; once that is gone its likeness is named."""
    await stage.show(f"<button id=b>Press</button>{_COUNT}")
    ref = re.search(r"ref=(\w+)", (await stage.tab.snapshots.take()).text)
    assert ref is not None
    await stage.does("click", ref=ref[1])
    assert await stage.value("hits") == 1
    await stage.value("b.outerHTML = '<button id=b>Press</button>'")
    refused = await stage.refuses("click", ref=ref[1])
    assert refused.startswith(f"REF_EXPIRED: {ref[1]}: ")
    assert re.search(r'now there: "button \\"Press\\" \[ref=e\d+\]', refused)


async def test_covered(hurried: Stage) -> None:
    """What covers an element is named, and gets no click."""
    await hurried.show(
        "<button id=b>Press</button><div id=veil class='shade dark' onclick='caught = 1'"
        f" style='position:fixed;inset:0'>We value your privacy</div>{_COUNT}"
    )
    refused = await hurried.refuses("click", selector="#b")
    assert "NOT_ACTIONABLE: selector '#b': it is covered by \"div#veil.shade.dark" in refused
    assert "We value your privacy" in refused
    assert await hurried.value("[hits, window.caught]") == [0, None]


async def test_uncovered_in_time(stage: Stage) -> None:
    """A cover that goes away is waited for."""
    await stage.show(
        "<button id=b>Press</button><div id=veil style='position:fixed;inset:0'>wait</div>"
        f"{_COUNT}<script>setTimeout(() => veil.remove(), 200)</script>"
    )
    await hit_once(stage)


async def test_replaced_at_the_last_moment(stage: Stage) -> None:
    """A button that is rendered anew under the pointer is found again by its selector."""
    await stage.show(
        "<div id=root></div><script>window.hits = 0; window.times = 0;"
        "function render() { root.innerHTML = '<button id=b>Press</button>';"
        " b.onclick = () => hits++; b.onmousemove = () => { if (times++ < 2)"
        " render() } } render()</script>"
    )
    await hit_once(stage)


async def test_enabled_later(stage: Stage) -> None:
    """A disabled button is clicked once it is enabled, a fieldset's as well."""
    await stage.show(
        f"<fieldset id=f disabled><button id=b>Press</button></fieldset>{_COUNT}"
        "<script>setTimeout(() => { f.disabled = false }, 200)</script>"
    )
    await hit_once(stage)


async def test_enabled_in_what_is_disabled(stage: Stage) -> None:
    """A button that says it is not disabled is clicked also in what is so as a whole."""
    button = "<button id=b aria-disabled=false>Undo</button>"
    await stage.show(f"<div role=toolbar aria-disabled=true>{button}</div>{_COUNT}")
    await hit_once(stage)


@pytest.mark.inside
@in_turn(
    ("html", "why"),
    [
        ("<button id=b disabled>x</button>", "it is disabled"),
        ("<button id=b aria-disabled=true>x</button>", "it is disabled"),
        ("<p aria-disabled=True><button id=b>x</button></p>", "it is disabled"),
        ("<div inert><button id=b>x</button></div>", "it is inert"),
        ("<p style='interactivity:inert'><button id=b>x</button></p>", "it is inert"),
        ("<button id=b style='display:none'>x</button>", "it is not visible"),
        ("<button id=b style='visibility:hidden'>x</button>", "it is not visible"),
        ("<button id=b style='pointer-events:none'>x</button>", "it takes no pointer events"),
        (
            "<button id=b style='position:absolute;left:-900px;top:0'>x</button>",
            "it is outside of what can be scrolled into view",
        ),
        ("<i hidden class=b>x</i><i hidden class=b>x</i>", "none of its 2 matches is visible"),
    ],
)
async def test_never_ready(hurried: Stage, html: str, why: str) -> None:
    """What stays unfit for a click is refused with the reason, in the action's time."""
    await hurried.show(html)
    selector = "#b" if "id=b" in html else ".b"
    refused = await hurried.refuses("click", selector=selector)
    assert refused.startswith(f"NOT_ACTIONABLE: selector '{selector}': {why}")


async def test_appears_later(stage: Stage) -> None:
    """An element that is not there yet is waited for."""
    await stage.show(
        "<script>setTimeout(() => { document.body.innerHTML = '<button id=b>x</button>';"
        " hits = 0; b.onclick = () => hits++ }, 300)</script>"
    )
    await hit_once(stage)


async def test_nothing_there(hurried: Stage) -> None:
    """A selector without a match ends at the action's time, one that is no CSS at once."""
    await hurried.show("<p>Nothing here</p>")
    assert (await hurried.refuses("click", selector="#none")).startswith("SELECTOR_NOT_FOUND: ")
    assert (await hurried.refuses("click", selector="p[")).startswith("BAD_ARGS: ")


@in_turn(
    "around",
    [
        "<div style='height:3000px'></div>{b}",
        "<div style='height:200px;overflow:auto'><div style='height:900px'></div>"
        "<div style='width:100px;overflow-x:auto'><div"
        " style='width:900px;padding-left:600px'>{b}</div></div></div>",
        "<div style='position:fixed;top:0;left:0;right:0;height:120px;background:red'>Header</div>"
        "<div style='height:2000px'></div>{b}<div style='height:2000px'></div>",
        "<div style='position:fixed;bottom:0;left:0;right:0;height:45%;background:red'>Footer</div>"
        "<div style='height:1200px'></div>{b}<div style='height:2000px'></div>",
        "<div style='zoom:1.5;padding:40px'>{b}</div>",
        "<div style='transform:rotate(30deg) scale(1.4);width:300px;margin:100px'>{b}</div>",
        "<div style='perspective:300px;width:200px;margin:50px'><div"
        " style='transform:rotateY(40deg)'>{b}</div></div>",
        "<div style='scroll-behavior:smooth;height:100px;overflow:auto'><div"
        " style='height:5000px'></div>{b}</div>",
        "<label>{b}</label>",
        "<dialog open>{b}</dialog>",
        "<details open><summary>More</summary>{b}</details>",
    ],
)
async def test_places(stage: Stage, around: str) -> None:
    """Wherever it is, it is brought into view and hit."""
    await stage.show(around.format(b="<button id=b>Press</button>") + _COUNT)
    await hit_once(stage)


async def test_centre(stage: Stage) -> None:
    """The press is in the middle of the element, also where the page is zoomed."""
    await stage.show(
        "<html style='zoom:1.5'><body><button id=b style='position:absolute;left:100px;top:50px;"
        "width:80px;height:40px'>x</button><script>b.onclick = (e) => {"
        " const r = b.getBoundingClientRect(); off = [e.clientX - r.x - r.width / 2,"
        " e.clientY - r.y - r.height / 2] }</script>"
    )
    await stage.does("click", selector="#b")
    off = await stage.value("off")
    assert isinstance(off, list)
    assert all(abs(float(each)) <= 1 for each in off)


async def test_broken_link(stage: Stage) -> None:
    """A link broken over two lines, whose box has a hole in the middle, is hit on its words."""
    await stage.show(
        "<p style='width:200px;font:20px monospace'>Some words <a id=b href='#x'>and"
        " a link</a> here</p>"
        "<p style='width:220px;font:20px monospace'>xxxxxxxxxxxxxx <a id=c"
        " href='#y'>aaaa bbb</a></p>"
        "<script>window.hits = 0; b.onclick = c.onclick = () => hits++</script>"
    )
    await stage.does("click", selector="#b")
    await stage.does("click", selector="#c")
    assert await stage.value("hits") == 2


async def test_shadow_roots(stage: Stage) -> None:
    """Open shadow roots are looked into, closed ones by the refs of a snapshot."""
    await stage.show(
        "<x-open></x-open><x-closed></x-closed><script>window.hits = []; "
        "function put(root, name) { root.innerHTML = `<button id=${name}>${name}</button>`;"
        " root.firstChild.onclick = () => hits.push(name) }"
        "customElements.define('x-open', class extends HTMLElement { connectedCallback() {"
        " put(this.attachShadow({mode: 'open'}), 'opened') } });"
        "customElements.define('x-closed', class extends HTMLElement { connectedCallback() {"
        " put(this.attachShadow({mode: 'closed'}), 'shut') } })</script>"
    )
    await stage.does("click", selector="#opened")
    ref = re.search(r'"shut" \[ref=(\w+)\]', (await stage.tab.snapshots.take()).text)
    assert ref is not None
    await stage.does("click", ref=ref[1])
    assert await stage.value("hits") == ["opened", "shut"]


@pytest.mark.parametrize(
    ("selector", "marks"),
    [
        ("x-card button", ["first", "second"]),
        ("section x-card > p button", []),
        ("section  x-card p > button", ["first"]),
        ("x-card[title='a b'] x-inner b", ["deep"]),
        ("main x-inner b", ["deep"]),
        ("x-card i, x-inner b, .none p", ["deep"]),
        ("x-card:is(.big, .x y) button", ["second"]),
        ("x-inner button", []),
        ("main em", ["plain"]),
    ],
)
async def test_blanks_lead_into_shadow_roots(stage: Stage, selector: str, marks: list[str]) -> None:
    """Where nothing matches within one tree, `x-card button` is a button in an x-card's root."""
    await stage.show(
        "<main><em id=plain>0</em><section><x-card title='a b'></x-card></section>"
        "<x-card class=big></x-card></main><script>"
        "const [one, two] = document.querySelectorAll('x-card');"
        "one.attachShadow({mode: 'open'}).innerHTML ="
        " '<p><button id=first>1</button></p><div><x-inner></x-inner></div>';"
        "one.shadowRoot.querySelector('x-inner').attachShadow({mode: 'open'}).innerHTML ="
        " '<b id=deep>2</b>';"
        "two.attachShadow({mode: 'open'}).innerHTML = '<button id=second>3</button>'</script>"
    )
    worlds, page = stage.tab.worlds, stage.tab.frames.main
    found = await worlds.call(page, "query", selector, 10)
    assert [each["id"] for each in found["elements"]] == marks


async def test_without_a_size(stage: Stage) -> None:
    """An element without a size is clicked on what it shows."""
    await stage.show(
        "<div id=b style='width:0;height:0'><span"
        " style='position:absolute;left:50px;top:50px'>here</span></div>"
        f"<a id=c href='#' style='display:contents'><b>there</b></a>{_COUNT}"
        "<script>c.onclick = () => hits++</script>"
    )
    await hit_once(stage)
    await stage.does("click", selector="#c")
    assert await stage.value("hits") == 2


@in_turn(
    "style",
    [
        "position:absolute;opacity:0;width:0;height:0",
        "position:absolute;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden",
        "display:none",
        "position:absolute;opacity:0",
    ],
)
async def test_painted_checkbox(stage: Stage, style: str) -> None:
    """A checkbox that a label stands for is ticked by it, and the answer says so."""
    await stage.show(
        f"<style>input {{ {style} }}</style><div style='padding:60px'>"
        "<input type=checkbox id=b><label for=b>I agree</label></div>"
    )
    assert "It is now checked." in await stage.does("click", selector="#b")
    assert await stage.value("b.checked") is True
    assert "It is now unchecked." in await stage.does("click", selector="label")


async def test_refused_tick(stage: Stage) -> None:
    """A box that the page does not let be ticked is not said to be ticked."""
    await stage.show("<input type=checkbox id=b onclick='event.preventDefault()'>")
    assert "It is still unchecked." in await stage.does("click", selector="#b")


async def test_inner_parts(stage: Stage) -> None:
    """A part of a button is as good as the button, even if it takes no events itself."""
    await stage.show(
        "<style>svg, #t { pointer-events: none }</style>"
        "<button id=b><svg width=20 height=20><circle r=9 /></svg><span"
        f" id=t>Text</span></button>{_COUNT}"
    )
    await stage.does("click", selector="#t")
    await stage.does("click", selector="svg")
    assert await stage.value("hits") == 2


async def test_several_matches(stage: Stage) -> None:
    """Of several matches the first visible one is taken, and the answer says how many there are."""
    await stage.show(
        "<button hidden class=x>1</button><button class=x onclick='got = 2'>2</button>"
        "<button class=x onclick='got = 3'>3</button>"
    )
    assert "Clicked selector '.x' (1 of 3 matches)." in await stage.does("click", selector=".x")
    assert await stage.value("got") == 2


async def test_kinds_of_clicks(stage: Stage) -> None:
    """Buttons, counts and modifiers arrive as a mouse would send them."""
    await stage.show(
        "<button id=b>x</button><script>seen = [];"
        "for (const type of ['click', 'dblclick', 'auxclick', 'contextmenu'])"
        " b.addEventListener(type, (e) => { e.preventDefault();"
        " seen.push([type, e.button, e.detail, e.shiftKey, e.ctrlKey]) })</script>"
    )
    await stage.does("click", selector="#b", clickCount=3)
    await stage.does("click", selector="#b", button="right")
    await stage.does("click", selector="#b", button="middle")
    await stage.does("click", selector="#b", modifiers=["Shift", "Control"])
    assert await stage.value("seen") == [
        ["click", 0, 1, False, False],
        ["click", 0, 2, False, False],
        ["dblclick", 0, 2, False, False],
        ["click", 0, 3, False, False],
        ["contextmenu", 2, 0, False, False],
        ["auxclick", 2, 1, False, False],
        ["auxclick", 1, 1, False, False],
        ["click", 0, 1, True, True],
    ]


async def test_removes_itself(stage: Stage) -> None:
    """A button that a click takes away was clicked once; the answer says that it went."""
    await stage.show(
        "<button id=b>Delete</button><script>hits = 0; b.onclick = () => { hits++;"
        " b.remove() }</script>"
    )
    await stage.tab.snapshots.take()
    said = await hit_once(stage)
    assert re.search(r'^- - button "Delete" \[ref=e\d+\]$', said, re.MULTILINE)


async def test_points(stage: Stage) -> None:
    """A point is clicked whatever is there, and the answer says what that was."""
    await stage.show(
        f"<button id=b style='position:absolute;left:100px;top:100px'>Press</button>{_COUNT}"
    )
    assert re.search(
        r'^Clicked at \(110, 110\): "button \\"Press\\" \[ref=e\d+\]"',
        await stage.does("click", x=110, y=110),
    )
    assert await stage.value("hits") == 1
    assert "outside of the viewport" in await stage.refuses("click", x=9000, y=10)
    for wrong in ({"x": 1}, {"x": 1, "y": 1, "ref": "e1"}, {}, {"ref": "e1", "selector": "a"}):
        assert (await stage.refuses("click", **wrong)).startswith("BAD_ARGS: ")


async def test_hover(stage: Stage) -> None:
    """Hovering shows what a page shows to a mouse."""
    await stage.show(
        "<style>#m { display: none } #b:hover + #m { display: block }</style>"
        "<button id=b disabled>Menu</button><ul id=m><li><a href='#'>Entry</a></li></ul>"
    )
    said = await stage.does("hover", selector="#b")
    assert re.search(r'^\+ - (listitem: )?link "Entry" \[ref=e\d+\]$', said, re.MULTILINE)


async def test_by_ref_of_the_page_before(stage: Stage) -> None:
    """A ref of the document before this one means nothing here; what is called so now is named."""
    await stage.show(shown := f"<button id=b>Press</button> <button>Press</button>{_COUNT}")
    ref = re.search(r"ref=(\w+)", (await stage.tab.snapshots.take()).text)
    assert ref is not None
    await stage.show(shown)
    refused = await stage.refuses("click", ref=ref[1])
    assert refused.startswith(f"REF_EXPIRED: {ref[1]}: ")
    assert 'it was "button \\"Press\\""' in refused
    [there] = re.findall(r'now there: ("button \\"Press\\" \[ref=(e\d+)\][^,]*", .*)', refused)
    await stage.does("click", ref=there[1])
    assert await stage.value("hits") == 1
