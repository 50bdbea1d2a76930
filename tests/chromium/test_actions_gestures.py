"""Dragging, scrolling and giving files in a real page."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.browser.prelude import PRELUDE
from fixtures.site import Site
from tests.support.door import ANYTHING, open_door
from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]


async def test_drag_and_drop(stage: Stage) -> None:
    """The browser's own drag and drop carries its data, and ends where it should."""
    await stage.does("navigate", url=stage.site.url("/drag"))
    said = await stage.does("drag", fromSelector="#source", toSelector="#target")
    assert said.startswith("Dragged selector '#source' to selector '#target'.\n<page")
    assert "Dropped a parcel." in said
    assert await stage.value("document.getElementById('log').textContent") == (
        "dragstart drop dragend "
    )
    await stage.does("click", selector="h1")


async def test_drag_and_drop_from_a_point(stage: Stage) -> None:
    """So it does where what is dragged is named by its place."""
    await stage.does("navigate", url=stage.site.url("/drag"))
    box = "JSON.stringify(document.getElementById('source').getBoundingClientRect())"
    at = json.loads(str(await stage.value(box)))
    said = await stage.does("drag", fromX=at["x"] + 9, fromY=at["y"] + 9, toSelector="#target")
    assert "Dropped a parcel." in said
    assert await stage.value("document.getElementById('log').textContent") == (
        "dragstart drop dragend "
    )


@in_turn(
    ("event", "said"),
    [
        ("dragstart", "Began to drag selector '#source' to selector '#target', which came to no"),
        ("drop", "Dragged selector '#source' to selector '#target'."),
    ],
)
async def test_dialog_while_dragging(stage: Stage, event: str, said: str) -> None:
    """Where a dialog comes before the drop, nothing is said to be dragged."""
    await stage.does("navigate", url=stage.site.url("/drag"))
    await stage.value(f"document.addEventListener('{event}', () => alert('Sure?'))")
    answer = await stage.does("drag", fromSelector="#source", toSelector="#target")
    assert answer.startswith(said)
    assert 'A dialog is open (alert: "Sure?")' in answer
    await stage.does("handle_dialog", action="accept")


async def test_drop_refused(stage: Stage) -> None:
    """A place that takes no drop is told as that."""
    await stage.does("navigate", url=stage.site.url("/drag"))
    said = await stage.does("drag", fromSelector="#source", toSelector="h1")
    assert "The page did not take the drop." in said


async def test_pointer_drag(stage: Stage) -> None:
    """A slider that follows the pointer is dragged to a point."""
    await stage.does("navigate", url=stage.site.url("/drag"))
    right = await stage.value("document.getElementById('track').getBoundingClientRect().right - 21")
    top = await stage.value("document.getElementById('track').getBoundingClientRect().top + 20")
    await stage.does("drag", fromSelector="#knob", toX=right, toY=top)
    assert await stage.value("document.getElementById('amount').textContent") == "100"


async def test_drag_arguments(stage: Stage) -> None:
    """Both ends are needed, each in one way."""
    await stage.show("<p id=p>x</p>")
    for wrong in (
        {},
        {"fromSelector": "#p"},
        {"fromX": 1, "toX": 1, "toY": 1},
        {"fromSelector": "#p", "fromRef": "e1", "toX": 1, "toY": 1},
    ):
        assert (await stage.refuses("drag", **wrong)).startswith("BAD_ARGS: ")


async def test_scroll(stage: Stage) -> None:
    """Scrolling says where the page is; an end that is reached is told."""
    await stage.show("<div style='height:5000px'></div><p id=p>End</p>")
    assert await stage.does("scroll", deltaY=300) == "The page is at (0, 300) of " + (
        f"(0, {await stage.value('document.scrollingElement.scrollHeight - innerHeight')})."
    )
    await stage.does("scroll", selector="#p")
    assert await stage.value("p.getBoundingClientRect().bottom <= innerHeight") is True
    await stage.does("scroll", y=0)
    assert "It was there already." in await stage.does("scroll", deltaY=-50)
    assert (await stage.refuses("scroll")).startswith("BAD_ARGS: ")


async def test_scroll_a_box(stage: Stage) -> None:
    """The box around an element scrolls, also where the page itself does not."""
    await stage.show(
        "<body style='margin:0'><div id=d style='height:100vh;overflow:auto'>"
        "<p id=p>Top</p><div style='height:4000px'></div></div>"
    )
    assert "A box of the page is at (0, 200)" in await stage.does(
        "scroll", selector="#p", deltaY=200
    )
    assert "(0, 500)" in await stage.does("scroll", deltaY=300)
    assert await stage.value("d.scrollTop") == 500


