"""Controls inside controls: what is named gets the press, not what happens to be at its centre."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_WHO = (
    "<script>window.L = []; document.addEventListener('click', (e) => {"
    " const at = e.target.closest('[data-who]'); at && L.push(at.dataset.who); e.preventDefault()"
    " })"
    "</script>"
)
_TREE = (
    '<ul role="tree"><li role="treeitem" aria-expanded="true" tabindex="0" id="it"'
    ' data-who="parent">'
    '<span>Parent</span><ul role="group">'
    + "".join(f'<li role="treeitem" tabindex="-1" data-who="c{n}">Child {n}' for n in range(4))
    + "</ul></ul>"
)
_CENTRED = "cursor: pointer; width: 300px; text-align: center"
_CARD = (
    f'<div id="it" tabindex="0" data-who="card" style="{_CENTRED}">Card<br>'
    '<button data-who="delete">Delete</button><br>end</div>'
)
_LINK = (
    f'<a id="it" href="#card" data-who="card" style="display: block; {_CENTRED}">Product '
    '<button data-who="basket">Add to basket now</button> 5 €</a>'
)
_SUMMARY = (
    f'<details><summary id="it" data-who="title" style="{_CENTRED}">Title '
    '<button data-who="remove">Remove</button> rest</summary>words</details>'
)
_ROW = (
    '<table data-who="table"><tr id="it" data-who="row" style="cursor: pointer"><td>Order 12'
    '<td><a href="#u" data-who="user">Some user</a><td>Paid</table>'
)
_TERMS = (
    f'<label style="display: block; {_CENTRED}"><input id="it" type="checkbox" data-who="box" '
    'style="display: none">Agree to <a href="#terms" data-who="terms">these long terms of'
    " service</a>"
    " now</label>"
)


@in_turn(
    ("page", "who"),
    [
        (_TREE, "parent"),
        (_CARD, "card"),
        (_LINK, "card"),
        (_SUMMARY, "title"),
        (_ROW, "row"),
    ],
)
async def test_itself(stage: Stage, page: str, who: str) -> None:
    """The press goes to a place of it that no control inside it takes."""
    await stage.show(page + _WHO)
    said = await stage.does("click", selector="#it")
    assert await stage.value("L[0]") == who
    assert "inside" not in said


async def test_terms(stage: Stage) -> None:
    """A link in the label of a hidden checkbox is not followed."""
    await stage.show(_TERMS)
    assert "It is now checked." in await stage.does("click", selector="#it")
    await stage.does("fill_form", fields={"#it": False})
    assert await stage.value("[it.checked, location.hash]") == [False, ""]


@in_turn(
    "page",
    [
        (
            '<ul role="menu"><li role="menuitem" id="it" style="text-align: center"><a href="#in"'
            ' data-who="in">Go</a></ul>'
        ),
        (
            '<div id="it" style="text-align: center">Words <button data-who="in">Go on with'
            " it</button> words</div>"
        ),
    ],
)
async def test_wrapper(stage: Stage, page: str) -> None:
    """What only wraps a control, and what is none itself, is pressed in its middle."""
    await stage.show(page + _WHO)
    assert "inside" not in await stage.does("click", selector="#it")
    assert await stage.value("L") == ["in"]


async def test_nothing_else_free(stage: Stage) -> None:
    """Where a control inside takes all there is, it gets the press, and that is said."""
    page = (
        '<div id="it" role="button" tabindex="0" style="position: relative; width: 90px">Card'
        '<a href="#all" data-who="all" style="position: absolute; inset: 0">Everything</a></div>'
    )
    await stage.show(page + _WHO)
    said = await stage.does("click", selector="#it")
    assert await stage.value("L") == ["all"]
    assert 'It went to what is inside of it, "link \\"Everything\\"' in said


async def test_scrolled(stage: Stage) -> None:
    """Its own words are brought into view, where only what it holds is there."""
    items = "".join(
        f'<li role="treeitem" tabindex="-1" data-who="c{n}">Child {n}' for n in range(200)
    )
    await stage.show(
        '<ul role="tree"><li role="treeitem" tabindex="0" id="it"'
        ' data-who="parent"><span>Parent</span>'
        f'<ul role="group">{items}</ul></ul>{_WHO}<script>scrollTo(0, 1500)</script>'
    )
    await stage.does("click", selector="#it")
    assert await stage.value("L[0]") == "parent"


_OVER = "position: absolute; left: 0; top: 0; width: 99px; height: 40px; margin: 0"
_ITEM = '<div role="treeitem" tabindex="0" style="position: relative">{}</div>'
_DELETE = '<button data-who="delete" style="{}">Delete</button>'


@in_turn(
    "page",
    [
        _ITEM.format(
            f'<span id="it" data-who="it" style="{_OVER}">Name</span>'
            + _DELETE.format(f"{_OVER}; width: 70px")
        ),
        (
            '<label data-who="it" style="display: block; position: relative; width: 300px;'
            ' text-align: center"><input id="it" type="checkbox" style="position: absolute;'
            ' inset: 0; width: 100%; opacity: 0; z-index: -1"><a href="#t" data-who="terms">these'
            " terms</a></label>"
        ),
    ],
)
async def test_beside(stage: Stage, page: str) -> None:
    """What lies over it beside it, in what holds or names both, does not get its press."""
    await stage.show(page + _WHO)
    await stage.does("click", selector="#it")
    assert await stage.value("L") == ["it"]


@in_turn(
    "page",
    [
        _ITEM.format(f'<span id="it" style="{_OVER}">Name</span>' + _DELETE.format(_OVER)),
        _ITEM.format(
            f'<span id="it" onclick="0" style="{_OVER}">Open</span><span data-who="words"'
            f' style="{_OVER}">Words</span>'
        ),
        (
            '<label style="position: relative"><input type="checkbox" data-who="box"'
            f' style="{_OVER}; opacity: 0"><a id="it" href="#t">terms</a></label>'
        ),
        (
            f'<label for="it" style="{_OVER}; z-index: 1">{_DELETE.format(_OVER)}</label>'
            f'<input id="it" type="checkbox" style="{_OVER}">'
        ),
    ],
)
async def test_covered_beside(hurried: Stage, page: str) -> None:
    """It is refused where such a thing lies over all of it."""
    await hurried.show(page + _WHO)
    assert "it is covered by" in await hurried.door.refusal("click", selector="#it")
    assert await hurried.value("L") == []
