"""Pictures, waits and the caller's scripts on real pages."""

import struct
from base64 import b64decode

import pytest
import trio

from bridge import cdp
from bridge.page.screenshots import LONGEST_SIDE, MOST_BYTES
from bridge.tools.answer import Answer
from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


def size_of(answer: Answer) -> tuple[int, int]:
    """Width and height a PNG has, as it says itself."""
    (image,) = answer.images
    assert image.mime == "image/png"
    width, height = struct.unpack(">II", b64decode(image.data)[16:24])
    return width, height


async def colour_at(reader: Reader, answer: Answer, x: int, y: int) -> object:
    """The colour of one pixel of a picture; the browser itself unpacks it."""
    (image,) = answer.images
    tab = reader.tab
    await tab.navigate("about:blank")
    return await tab.evaluate(
        "new Promise((resolve) => { const image = new Image(); image.onload = () => {"
        " const context = new OffscreenCanvas(image.width, image.height).getContext('2d');"
        " context.drawImage(image, 0, 0);"
        f" resolve([...context.getImageData({x}, {y}, 1, 1).data].slice(0, 3)); }};"
        f" image.src = 'data:{image.mime};base64,{image.data}'; }})"
    )


# Pictures.


@pytest.mark.parametrize("format", ["png", "jpeg", "webp"])
async def test_viewport(reader: Reader, format: str) -> None:
    """A picture of the viewport has its size in CSS pixels, and shows what is scrolled to."""
    await reader.show("<body style='margin:0;background:#f00;height:3000px'><i id=i>")
    await reader.tab.evaluate(
        "i.style = 'position:absolute;top:2000px;left:0;width:99px;height:99px;background:#00f';"
        "scrollTo(0, 2000)"
    )
    width, height = await reader.facts("eval", expression="[innerWidth, innerHeight]")
    answer = await reader.door.call("screenshot", format=format)
    assert answer.text.startswith(f"{width}×{height} {format}")
    assert answer.images[0].mime == f"image/{format}"
    if format == "png":
        assert size_of(answer) == (width, height)
        assert await colour_at(reader, answer, 50, 50) == [0, 0, 255]


async def test_dense_screen(reader: Reader) -> None:
    """On a screen of two pixels per CSS pixel the picture is as large as on any other."""
    await reader.go("/form")
    await reader.tab.session.execute(
        cdp.emulation.set_device_metrics_override(
            width=600, height=400, device_scale_factor=2, mobile=False
        )
    )
    answer = await reader.door.call("screenshot")
    assert size_of(answer) == (600, 400)


async def test_whole_page(reader: Reader) -> None:
    """A page that is not long is taken whole, at its own size."""
    await reader.show("<body style='margin:0'><p style='height:1000px;width:500px;margin:0'>")
    answer = await reader.door.call("screenshot", fullPage=True)
    assert size_of(answer)[1] == 1000
    assert "scaled" not in answer.text


async def test_very_long_page(reader: Reader) -> None:
    """A very long page is cut at 16,384 pixels, scaled down, and both are said."""
    await reader.show("<body style='margin:0'><p style='height:20000px;margin:0'>")
    answer = await reader.door.call("screenshot", fullPage=True)
    assert "truncated: true, fullHeight: 20000" in answer.text
    assert "scaled: 1 CSS pixel is 0.0957 pixels" in answer.text
    assert max(size_of(answer)) == LONGEST_SIDE


async def test_element(reader: Reader) -> None:
    """A picture of an element shows just that, wherever it has to be scrolled to."""
    await reader.show(
        "<body style='margin:0'><p style='height:3000px'></p>"
        "<div style='overflow:auto;height:99px'>"
        "<p style='height:500px'></p><b id=b style='display:block;width:60px;height:40px;"
        "background:#0f0'></b></div><p style='height:3000px'>"
    )
    answer = await reader.door.call("screenshot", selector="#b")
    assert size_of(answer) == (60, 40)
    assert await colour_at(reader, answer, 30, 20) == [0, 255, 0]


async def test_element_in_a_frame(reader: Reader) -> None:
    """An element in a frame of another site is found in the picture of the page."""
    await reader.go("/frames")
    await reader.tab.evaluate("cross.style.border = '7px solid'; cross.style.padding = '5px'; 1")
    cross = next(f for f in reader.tab.frames if "label=cross" in f.url)
    await reader.tab.worlds.evaluate(
        cross,
        "document.body.innerHTML = '<b id=green style=\"display:block;width:60px;height:40px;"
        "background:#0f0\">'",
    )
    answer = await reader.door.call("screenshot", selector="#green")
    assert size_of(answer) == (60, 40)
    for x, y in ((1, 1), (58, 38)):
        assert await colour_at(reader, answer, x, y) == [0, 255, 0]


