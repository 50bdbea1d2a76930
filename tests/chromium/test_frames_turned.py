"""Frames that are turned, scaled, zoomed, or scrolled in boxes: points in them are still found."""

import pytest

from tests.support.browsers import until_true
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_INNER = (
    "<body style='margin:0'><button id=b style='margin:40px 30px;width:80px;height:24px'>"
    "Inner</button>"
)
_ROOM = "margin:300px;"
_PLACED = {  # the frame's own style, and that of the box around it
    "plain": ("", ""),
    "scaled": ("transform:scale(.5)", ""),
    "moved": ("transform:translate(50px,20px)", ""),
    "turned": ("transform:rotate(30deg)", ""),
    "turned and scaled around": ("rotate:90deg;scale:.5 .8", "transform:scale(.7)"),
    "turned around": ("", "transform:rotate(-20deg)"),
    "stretched": ("transform:scale(.5,1.5)", ""),
    "mirrored": ("transform:scaleX(-1)", ""),
    "slanted": ("", "transform:skewX(20deg)"),
    "zoomed": ("border:20px solid;padding:13px;zoom:.6", "zoom:1.5"),
    "bordered": ("border:20px solid;padding:13px;transform:scale(.5)", ""),
    "far down in a box": (
        "margin:1500px 0 900px",
        "margin:1200px 0 900px;height:150px;overflow:auto",
    ),
}


async def show(stage: Stage, origin: str) -> None:
    """One frame in a box."""
    await stage.show(
        f"<div id=o><iframe id=f src='{origin}/stage' width=500 height=200></iframe></div>"
    )
    await until_true(lambda: _is_there(stage), "the frame is there")
    await inside(stage, f"document.open(); document.write({_INNER!r}); document.close()")


async def _is_there(stage: Stage) -> bool:
    frames = list(stage.tab.frames)
    if len(frames) < 2 or not frames[1].loader or not frames[1].url.endswith("/stage"):
        return False
    return await inside(stage, "document.readyState") == "complete"


async def inside(stage: Stage, expression: str) -> object:
    return await stage.tab.scripts.isolated(expression, list(stage.tab.frames)[1])


async def place(stage: Stage, own: str, around: str) -> None:
    """Put it there, and count the clicks its button gets from now on."""
    styles = f"f.style.cssText = {own!r}; o.style.cssText = {_ROOM + around!r}; scrollTo(0, 0); 1"
    await stage.value(styles)
    await inside(
        stage,
        "b.onclick = e => { document.title = `${e.offsetX} ${e.offsetY}` }; document.title = ''",
    )


@pytest.mark.parametrize(
    ("origin", "names"),
    [
        ("{{here}}", tuple(_PLACED)),
        ("{{other}}", ("turned and scaled around", "bordered", "far down in a box")),
    ],
    ids=["same", "cross"],
)
async def test_clicks_land(stage: Stage, origin: str, names: tuple[str, ...]) -> None:
    """A click reaches the middle of a button in a frame, however the frame is placed."""
    await show(stage, origin)
    for name in names:
        await place(stage, *_PLACED[name])
        await stage.does("click", selector="#b")
        across, down = map(float, str(await inside(stage, "document.title")).split())
        assert abs(across - 40) < 8, name
        assert abs(down - 12) < 8, name


async def test_turned_in_space(hurried: Stage) -> None:
    """Where a point cannot be told the click is refused, and says why."""
    await show(hurried, "{{here}}")
    await place(hurried, "transform:perspective(300px) rotateY(50deg)", "")
    refused = await hurried.refuses("click", selector="#b")
    assert refused.startswith("NOT_ACTIONABLE: selector '#b': its frame is turned in space")
