"""Acting inside frames: the point goes outwards, and what covers a frame covers its content."""

import re

import pytest

from bridge import cdp
from bridge.page.target import Target
from tests.support.browsers import until_true
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_INNER = (
    "<body style='margin:0'><div style='height:40px'></div><button id=b>Inner</button>"
    "<input id=i aria-label=Field><script>hits = 0; b.onclick = () => hits++</script>"
)


async def show_frames(stage: Stage, *origins: str, style: str = "") -> None:
    """Frames in each other, the innermost with a button; written from outside in."""
    frame = (
        "<iframe src='{0}/stage' style='width:600px;height:400px;border:5px"
        " solid;padding:7px;{1}'></iframe>"
    )
    await stage.show("<h1>Outer</h1>" + frame.format(origins[0], style))
    for depth in range(1, len(origins) + 1):
        await until_true(lambda d=depth: _is_loaded(stage, d), "the frame is there")  # type: ignore[misc]
        inner = list(stage.tab.frames)[depth]
        html = (
            frame.format(origins[depth], "width:400px;height:200px")
            if depth < len(origins)
            else _INNER
        )
        page = html.replace("{{here}}", stage.site.origin).replace(
            "{{other}}", stage.site.other_origin
        )
        await stage.tab.scripts.isolated(
            f"document.open(); document.write({page!r}); document.close()", inner
        )


async def _is_loaded(stage: Stage, depth: int) -> bool:
    frames = list(stage.tab.frames)
    if len(frames) <= depth or not frames[depth].loader or not frames[depth].url.endswith("/stage"):
        return False
    return await stage.tab.scripts.isolated("document.readyState", frames[depth]) == "complete"


async def hits(stage: Stage) -> object:
    """Clicks the innermost frame has counted; its script lives in the page's own world."""
    script = "document.querySelector('#b').textContent"
    return await stage.tab.scripts.isolated(script, list(stage.tab.frames)[-1])


@pytest.mark.parametrize(
    "origins",
    [
        ("{{here}}",),
        ("{{other}}",),
        ("{{here}}", "{{other}}"),
        ("{{other}}", "{{here}}", "{{other}}"),
    ],
    ids=["same", "cross", "nested", "deep"],
)
async def test_click_and_type(stage: Stage, origins: tuple[str, ...]) -> None:
    """A button in a frame is clicked and a field in it typed into, by selector and by ref."""
    await show_frames(stage, *origins)
    inner = list(stage.tab.frames)[-1]
    counting = (
        "addEventListener('click', (e) => { window.seen = (window.seen ?? 0)"
        " + Number(e.isTrusted) })"
    )
    await stage.tab.scripts.isolated(counting, inner)
    await stage.does("click", selector="#b")
    text = (await stage.tab.snapshots.take()).text
    ref = re.search(r'"Inner" \[ref=(f\d+e\d+)\]', text)
    field = re.search(r'"Field" \[ref=(f\d+e\d+)\]', text)
    assert ref is not None
    assert field is not None
    await stage.does("click", ref=ref[1])
    assert await stage.tab.scripts.isolated("window.seen", inner) == 2
    said = await stage.does("type", ref=field[1], text="Ada")
    assert ": Ada" in said
    await stage.does("type", text=" L", keyEvents=True)
    await stage.does("press", key="Backspace")
    assert await stage.tab.scripts.isolated("i.value", inner) == "Ada "


@pytest.mark.parametrize("origin", ["{{here}}", "{{other}}"])
async def test_out_of_view(stage: Stage, origin: str) -> None:
    """A frame far below is brought into view, however it is transformed."""
    await show_frames(stage, origin, style="margin-top:3000px;transform:scale(.8)")
    inner = list(stage.tab.frames)[-1]
    await stage.tab.scripts.isolated("onclick = () => { window.seen = 1 }", inner)
    await stage.does("click", selector="#b")
    assert await stage.tab.scripts.isolated("window.seen", inner) == 1


@pytest.mark.parametrize("origin", ["{{here}}", "{{other}}"])
async def test_covered_frame(hurried: Stage, origin: str) -> None:
    """What covers a frame in the page around it is named, and gets no click."""
    await show_frames(hurried, origin)
    await hurried.value(
        "document.body.insertAdjacentHTML('beforeend',"
        " `<div id=veil onclick='caught = 1' style='position:fixed;inset:0'>veil</div>`)"
    )
    refused = await hurried.refuses("click", selector="#b")
    assert re.match(r"NOT_ACTIONABLE: selector '#b': its frame is covered by \"div#veil", refused)
    assert await hurried.value("window.caught") is None


