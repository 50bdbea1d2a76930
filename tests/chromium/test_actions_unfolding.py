"""What an action lets appear by and by is told: faded in, unfolded, behind a curtain."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_ADDED = (
    "<style>.m { opacity: 0; transition: opacity .25s } .m.in { opacity: 1 }</style>"
    "<button id=b aria-expanded=false>Open</button><script>b.onclick = () => {"
    " b.setAttribute('aria-expanded', 'true'); const m = document.createElement('div');"
    " m.className = 'm'; m.textContent = 'Words'; document.body.append(m); BEGIN }</script>"
)
_AT_ONCE = _ADDED.replace("BEGIN", "m.offsetHeight; m.classList.add('in')")
_LATER = _ADDED.replace(
    "BEGIN", "requestAnimationFrame(() => requestAnimationFrame(() => m.classList.add('in')))"
)
_DIALOG = (
    "<style>dialog { opacity: 0; transition: opacity .3s, display .3s allow-discrete }"
    "dialog[open] { opacity: 1 } @starting-style { dialog[open] { opacity: 0 } }</style>"
    "<button id=b onclick='d.showModal()'>Open</button><dialog id=d>Words</dialog>"
)
_FOLD = (
    "<style>#s { overflow: hidden; max-height: 0; transition: max-height .3s }"
    "#s.o { max-height: 200px }</style>"
    "<button id=b onclick=\"s.classList.toggle('o')\">More</button><div id=s>Words</div>"
)
_GRID = (
    "<style>#s { display: grid; grid-template-rows: 0fr; transition: grid-template-rows .3s }"
    "#s div { overflow: hidden; min-height: 0 } #s.o { grid-template-rows: 1fr }</style>"
    "<button id=b onclick=\"s.classList.toggle('o')\">More</button><div id=s><div>Words</div></div>"
)
_VISIBILITY = (
    "<style>#s { visibility: hidden; opacity: 0; transition: all .3s }"
    "#s.o { visibility: visible; opacity: 1 }</style>"
    "<button id=b onclick=\"s.classList.toggle('o')\">More</button><div id=s>Words</div>"
)
_CURTAIN = (
    "<style>.k { position: fixed; inset: 0; opacity: 0; transition: opacity .1s; background: #000 }"
    ".k.in { opacity: .5 } #s { display: none; opacity: 0; transition: opacity .1s }"
    "#s.in { opacity: 1 }</style><button id=b>Open</button><div id=s>Words</div><script>"
    "b.onclick = () => { const k = document.createElement('div'); k.className = 'k';"
    " document.body.append(k); k.offsetHeight; k.classList.add('in'); k.ontransitionend = () => {"
    " k.remove(); s.style.display = 'block'; s.offsetHeight; s.classList.add('in') } }</script>"
)
_TRANSITION = (
    "<button id=b onclick=\"document.startViewTransition(() => { p.textContent = 'Words' })\">Go"
    "</button><p id=p>Nothing"
)
_BY_SCRIPT = (
    "<button id=b>Open</button><p id=s style='display: none'>Words</p><script>b.onclick = () => {"
    " const begun = performance.now(); const tick = () => {"
    " const at = Math.min((performance.now() - begun) / 400, 1);"
    " s.style.opacity = at ** 2 + 1e-5; if (at < 1) requestAnimationFrame(tick) };"
    " s.style.display = 'block'; tick() }</script>"
)


@in_turn(
    "page",
    [_AT_ONCE, _LATER, _DIALOG, _FOLD, _GRID, _VISIBILITY, _CURTAIN, _TRANSITION, _BY_SCRIPT],
)
async def test_words_come(stage: Stage, page: str) -> None:
    """The words are in the answer to the click that brings them."""
    await stage.show(page)
    await stage.tab.bring_to_front()  # tabs behind others are hardly drawn
    assert "Words" in await stage.does("click", selector="#b")


async def test_dialog_goes(stage: Stage) -> None:
    """What fades away is told as gone, and not as something that has changed."""
    await stage.show(
        "<style>#d { opacity: 1; transition: opacity .2s } #d.off { opacity: 0 }</style>"
        "<div id=d role=dialog aria-label=Sure>Really? <button id=b>Yes</button></div><script>"
        "b.onclick = () => { d.setAttribute('aria-busy', 'true'); d.classList.add('off');"
        " d.ontransitionend = () => d.remove() }</script>"
    )
    await stage.tab.bring_to_front()
    await stage.does("snapshot")
    said = await stage.does("click", selector="#b")
    assert '- - button "Yes"' in said
    assert "~ - dialog" not in said


async def test_goes_a_task_later(stage: Stage) -> None:
    """What is taken away in a task of its own, once it has faded, is told as gone."""
    await stage.show(
        "<style>@keyframes out { to { opacity: 0 } } .off { animation: out .2s }</style>"
        "<div id=d role=dialog aria-label=Sure>Really? <button id=b>Yes</button></div><script>"
        "const { port1, port2 } = new MessageChannel(); port2.onmessage = () => d.remove();"
        "b.onclick = () => d.classList.add('off');"
        "d.onanimationend = () => port1.postMessage(0)</script>"
    )
    await stage.tab.bring_to_front()
    await stage.does("snapshot")
    assert '- - button "Yes"' in await stage.does("click", selector="#b")


async def test_nothing_to_wait_for(stage: Stage) -> None:
    """A line that grows, and a button that changes its colour, are not waited for."""
    ages = []
    for _ in range(3):  # a busy machine may take its time, but not always
        await stage.show(
            "<style>#u { height: 2px; width: 0; transition: width 5s } #b { transition: color 5s }"
            '.o { color: red } .o + #u { width: 90px }</style><button id=b onclick="b.className ='
            " 'o'; b.ariaExpanded = 'true'\"><i></i>Go</button><div id=u></div>"
        )
        await stage.tab.bring_to_front()
        assert "[expanded]" in await stage.does("click", selector="#b")
        ages.append(await stage.value("document.getAnimations().map((each) => each.currentTime)"))
    assert all(isinstance(age, list) and len(age) == 2 for age in ages)
    assert min(max(age) for age in ages if isinstance(age, list)) < 300


async def test_ground_and_dialog(stage: Stage) -> None:
    """What fades in within a ground that fades in as well is told when both can be seen."""
    await stage.show(
        "<style>.g { opacity: 0; transition: opacity .4s linear } .g.in { opacity: 1 }"
        "@keyframes k { from { opacity: 0 } } .g.in div { animation: k .4s linear }</style>"
        "<button id=b>Open</button><div id=o></div><script>b.onclick = () => {"
        " o.innerHTML = '<div class=g><div>Words</div></div>'; o.offsetHeight;"
        " o.firstChild.classList.add('in') }</script>"
    )
    await stage.tab.bring_to_front()
    assert "+ - text: Words" in await stage.does("click", selector="#b")


_KEYED = (
    "<style>#d { opacity: 1 } @keyframes k { to { opacity: 0 } }"
    "#d.off { animation: k .2s both }</style><button id=a>Open</button>"
    "<div id=d role=dialog aria-label=Sure><button id=b>Yes</button></div><script>"
    "b.focus(); b.onkeydown = () => { FOCUS; d.classList.add('off') };"
    "d.onanimationend = () => setTimeout(() => (d.style.display = 'none')) </script>"
)


@in_turn("focus", ["a.focus()", "0"])
async def test_dialog_goes_by_key(stage: Stage, focus: str) -> None:
    """A key that closes a dialog is told with that, wherever the focus goes at once."""
    await stage.show(_KEYED.replace("FOCUS", focus))
    await stage.tab.bring_to_front()
    await stage.does("snapshot")
    assert '- - button "Yes"' in await stage.does("press", key="Escape")


@in_turn(
    "opens", ["setTimeout(show, 300)", "setTimeout(() => fetch('/slow?ms=100').then(show), 300)"]
)
async def test_tip_that_takes_its_time(stage: Stage, opens: str) -> None:
    """What opens under the mouse after a while is told by the hover that opens it."""
    await stage.show(
        "<button id=b>Help</button><p id=t role=tooltip hidden>Words</p><script>"
        f"const show = () => {{ t.hidden = false }}; b.onmouseenter = () => {opens}</script>"
    )
    assert "+ - tooltip: Words" in await stage.does("hover", selector="#b")


async def test_tip_of_a_style_that_takes_its_time(stage: Stage) -> None:
    """So is what a style shows with a delay."""
    await stage.show(
        "<style>#t { visibility: hidden; opacity: 0; transition: all .2s .4s }"
        "#b:hover + #t { visibility: visible; opacity: 1 }</style>"
        "<button id=b>Help</button><p id=t role=tooltip>Words</p>"
    )
    await stage.tab.bring_to_front()
    assert "+ - tooltip: Words" in await stage.does("hover", selector="#b")


_VEILED = {
    "shown": "t.style.display = 'block'; setTimeout(() => (t.style.opacity = 1), 150)",
    "added": "const g = document.createElement('div'); g.append(t); document.body.append(g);"
    " t.style.display = 'block'; setTimeout(() => (t.style.opacity = 1), 10)",
}


@in_turn("veiled", _VEILED)
async def test_note_that_begins_transparent(stage: Stage, veiled: str) -> None:
    """A note that gets its place first, and shows itself a moment later, is told."""
    await stage.show(
        "<button id=b>Save</button><div id=t role=status style='display: none; opacity: 0'>Saved"
        f"</div><script>b.onclick = () => {{ {_VEILED[veiled]} }}</script>"
    )
    await stage.tab.bring_to_front()
    assert "Saved" in await stage.does("click", selector="#b")


async def test_menu_that_is_measured_first(stage: Stage) -> None:
    """A menu that opens late, and is laid out unseen before it shows, is told by the hover."""
    await stage.show(
        "<button id=b>Menu</button><script>const wait = (ms) => new Promise((done) =>"
        " setTimeout(done, ms)); b.onmouseenter = async () => { await wait(100);"
        " const m = document.createElement('ul'); m.style.opacity = 0; m.innerHTML = '<li>Entry';"
        " document.body.append(m); await wait(150); m.style.opacity = 1 }</script>"
    )
    await stage.tab.bring_to_front()
    assert "Entry" in await stage.does("hover", selector="#b")
