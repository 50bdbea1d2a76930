"""Acting on what does not stay as it is: calls wait for it, follow it, or say that it went."""

import pytest

from bridge.browser.browser import Browser
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_COUNT = "<script>window.hits = 0; b.onclick = () => { hits += 1 }</script>"


async def hit_once(stage: Stage) -> None:
    """Click, and see that the page counted one."""
    said = await stage.does("click", selector="#b")
    assert await stage.value("window.hits") == 1, said


async def test_animated(stage: Stage) -> None:
    """A button that slides in is clicked where it comes to rest."""
    await stage.show(
        "<style>@keyframes in { from { transform: translateX(-400px) } }"
        " #b { animation: in .4s linear; margin-left: 500px }</style>"
        f"<button id=b>Press</button>{_COUNT}"
    )
    await hit_once(stage)


async def test_animated_for_ever(stage: Stage) -> None:
    """A button that never stops moving can be clicked as well."""
    await stage.show(
        "<style>@keyframes shake { 50% { transform: translateX(30px) } }"
        " #b { animation: shake .5s infinite; width: 200px }</style>"
        f"<button id=b>Press</button>{_COUNT}"
    )
    await hit_once(stage)


async def test_running_away(stage: Stage) -> None:
    """A target that leaves before the press arrives is followed; what takes its place is spared."""
    await stage.show(
        "<button id=b style='position:absolute;left:20px;top:20px'>Press</button>"
        "<button id=other style='position:absolute;left:20px;top:20px;z-index:-1'"
        " onclick='window.wrong = 1'>Other</button>"
        f"{_COUNT}<script>b.addEventListener('mousemove', () => {{"
        " if (!window.fled) { fled = 1; b.style.left = '300px'; other.style.zIndex ="
        " 1 } })</script>"
    )
    await hit_once(stage)
    assert await stage.value("[window.fled, window.wrong]") == [1, None]


async def test_animated_and_seldom_drawn(stage: Stage, browser: Browser) -> None:
    """What stands still because the page is drawn once a second, behind another, is not at rest."""
    await stage.show(
        "<style>@keyframes in { from { transform: translateX(-400px) } }"
        " .in { animation: in 1.5s linear } #b { margin-left: 500px }</style>"
        f"<button id=b>Press</button>{_COUNT}"
        "<script>b.onmousedown = (event) => { at = event.clientX }</script>"
    )
    await (await browser.new_tab()).bring_to_front()
    await stage.does("hover", selector="#b")
    await stage.value("b.className = 'in'")
    await hit_once(stage)
    at = await stage.value("at")
    assert isinstance(at, int)
    assert at > 500


async def test_gone_before_the_release(stage: Stage) -> None:
    """A press that takes the element away is told as that, and not done again."""
    await stage.show(
        "<div id=d><button id=b>x</button></div><script>downs = 0;"
        "b.onmousedown = () => { downs++; d.innerHTML = '<button id=b>x</button>' }</script>"
    )
    said = await stage.does("click", selector="#b")
    assert "no click event followed" in said
    assert await stage.value("downs") == 1


async def test_moved_before_the_release(stage: Stage) -> None:
    """The same of one that a press moves away."""
    await stage.show(
        f"<button id=b>x</button>{_COUNT}"
        "<script>b.onmousedown = () => { b.style.marginLeft = '500px' }</script>"
    )
    said = await stage.does("click", selector="#b")
    assert "It moved, or was covered between press and release" in said
    assert await stage.value("hits") == 0


@pytest.mark.parametrize("when", ["s.onfocus = ", "addEventListener('load', ", "s.onclick = "])
async def test_options_that_come_late(stage: Stage, when: str) -> None:
    """Options that a list is given when it gets the focus, or soon, are waited for."""
    await stage.show(
        "<select id=s><option>Choose</select><script>"
        "const later = () => setTimeout(() => { s.add(new Option('Green')) }, 300);"
        f"{when}later{')' if '(' in when else ''}</script>"
    )
    if "click" in when:
        refused = await stage.refuses("select_option", selector="#s", values=["Green"])
        assert 'it has no option "Green"; it has 1' in refused
    else:
        said = await stage.does("select_option", selector="#s", values=["Green"])
        assert "Selected in selector '#s': \"Green\"." in said


async def test_options_that_come_anew(stage: Stage) -> None:
    """Options that a list makes anew when it gets the focus are chosen as they are then."""
    await stage.show(
        "<select id=s><option>One<option>Two</select><select id=t><option>One<option>Two</select>"
        "<script>s.onfocus = () => { s.innerHTML = s.innerHTML };"
        "t.onfocus = () => { t.innerHTML = '<option>Other' }</script>"
    )
    said = await stage.does("select_option", selector="#s", values=["Two"])
    assert "Selected in selector '#s': \"Two\"." in said
    assert await stage.value("s.value") == "Two"
    refused = await stage.refuses("select_option", selector="#t", values=["Two"])
    assert 'it has no option "Two"; it has 1, as below' in refused