async def test_scroll_a_body(stage: Stage) -> None:
    """A body that scrolls within its root is the box that scrolls."""
    await stage.show(
        "<style>html, body { height: 100%; margin: 0; overflow: hidden } body { overflow: auto }"
        "</style><body><div style='height:4000px'>Long</div></body>"
    )
    assert "(0, 300)" in await stage.does("scroll", deltaY=300)
    assert await stage.value("document.body.scrollTop") == 300


async def test_scroll_a_dialog(stage: Stage) -> None:
    """While a dialog holds the page still, what scrolls is the dialog."""
    await stage.show(
        "<body style='overflow:hidden'><div style='height:4000px'></div><div id=d role=dialog "
        "style='position:fixed;inset:20px;overflow:auto'><p style='height:3000px'>Long</p></div>"
    )
    assert "A box of the page is at (0, 300)" in await stage.does("scroll", deltaY=300)
    assert await stage.value("[d.scrollTop, scrollY]") == [300, 0]
    assert "(0, 100)" in await stage.does("scroll", y=100)
    assert await stage.value("[d.scrollTop, scrollY]") == [100, 0]


@in_turn("around", ["<body style='margin:0'>", "<body style='margin:0;overflow:hidden'>"])
async def test_scroll_piece_by_piece(stage: Stage, around: str) -> None:
    """Where a page shows itself piece by piece, nothing but the wheel is turned."""
    part = "<section style='height:100vh'></section>"
    await stage.show(
        f"{around}<div id=d style='height:100vh;overflow:hidden'>{part}{part}</div>{part}"
        "<script>turned = 0; onwheel = (e) => { turned += e.deltaY }</script>"
        "<style>:root { overflow: hidden }</style>"
    )
    assert "the mouse wheel was turned" in await stage.does("scroll", deltaY=120)
    assert await stage.value("[turned, d.scrollTop, scrollY]") == [120, 0, 0]


async def test_scroll_loads(stage: Stage) -> None:
    """What a page loads when its end comes into view is there when scrolling returns."""
    await stage.show(
        "<div style='height:3000px'></div><p id=p>End</p><script>"
        "new IntersectionObserver(([e]) => { if (e.isIntersecting && !p.loaded) { p.loaded = 1;"
        " fetch('/slow?ms=100').then(() => { p.textContent = 'More' }) } }).observe(p)</script>"
    )
    await stage.does("scroll", deltaY=100_000)
    assert await stage.value("p.textContent") == "More"


async def test_wheel(stage: Stage) -> None:
    """Where nothing scrolls, the wheel is turned, as for a map."""
    await stage.show(
        "<body style='margin:0;overflow:hidden'><canvas id=c></canvas>"
        "<script>turned = 0; onwheel = (e) => { turned += e.deltaY }</script>"
    )
    assert "the mouse wheel was turned" in await stage.does("scroll", deltaY=120)
    assert await stage.value("turned") == 120
    for far in (1e40, -1e200):
        assert "the mouse wheel was turned" in await stage.does("scroll", deltaY=far)
    assert await stage.value("turned") == 120


async def test_wheel_over_what_scrolls_the_other_way(stage: Stage) -> None:
    """A row that only goes sideways gets the wheel for what goes down, as carousels want it."""
    await stage.show(
        "<body style='margin: 0; overflow: hidden'><div id=r style='overflow: auto; width: 200px'>"
        "<p style='width: 900px'>Row</div><script>turned = 0;"
        " r.onwheel = (event) => { turned += event.deltaY }</script>"
    )
    said = await stage.does("scroll", selector="#r", deltaY=120)
    assert "the mouse wheel was turned" in said
    assert await stage.value("turned") == 120
    assert "A box of the page is at (120, 0)" in await stage.does(
        "scroll", selector="#r", deltaX=120
    )
    assert await stage.value("turned") == 120
    assert "It was there already" in await stage.does("scroll", selector="#r", x=120)