async def test_from_right_to_left(reader: Reader) -> None:
    """A page that begins at the right is taken where it is scrolled to, and so is an element."""
    await reader.show(
        "<body style='margin:0'><p style='margin:0;width:3000px;height:60px;background:#f00'></p>"
        "<b id=b style='position:absolute;left:-500px;top:0;width:60px;height:40px;"
        "background:#0f0'>"
    )
    await reader.tab.evaluate("document.documentElement.dir = 'rtl'")
    answer = await reader.door.call("screenshot")
    element = await reader.door.call("screenshot", selector="#b")
    assert size_of(element) == (60, 40)
    assert await colour_at(reader, answer, 30, 20) == [255, 0, 0]
    assert await colour_at(reader, element, 30, 20) == [0, 255, 0]


async def test_element_half_outside(reader: Reader) -> None:
    """Of an element that begins before the page does, the part is taken that can be seen."""
    await reader.show(
        "<body style='margin:0'><p style='margin:0;height:90px;background:#f00'></p>"
        "<b id=b style='position:absolute;left:-40px;top:90px;width:60px;height:40px;"
        "background:#0f0'></b>"
        "<b id=c style='position:absolute;left:-90px;top:90px;width:60px;height:40px'>"
    )
    answer = await reader.door.call("screenshot", selector="#b")
    assert "outside of the page" in await reader.refusal("screenshot", selector="#c")
    assert size_of(answer) == (20, 40)
    assert await colour_at(reader, answer, 10, 20) == [0, 255, 0]


async def test_many_pictures_of_a_tab_behind(reader: Reader) -> None:
    """A tab that is not in front gives every picture it is asked for."""
    await reader.go("/form")
    other = await (await reader.door.desk.browser()).new_tab(background=False)
    assert other.id != reader.tab.id
    for _ in range(20):
        assert not (await reader.door.call("screenshot")).is_error


async def test_large_picture(reader: Reader) -> None:
    """A picture that would be larger than a megabyte comes as a JPEG."""
    await reader.show("<body style='margin:0'><canvas width=1200 height=700>")
    await reader.tab.evaluate(
        "context = document.querySelector('canvas').getContext('2d');"
        "noise = context.createImageData(1200, 700);"
        "noise.data.forEach((_, i) => noise.data[i] = i % 4 == 3 ? 255 : Math.random() * 256);"
        "context.putImageData(noise, 0, 0); 1"
    )
    answer = await reader.door.call("screenshot", selector="canvas")
    assert answer.images[0].mime == "image/jpeg"
    assert "larger than 1 MB" in answer.text
    assert len(b64decode(answer.images[0].data)) < MOST_BYTES


async def test_nothing_to_take(reader: Reader) -> None:
    """An element without a size, and a page and an element at once, are errors."""
    await reader.show("<i id=none style='display:none'>x</i>")
    assert (await reader.refusal("screenshot", selector="#none")).startswith("NOT_ACTIONABLE")
    assert (await reader.refusal("screenshot", selector="#none", fullPage=True)).startswith("BAD")


# Waits.


async def test_what_comes_later(reader: Reader) -> None:
    """Elements and texts that come are told at once, with the line about them."""
    await reader.show("<p>Wait</p>")
    script = "setTimeout(() => document.body.insertAdjacentHTML('beforeend', %r), 150); 1"
    for given, html, line in (
        ({"selector": "#b"}, "<button id=b>Go</button>", '- button "Go"'),
        ({"textContains": "all done"}, "<p>It is <b>all</b> done.</p>", '- text "It is all done."'),
    ):
        await reader.tab.evaluate(script % html)
        answer = await reader.text("wait_for", **given)
        waited = int(answer.partition("waitedMs: ")[2].split()[0])
        assert line in answer
        assert 0 < waited < 3_000


async def test_what_style_shows(reader: Reader) -> None:
    """What only a style sheet brings into view is seen; what is hidden is not."""
    await reader.show("<p id=p style='display:none'>There</p>")
    refusal = await reader.refusal("wait_for", selector="#p", timeoutMs=1_000)
    assert refusal.startswith("TIMEOUT: waited 1 s for selector '#p' to appear; 1 on the page")
    await reader.tab.evaluate(
        "setTimeout(() => { const sheet = new CSSStyleSheet();"
        " sheet.replaceSync('#p { display: block !important }');"
        " document.adoptedStyleSheets = [sheet]; }, 100); 1"
    )
    assert "There" in await reader.text("wait_for", textContains="There")


async def test_what_goes(reader: Reader) -> None:
    """Something that goes is waited for; what was never there is gone at once."""
    await reader.show("<p id=busy>Busy</p>")
    await reader.tab.evaluate("setTimeout(() => busy.remove(), 150); 1")
    assert (await reader.text("wait_for", textContains="Busy", gone=True)).startswith("gone;")
    assert (await reader.text("wait_for", selector="#busy", gone=True)).startswith("gone;")
    refusal = await reader.refusal("wait_for", selector="body", gone=True, timeoutMs=150)
    assert "it is still there" in refusal


