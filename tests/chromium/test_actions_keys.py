"""A key is followed to where it arrives; the page is none the wiser."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_UNSEEN = "was not seen to get it"


async def test_arrives(stage: Stage) -> None:
    """In a field, in a component that hands the focus on, in an editor: nothing is added."""
    await stage.show(
        "<input id=i><x-closed tabindex=0></x-closed><x-open></x-open><div id=e contenteditable>"
        "<p>Text</p></div><script>seen = []; onkeydown = (e) => seen.push(e.key);"
        "for (const [tag, mode] of [['x-closed', 'closed'], ['x-open', 'open']]) {"
        " const root = document.querySelector(tag).attachShadow({ mode, delegatesFocus: true });"
        " root.innerHTML = '<input>' }</script>"
    )
    for selector in ("#i", "x-closed", "x-open", "#e", "#e p"):
        said = await stage.does("press", key="a", selector=selector)
        assert "not" not in said, (selector, said)
    assert "not" not in await stage.does("press", key="Shift+Tab")
    assert await stage.value("seen") == [*"aaaaa", "Shift", "Tab"]


async def test_goes_astray(stage: Stage) -> None:
    """For an element that takes no focus it is told what got the key."""
    await stage.show("<input id=i aria-label=Name><p id=p>Words</p>")
    await stage.does("click", selector="#i")
    said = await stage.does("press", key="a", selector="#p")
    assert 'It does not take the focus: the key went to "textbox ' in said
    assert "Name" in said
    assert await stage.value("i.value") == "a"


async def test_nobody_hears(stage: Stage) -> None:
    """What the page's document does not get is told as that, and not as done."""
    await stage.show(
        "<p>Words</p><script>addEventListener('keydown', (e) => e.stopImmediatePropagation(), true)"
        "</script>"
    )
    assert _UNSEEN in await stage.does("press", key="a")
    assert await stage.value("document.title = 'still here'") == "still here"


async def test_page_sees_nothing(stage: Stage) -> None:
    """A key comes to the page as it would from a person: one event, not prevented, no delay."""
    await stage.show(
        "<button id=b>Go</button><script>seen = [];"
        "for (const type of ['keydown', 'keyup', 'click']) addEventListener(type, (e) =>"
        " seen.push([type, e.isTrusted, e.defaultPrevented,"
        " e.composedPath().length]))</script>"
    )
    await stage.does("press", key="Enter", selector="#b")
    assert await stage.value("seen") == [
        ["keydown", True, False, 5],
        ["click", True, False, 5],
        ["keyup", True, False, 5],
    ]


async def test_asks_for_a_file(stage: Stage) -> None:
    """A key may ask for a file as a click does: that is told, and no window of the system opens."""
    await stage.show("<button id=b onclick='f.click()'>Choose</button><input id=f type=file>")
    for selector in ("#b", "#f"):
        said = await stage.does("press", selector=selector, key="Enter")
        assert "The page asks for a file: use upload_file on the same element." in said
