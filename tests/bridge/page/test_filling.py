"""Whole forms, with a page played by hand."""

import pytest

from bridge.errors import PageError
from bridge.page.filling import Value
from bridge.page.internals import Internals
from bridge.page.target import Target
from tests.support.acting import PRESSED, QUIET, open_acting, target
from tests.support.played_page import PlayedPage

_CHOSEN = {"selected": ["b"], "kept": True, "changed": True, "matches": 1}


def _kinds(page: PlayedPage, **kinds: str) -> None:
    page.says["fieldKind"] = lambda wanted, _: kinds[str(wanted["selector"])]
    page.says["isTicked"] = False


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        ("tick", "yes", "it is ticked or not: give true or false"),
        ("text", True, "it takes text: give that"),
        ("text", ["a"], "it takes text: give that"),
        ("none", "a", "it is no field to fill in"),
        ("select", 1.5, "it takes options: give a value or label, or a list of them"),
    ],
)
async def test_wrong_kind(kind: str, value: Value, problem: str) -> None:
    """A value that a field cannot take is that field's problem, and no other's."""
    async with open_acting() as page:
        _kinds(page, a=kind, b="select")
        page.says |= {"pickOptions": _CHOSEN, "noField": "it is no field to fill in"}
        filled = await page.tab.filling.fill([(target(page, "a"), value), (target(page, "b"), "b")])
        assert [each.problem for each in filled] == [problem, ""]


async def test_ticked_already() -> None:
    """A box that is as it should be is not clicked."""
    async with open_acting() as page:
        _kinds(page, a="tick")
        page.says["isTicked"] = True
        [filled] = await page.tab.filling.fill([(target(page, "a"), True)])
        assert filled.after is None
        assert "aim" not in [name for name, _ in page.calls]


@pytest.mark.parametrize("value", ["true", "false"])
async def test_tick_in_words(value: str) -> None:
    """A box takes what stands in quotes as it would without."""
    async with open_acting() as page:
        _kinds(page, a="tick")
        page.says["isTicked"] = value == "true"
        [filled] = await page.tab.filling.fill([(target(page, "a"), value)])
        assert (filled.problem, filled.after) == ("", None)


async def test_tick_taken_back() -> None:
    """A box that the page unticks again is not said to be ticked."""
    async with open_acting() as page:
        _kinds(page, a="tick", r="radio")
        page.says["pressed"] = {**PRESSED, "checked": False}
        [filled] = await page.tab.filling.fill([(target(page, "a"), True)])
        assert "did not keep" in filled.problem
        page.says["isTicked"] = True
        [filled] = await page.tab.filling.fill([(target(page, "r"), False)])
        assert "ticking another" in filled.problem


async def test_tick_by_internals(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only Chrome knows of a box is asked before its click, and behind it."""
    asked: list[Target] = []

    async def hear_of(_: Internals, target: Target) -> bool:
        asked.append(target)
        return True

    monkeypatch.setattr(Internals, "hear_of", hear_of)
    async with open_acting() as page:
        ticks = [False, True]
        page.says["fieldKind"] = lambda _, wish: "tick" if wish.get("isAsked") else "unasked"
        page.says["isTicked"] = lambda _, is_asked=False: ticks.pop(0) if is_asked else None
        box = target(page, "a")
        [filled] = await page.tab.filling.fill([(box, True)])
        assert filled.problem == ""
        assert asked == [box] * 3  # its kind, and twice how it is
        ticks[:] = [False, False]
        [filled] = await page.tab.filling.fill([(box, True)])
        assert "did not keep" in filled.problem


async def test_missing() -> None:
    """Fields that are not there are all named, and nothing is touched."""
    async with open_acting() as page:
        page.refuses("fieldKind", "SELECTOR_NOT_FOUND", "nothing matches")
        with pytest.raises(PageError, match="a: nothing matches; b: nothing matches"):
            await page.tab.filling.fill([(target(page, "a"), "x"), (target(page, "b"), "x")])
        assert {name for name, _ in page.calls} == {"fieldKind"}


async def test_kept_otherwise() -> None:
    """A field that makes something else of its text, or takes a choice back, is a problem."""
    async with open_acting() as page:
        _kinds(page, a="text", b="select")
        held = {"there": True, "exact": False, "value": "AB", **QUIET}
        page.says |= {
            "focusField": {"kind": "set", "secret": False},
            "typed": held,
            "pickOptions": {**_CHOSEN, "kept": False},
        }
        filled = await page.tab.filling.fill([(target(page, "a"), 1), (target(page, "b"), ["b"])])
        assert [each.problem for each in filled] == [
            'it holds "AB"',
            "the page did not keep the choice",
        ]


async def test_named_once() -> None:
    """The name of a field that takes nothing is not part of its problem as well."""
    async with open_acting() as page:
        _kinds(page, a="text")
        page.refuses("focusField", "NOT_ACTIONABLE", "it is read-only")
        (filled,) = await page.tab.filling.fill([(target(page, "a"), "x")])
        assert (filled.name, filled.problem) == ("a", "it is read-only")


async def test_own_form() -> None:
    """A field that writes the text its own way is filled in, and told with what it holds."""
    async with open_acting() as page:
        _kinds(page, a="text")
        held = {"there": True, "exact": False, "shaped": True, "value": "(555) 1", **QUIET}
        page.says |= {"focusField": {"kind": "set", "secret": False}, "typed": held}
        [filled] = await page.tab.filling.fill([(target(page, "a"), "5551")])
        assert (filled.problem, filled.remark) == ("", 'it holds "(555) 1"')