@pytest.fixture
async def uploading(browser: Browser, site: Site, tmp_path: Path) -> AsyncIterator[Stage]:
    """Tools that may give away what is in one folder."""
    browser.add_prelude(*PRELUDE)
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "one.txt").write_text("1")
    (folder / "two.txt").write_text("22")
    options = replace(ANYTHING, enable_uploads=True, uploads_dir=folder)
    async with open_door(browser, options) as door:
        stage = Stage(door, site)
        await stage.does("navigate", url=site.url("/upload"))
        yield stage


@pytest.mark.parametrize(
    ("selector", "paths", "chosen"),
    [
        ("#one", ["one.txt"], "one.txt (1)"),
        ("#many", ["one.txt", "two.txt"], "one.txt (1), two.txt (2)"),
        ("#concealed", ["two.txt"], "two.txt (2)"),
        ("#styled", ["one.txt"], "one.txt (1)"),
        ("#choose", ["one.txt"], "one.txt (1)"),
    ],
)
async def test_upload(uploading: Stage, selector: str, paths: list[str], chosen: str) -> None:
    """Fields, hidden ones, labels and buttons that ask for files get them."""
    said = await uploading.does("upload_file", selector=selector, paths=paths)
    assert said.startswith('Gave "')
    assert await uploading.value("document.getElementById('chosen').textContent") == chosen


async def test_upload_of_nothing(uploading: Stage) -> None:
    """No files take away those that are there, and the page hears of it."""
    await uploading.does("upload_file", selector="#many", paths=["one.txt"])
    said = await uploading.does("upload_file", selector="#many", paths=[])
    assert said.startswith("Gave no file to")
    assert await uploading.value("document.getElementById('many').files.length") == 0
    assert await uploading.value("document.getElementById('chosen').textContent") == "nothing"


async def test_upload_by_drop(uploading: Stage) -> None:
    """What takes files only where they are dropped gets them so; what takes none is left alone."""
    await uploading.show(
        "<div id=d ondragover='event.preventDefault()' ondrop='event.preventDefault();"
        " got = [...event.dataTransfer.files]'>Drop here</div><div id=n>None</div>"
    )
    said = await uploading.does("upload_file", selector="#d", paths=["one.txt", "two.txt"])
    assert said.startswith('Dropped "one.txt", "two.txt" on selector')
    assert await uploading.value("got.map((each) => each.name)") == ["one.txt", "two.txt"]
    assert await uploading.value("got[1].text()") == "22"
    refused = await uploading.refuses("upload_file", selector="#n", paths=["one.txt"])
    assert "takes none that are dropped on it" in refused
    assert uploading.tab.url.endswith("/stage")


async def test_upload_by_drop_is_quick(uploading: Stage) -> None:
    """What takes dropped files gets them as soon as a chooser would have come."""
    await uploading.show(
        "<div id=d ondragover='event.preventDefault()' ondrop='event.preventDefault();"
        ' location = "/echo"\'>Drop here</div>'
    )
    began = trio.current_time()
    assert "/echo" in await uploading.does("upload_file", selector="#d", paths=["one.txt"])
    assert trio.current_time() - began < 2


@pytest.mark.parametrize("ms", [0, 1000])
async def test_chooser_that_comes_late(uploading: Stage, ms: int) -> None:
    """A chooser that a page opens a while after the click gets the files as well."""
    await uploading.show(
        f"<button id=b onclick='setTimeout(() => i.click(), {ms})'>x</button>"
        "<input id=i type=file hidden>"
    )
    await uploading.does("upload_file", selector="#b", paths=["one.txt"])
    assert await uploading.value("i.files[0].name") == "one.txt"


_CURTAINS = {"covers": "c.hidden = false", "takes its place": "b.remove()"}


@pytest.mark.inside
@pytest.mark.parametrize("way", _CURTAINS)
async def test_chooser_behind_a_curtain(uploading: Stage, way: str) -> None:
    """So does one that comes when the click has put something before what was clicked."""
    await uploading.show(
        f"<button id=b onclick='{_CURTAINS[way]}; setTimeout(() => i.click(), 1500)'>x</button>"
        "<p id=c hidden style='position: fixed; inset: 0; margin: 0'>Wait</p>"
        "<input id=i type=file hidden>"
    )
    await uploading.does("upload_file", selector="#b", paths=["one.txt"])
    assert await uploading.value("i.files[0].name") == "one.txt"