@pytest.mark.differs("Chrome's bar about debugging makes a page lower when it appears.")
async def test_a_frame_itself(stage: Stage) -> None:
    """A frame is clicked in its middle, and the document in it gets the click."""
    await show_frames(stage, "{{other}}")
    inner = list(stage.tab.frames)[-1]
    await stage.tab.scripts.isolated(
        "onclick = (e) => { window.at = [e.clientX, e.clientY] }", inner
    )
    await stage.does("click", selector="iframe")
    assert await stage.tab.scripts.isolated("window.at", inner) == [300, 200]


async def test_navigating_frame(stage: Stage) -> None:
    """A link that loads a frame anew is followed to its end."""
    await show_frames(stage, "{{here}}")
    inner = list(stage.tab.frames)[-1]
    await stage.tab.scripts.isolated(
        f"document.body.innerHTML = '<a id=a href=\"{stage.site.other_origin}/form\">go</a>'", inner
    )
    await stage.does("click", selector="#a")
    assert 'heading "Form"' in (await stage.tab.snapshots.take()).text


@pytest.mark.parametrize("origin", ["{{here}}", "{{other}}"])
async def test_frame_that_goes_elsewhere(stage: Stage, origin: str) -> None:
    """A frame that a click sends elsewhere is told with where it is, and that its refs are gone."""
    await show_frames(stage, "{{here}}")
    inner = list(stage.tab.frames)[-1]
    there = origin.replace("{{here}}", stage.site.origin).replace(
        "{{other}}", stage.site.other_origin
    )
    script = (
        f"document.body.innerHTML = '<a id=a href=\"{there}/form\">go</a><a id=b href=#x>x</a>'"
    )
    await stage.tab.scripts.isolated(script, inner)
    said = await stage.does("click", selector="#b")
    assert "Frame" not in said
    said = await stage.does("click", selector="#a")
    assert f"\nFrame f1 is now at {there}/form; refs f1e… from before are gone." in said


@pytest.mark.parametrize("how", ["f.remove()", "f.src = '/form'"])
async def test_frame_that_ends_with_what_it_asks_for(stage: Stage, how: str) -> None:
    """What a frame was waiting for when its page ended it is waited for by nobody."""
    await show_frames(stage, "{{other}}")
    frame = list(stage.tab.frames)[1]
    ask = "b.onclick = () => { fetch('/never'); parent.postMessage('done', '*') }"
    await frame.session.execute(cdp.runtime.evaluate(ask))
    end = (
        f"f = document.querySelector('iframe'); onmessage = () => setTimeout(() => {{ {how} }}, 50)"
    )
    await stage.value(f"{end}; 1")
    after = await stage.tab.actions.click(Target(frame, {"selector": "#b"}, "#b"))
    assert after.waiting == 0


async def test_a_frame_inside(stage: Stage) -> None:
    """A box that a frame of its own fills is clicked in the frame, else beside it."""
    await stage.show(
        "<div id=full style='width:300px'><iframe width=300 height=100 style='border:0;"
        "display:block' srcdoc='<script>onclick = () => top.hits = 1</script>'></iframe></div>"
        "<div id=part style='width:300px;height:300px' onclick='beside = 1'>"
        "<iframe style='display:block;margin:100px 10px' srcdoc=x></iframe></div>"
    )
    await until_true(lambda: stage.value("!!frames[0].onclick"), "the frame is there")
    assert (await stage.does("click", selector="#full")).startswith("Clicked selector '#full'.")
    assert await stage.value("window.hits") == 1
    assert (await stage.does("click", selector="#part")).startswith("Clicked selector '#part'.")
    assert await stage.value("window.beside") == 1


async def test_kept_back_by_a_sandbox(stage: Stage) -> None:
    """What Chrome keeps a sandboxed frame from is told by the click that asked for it, once."""
    inside = "<form action=/page><button id=f>Send</button></form><button id=a onclick=alert(1)>Ask"
    await stage.show(f"<iframe sandbox=allow-scripts srcdoc='{inside}'></iframe>")
    await stage.does("wait_for", textContains="Ask")
    found = await stage.does("snapshot")
    refs = dict(re.findall(r'button "(\w+)" \[ref=(\w+)\]', found))
    for name, deed in (("Send", "sending a form"), ("Ask", "opening a dialog")):
        said = await stage.does("click", ref=refs[name])
        assert re.findall("kept a sandboxed frame from ([a-z ]+) ", said) == [deed]
