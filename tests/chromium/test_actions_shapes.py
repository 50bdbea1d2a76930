"""Elements that do not fill their boxes: areas of an image, what is cut out, what is hollow."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_SIZE = "width='200' height='100'"
_PICTURE = f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' {_SIZE}></svg>"
_MAP = (
    '<map name="rooms">'
    '<area shape="rect" coords="0,0,50,50" href="#kitchen" alt="Kitchen">'
    '<area shape="circle" coords="150,50,20" href="#bath" alt="Bath">'
    '<area shape="poly" coords="60,0,120,0,120,6,66,6,66,60,60,60" href="#hall" alt="Hall">'
    '<area coords="55,90,58,95" href="#niche" alt="Niche">'
    '<area shape="default" href="#garden" alt="Garden"></map>'
)
_ROOMS = ["Kitchen", "Bath", "Hall", "Niche", "Garden"]


def plan(style: str) -> str:
    """A page with an image that has links in it."""
    return f'<p>Above</p><img usemap="#rooms" alt="Plan" src="{_PICTURE}" style="{style}">{_MAP}'


def ref_of(snapshot: str, name: str) -> str:
    line = next(line for line in snapshot.splitlines() if f'"{name}"' in line)
    return line.partition("[ref=")[2].partition("]")[0]


@in_turn(
    "style",
    [
        "padding: 20px; border: 10px solid",
        "transform: scale(2) rotate(10deg); transform-origin: 0 0",
        "margin-top: 2000px; width: 200px; height: 3000px",
    ],
)
async def test_image_map(stage: Stage, style: str) -> None:
    """The links of an image stand below it, and a click on each goes where it leads."""
    await stage.show(plan(style))
    shown = await stage.does("snapshot")
    refs = [ref_of(shown, name) for name in _ROOMS]
    lines = [f'  - link "{name}" [ref={ref}]' for name, ref in zip(_ROOMS, refs, strict=True)]
    assert "\n".join(['- img "Plan":', *lines, "</page "]) in shown
    for name, ref in zip(_ROOMS, refs, strict=True):
        said = await stage.does("click", ref=ref)
        assert f"/stage#{name.lower()}" in said


async def test_area_of_a_tall_image(stage: Stage) -> None:
    """An area is scrolled to, wherever in its image it is; and it is found by its words."""
    style = "width: 200px; height: 5000px"
    await stage.show(plan(style).replace("55,90,58,95", "55,1700,58,1705"))
    assert '- link "Niche"' in await stage.does("find", text="niche")
    assert "/stage#niche" in await stage.does("click", selector="[alt=Niche]")


async def test_many_maps(stage: Stage) -> None:
    """A thousand images with a map each take no longer than other things do."""
    one = (
        f'<img usemap="#m{{0}}" src="{_PICTURE}"><map name="m{{0}}">'
        '<area shape="default" href="#{0}" alt="Room {0}"></map>'
    )
    await stage.show("".join(one.format(each) for each in range(1500)))
    found = await stage.does("find", text="Room 1499")
    assert "/stage#1499" in await stage.does("click", ref=ref_of(found, "Room 1499"))


async def test_covered_area(hurried: Stage) -> None:
    """What lies over the image is marked, and named by a click that would have hit it."""
    over = "<div id=over style='position: fixed; inset: 0; background: white'>Over</div>"
    await hurried.show(plan("") + over)
    assert ' "Bath" [ref=e2] [covered]' in await hurried.does("snapshot")
    said = await hurried.refuses("click", selector="[alt=Bath]")
    assert 'it is covered by "div#over' in said
    assert "#bath" not in str(await hurried.value("location.href"))


_RING = "M100,10 A90,90 0 1,1 99,10 M100,13 A87,87 0 1,0 101,13"
_FRAME = "M5,5 H195 V195 H5 Z"
_OUTLINE = "fill=none stroke=red"


@in_turn(
    "shape",
    [
        "<button id=it style='clip-path: polygon(0 0, 20% 0, 20% 20%, 0 20%)'>It</button>",
        "<button id=it style='clip-path: circle(7px at 12px 120px)'>It</button>",
        f"<svg width=200 height=200><path id=it role=button d='{_RING}' fill-rule=evenodd /></svg>",
        f"<svg width=200 height=200><path id=it role=button d='{_FRAME}' {_OUTLINE} /></svg>",
    ],
)
async def test_shape(stage: Stage, shape: str) -> None:
    """What is cut out or hollow is clicked where there is something of it."""
    await stage.show(
        f"<style>button {{ width: 200px; height: 200px }}</style>{shape}"
        "<script>document.onclick = (click) => { document.title = click.target.id }</script>"
    )
    await stage.does("click", selector="#it")
    assert await stage.value("document.title") == "it"


async def test_nothing_left(hurried: Stage) -> None:
    """What has no point that could be hit is not said to be covered by what it stands in."""
    await hurried.show("<button style='clip-path: polygon(0 0, 0.1px 0, 0.1px 0.1px)'>It</button>")
    said = await hurried.refuses("click", selector="button")
    assert "no part of it can be pressed" in said


async def test_details_without_a_summary(stage: Stage) -> None:
    """Words that Chrome writes for want of a summary have a ref, and a click opens them."""
    await stage.show("<details id=d><p>Inside</p></details><p>Below</p>")
    seen = await stage.does("snapshot")
    assert "[collapsed]" in next(line for line in seen.splitlines() if '- button "Details"' in line)
    assert "Inside" in await stage.does("click", ref=ref_of(seen, "Details"))
    assert await stage.value("d.open") is True


_PEN = "stroke=navy stroke-width=4 onclick=seen.textContent=this.id"
_LINES = f"""<svg width=300 height=120 style="transform: scale(1.5)">
<line id=down x1=90 x2=90 y1=40 y2=90 {_PEN} /> <path id=across d="M120 60 H180" {_PEN} />
<g id=group onclick="seen.textContent=this.id"><polyline points="200,50 240,50" stroke=red /></g>
<line id=none x1=90 x2=190 y1=30 y2=30 /></svg><p id=seen></p>"""


async def test_straight_lines(hurried: Stage) -> None:
    """A line across or down has no width but that of its stroke, and is pressed on that."""
    await hurried.show(_LINES)
    for line in ("down", "across", "group"):
        assert f"text: {line}" in await hurried.does("click", selector=f"#{line}")
    assert "it is not visible" in await hurried.refuses("click", selector="#none")