async def test_picker_of_the_browser(uploading: Stage) -> None:
    """A picker without a field is said to be none of those that take files from here."""
    await uploading.show("<button id=b onclick='showOpenFilePicker().catch(() => {})'>x</button>")
    said = await uploading.does("click", selector="#b")
    assert "only a person can answer: it was cancelled." in said
    assert "upload_file" not in said
    refused = await uploading.refuses("upload_file", selector="#b", paths=["one.txt"])
    assert "only a person can answer: it was cancelled" in refused


async def test_upload_to_a_folder_field(uploading: Stage) -> None:
    """A field for a whole folder would drop a file unsaid: that is refused, with the reason."""
    await uploading.show("<input id=dir type=file webkitdirectory>")
    refused = await uploading.refuses("upload_file", selector="#dir", paths=["one.txt"])
    assert "it takes a whole folder" in refused
    await uploading.show(
        "<button id=b onclick='f.click()'>Ask</button><input id=f type=file webkitdirectory hidden>"
    )
    refused = await uploading.refuses("upload_file", selector="#b", paths=["one.txt"])
    assert "it takes a whole folder" in refused


async def test_upload_that_is_asked_about(uploading: Stage) -> None:
    """Where the click opens a dialog, and no chooser, the dialog is named."""
    await uploading.show("<button id=b onclick=\"confirm('Sure?')\">Ask</button>")
    refused = await uploading.refuses("upload_file", selector="#b", paths=["one.txt"])
    assert "the click on it opened a dialog (confirm), and asked for no file yet" in refused
    await uploading.does("handle_dialog", action="dismiss")


@pytest.mark.inside
async def test_upload_refused(uploading: Stage) -> None:
    """Too many files, a field that takes none and a path elsewhere are refused with the reason."""
    both = ["one.txt", "two.txt"]
    assert "it takes one file" in await uploading.refuses(
        "upload_file", selector="#one", paths=both
    )
    assert "asked for none" in await uploading.refuses(
        "upload_file", selector="h1", paths=["one.txt"]
    )
    refused = await uploading.refuses("upload_file", selector="#one", paths=["../secret"])
    assert refused.startswith("POLICY_DENIED: ")
    refused = await uploading.refuses("upload_file", selector="#one", paths=["none.txt"])
    assert refused.startswith("BAD_ARGS: ")
    assert await uploading.value("document.getElementById('chosen').textContent") == "nothing"


async def test_what_is_dragged_moves_away(stage: Stage) -> None:
    """What moves when the mouse comes, as below a tip that closes, is taken where it is then."""
    await stage.show(
        "<style>body { margin: 0 } div { height: 30px }</style><div id=tip>Tip</div>"
        "<div id=a draggable=true ondragstart=\"event.dataTransfer.setData('text', 1)\">A</div>"
        "<div id=b draggable=true>B</div><div id=c ondragover='event.preventDefault()'"
        " ondrop='dropped = event.dataTransfer.getData(`text`)'>C</div>"
        "<script>presses = 0; onmousemove = () => { tip.hidden = true };"
        "b.onpointerdown = () => { presses++ }</script>"
    )
    assert "Dragged" in await stage.does("drag", fromSelector="#a", toSelector="#c")
    assert await stage.value("[dropped, presses]") == ["1", 0]


async def test_something_comes_over_what_is_dragged(hurried: Stage) -> None:
    """What gets in between is named, as for a click, and the page sees no press."""
    await hurried.show(
        "<button id=b onmousemove='veil.hidden = false' onmousedown='pressed = 1'>Hold</button>"
        "<div id=veil hidden style='position:fixed;top:0;left:0;width:300px;height:60px'>"
        "We value your privacy</div><p id=p style='margin-top:200px'>To"
    )
    refused = await hurried.refuses("drag", fromSelector="#b", toSelector="#p")
    told = r"selector '#b': (it is covered by \"div#veil \(|\"div#veil \(.* came over it before it)"
    assert re.search(told, refused), refused  # whichever was seen last
    assert "We value your privacy" in refused
    assert await hurried.value("window.pressed") is None


async def test_a_mouse_is_there(stage: Stage) -> None:
    """Pages are told of a mouse, which rests over things, also where there is no screen."""
    await stage.show(
        "<style>#m ul { display: none } @media (hover: hover) { #m:hover ul { display: block }"
        " }</style>"
        "<div id=m>Products<ul><li><a href=#a>Phones</a></ul></div>"
    )
    assert '+ - link "Phones"' in await stage.does("hover", selector="#m")
    assert await stage.value("matchMedia('(pointer: fine)').matches") is True
