"""Fields that the page draws anew while they are typed into: the text is there, or called lost."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


def page(event: str, deed: str) -> str:
    """Two fields alike; the second is drawn anew once, when this happens to it."""
    return (
        "<form><input name=n></form><form id=f><label>Name <span id=w><input name=n></span></label>"
        "</form><script>const draw = (html = '<input name=n>') => { w.innerHTML = html };"
        f"w.firstChild.addEventListener('{event}', () => {{ {deed} }})</script>"
    )


@pytest.mark.parametrize(
    ("deed", "keys"),
    [
        ("draw()", False),
        ("draw()", True),
        ("draw(); w.firstChild.focus()", False),
        ("Promise.resolve().then(() => draw())", True),
        ("setTimeout(draw)", False),
    ],
    ids=["at once", "keys", "focused", "soon", "later"],
)
async def test_drawn_anew(stage: Stage, deed: str, keys: bool) -> None:
    """The field that is there in the end holds the text, and the one that looks alike nothing."""
    await stage.show(page("focus", deed))
    snapshot = await stage.does("snapshot")
    ref = snapshot.partition('"Name" [ref=')[2].partition("]")[0]
    said = await stage.does("type", ref=ref, text="Ada", keyEvents=keys)
    assert said.startswith(f"Typed into {ref}.\n")
    values = "[...document.querySelectorAll('input')].map((field) => field.value)"
    assert await stage.value(values) == ["", "Ada"]


async def test_taken_away(stage: Stage) -> None:
    """A field that goes when it gets the focus is told as that."""
    await stage.show(page("focus", "draw('Gone')"))
    said = await stage.refuses("type", selector="#f input", text="Ada")
    assert "it left the page when it got the focus" in said


async def test_never_still(stage: Stage) -> None:
    """A page that replaces the field at every focus gets it said, and not text for nothing."""
    deed = "draw(); w.firstChild.onfocus = () => draw()"
    await stage.show(page("focus", deed))
    said = await stage.refuses("type", selector="#f input", text="Ada")
    assert "the page replaces it whenever it gets the focus" in said


async def test_emptied(stage: Stage) -> None:
    """What a page takes and empties by drawing anew is typed once, and the new field is told of."""
    await stage.show(page("input", "document.title += '!'; draw()"))
    said = await stage.does("type", selector="#f input", text="Ada")
    assert 'has put another one in its place since, which holds "".' in said
    assert await stage.value("document.title") == "!"


async def test_sent_away(stage: Stage) -> None:
    """A field that goes with the text it took has been typed into."""
    await stage.show(page("input", "draw('Sent')"))
    said = await stage.does("type", selector="#f input", text="Ada")
    assert said.startswith("Typed into selector '#f input'. It has left the page since.")