async def test_wait_outlives_navigation(reader: Reader) -> None:
    """A wait goes on over the pages that follow, and in the frames of the last one."""
    await reader.go("/")
    first, second = reader.site.url("/form"), reader.site.url("/frames")
    await reader.tab.evaluate(
        f"sessionStorage.clear(); setTimeout(() => location.href = {first!r}, 100); 1"
    )

    async def go_on() -> None:
        await reader.text("wait_for", selector="#form")
        await reader.tab.evaluate(f"setTimeout(() => location.href = {second!r}, 50); 1")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(go_on)
        answer = await reader.text("wait_for", textContains="Text of the frame inner")
    assert "[ref=f" in answer


async def test_wait_beside_a_frame_that_hangs(reader: Reader) -> None:
    """A frame that never answers keeps nobody from seeing what comes in the page."""
    await reader.go("/stage")
    other = reader.site.other("/stage")
    script = f"""new Promise((done) => {{
      document.body.innerHTML = '<iframe src="{other}"></iframe><p id="p"></p>';
      document.querySelector('iframe').onload = done;
    }})"""
    await reader.tab.evaluate(script)
    (frame,) = (each for each in reader.tab.frames if each.parent is not None)
    async with trio.open_nursery() as nursery:
        hang = cdp.runtime.evaluate("const end = Date.now() + 6000; while (Date.now() < end);")
        nursery.start_soon(frame.session.execute, hang)
        await reader.tab.evaluate("void setTimeout(() => { p.textContent = 'Come' }, 1500)")
        told = await reader.text("wait_for", textContains="Come", timeoutMs=3000)
        assert told.startswith("visible;")
        nursery.cancel_scope.cancel()


async def test_no_text_to_wait_for(reader: Reader) -> None:
    """A text without words is refused; it would be everywhere."""
    await reader.go("/form")
    for text in ("", " \n", "\u200b"):
        refusal = await reader.refusal("wait_for", textContains=text)
        assert refusal.startswith("BAD_ARGS: there is no text")


async def test_dialog_ends_a_wait(reader: Reader) -> None:
    """A dialog ends a wait at once: nothing in the page goes on behind it."""
    await reader.go("/")
    await reader.tab.evaluate("setTimeout(() => alert('Well?'), 100); 1")
    refusal = await reader.refusal("wait_for", selector="#never")
    assert refusal.startswith("DIALOG_OPEN")
    await reader.tab.dialogs.answer(accept=True)


async def test_cancelled_wait(reader: Reader) -> None:
    """A wait that is cancelled leaves the tab to others."""
    await reader.go("/")
    with trio.move_on_after(0.2):
        await reader.text("wait_for", selector="#never")
    assert await reader.page("eval", expression="1 + 1") == "2"


async def test_found_within(reader: Reader) -> None:
    """Only what a target is or holds is found; of a selector all matches count, frames as well."""
    await reader.show(
        "<p>Save</p><button>Save <b>all</b></button>"
        "<div class=card><p>Save here</p><i hidden>save</i></div>"
        "<div class=card><a href=#>Save there</a></div>"
        "<label>Save as <input></label>"
        '<iframe srcdoc="Save me"></iframe>'
    )
    for selector, count, hidden in (
        (".card", 2, 1),
        ("button", 1, 0),
        ("input", 1, 0),
        ("p", 2, 0),
    ):
        told = f"{count} visible" + (f", {hidden} hidden" if hidden else "")
        assert (await reader.text("find", text="save", selector=selector)).startswith(f"{told}\n")
    assert "Save me" in await reader.page("find", text="save", selector="body")
    line = await reader.page("find", text="Save there")
    ref = line.partition("ref=")[2].partition("]")[0]
    assert await reader.page("find", text="save", ref=ref) == line
    assert await reader.text("find", text="else", ref=ref) == "Nothing there has this text."
    assert (await reader.refusal("find", text="x", selector="h9")).startswith("SELECTOR_NOT_FOUND")


# Scripts.


async def test_functions_of_elements(reader: Reader) -> None:
    """A script gets the element itself, in the world of the page, in frames as well."""
    await reader.go("/frames")
    await reader.tab.evaluate("text.mine = 'property of the page'; 1")
    ask = {"selector": "#text", "expression": "(element) => [element.mine, element.id]"}
    assert await reader.facts("eval", **ask) == ["property of the page", "text"]
    line = await reader.page("find", text="Middle button")
    ref = line.partition("ref=")[2].partition("]")[0]
    where = await reader.facts(
        "eval", ref=ref, expression="function () { return [this.tagName, location.port] }"
    )
    assert where == ["BUTTON", reader.site.other_origin.rpartition(":")[2]]


async def test_wrong_scripts(reader: Reader) -> None:
    """A script that is none, or throws, has the page's message; an expression is no function."""
    await reader.go("/form")
    assert (await reader.refusal("eval", expression="no such(")).startswith(
        'EVAL_THREW: the script threw: "SyntaxError'
    )
    thrown = await reader.refusal("eval", selector="form", expression="(e) => e.nothing.here")
    assert "TypeError: Cannot read properties of undefined" in thrown
    assert "has to be a function" in await reader.refusal(
        "eval", selector="form", expression="1 + 1"
    )
