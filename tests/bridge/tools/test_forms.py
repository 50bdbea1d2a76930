"""What the tools that fill in answer, with a page played by hand."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.acting import QUIET, open_acting
from tests.support.door import ANYTHING
from tests.support.played_page import PlayedPage, open_played_page

_TYPED = {"kind": "set", "secret": False, "matches": 1}
_HELD = {
    "there": True,
    "exact": True,
    "partly": False,
    "unchanged": False,
    "value": "x",
    "length": 3,
    "limit": None,
    "form": None,
    **QUIET,
}
_CHOSEN = {"selected": ["b"], "kept": True, "changed": True, "matches": 1}


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_acting() as opened:
        opened.says |= {"focusField": _TYPED, "typed": _HELD, "pickOptions": _CHOSEN}
        yield opened


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({}, "Typed into e1."),
        ({"there": False}, "Typed into e1."),
        (
            {"partly": True},
            "Typed into e1. The editor shows only the end of what it holds, and that is as given.",
        ),
        (
            {"added": True, "value": "AdaAda"},
            'Typed into e1. It was not empty: it holds "AdaAda" now. To replace, type with clear.',
        ),
        (
            {"added": True, "value": None, "length": 12},
            "Typed into e1. It was not empty: it holds 12 characters now."
            " To replace, type with clear.",
        ),
        (
            {"exact": False, "value": "ABC", "limit": 3},
            'Typed into e1. It does not hold the text as given: it holds "ABC" (at most 3).',
        ),
        (
            {"exact": False, "value": None},
            "Typed into e1. It does not hold the text as given: it holds 3 characters.",
        ),
    ],
)
async def test_typed(page: PlayedPage, held: dict[str, Any], said: str) -> None:
    """A field that holds something else is told with what it holds."""
    page.says["typed"] = {**_HELD, **held}
    assert await page.door.text("type", ref="e1", text="abcdef") == said


async def test_not_taken(page: PlayedPage) -> None:
    """A field that did not change is an error, and never done."""
    page.says["typed"] = {**_HELD, "exact": False, "unchanged": True, "form": "2026-01-31"}
    refused = await page.door.refusal("type", ref="e1", text="tomorrow")
    assert refused.startswith("NOT_ACTIONABLE: e1: it did not take the text")
    assert "wants the form 2026-01-31" in refused


async def test_chosen(page: PlayedPage) -> None:
    """A choice is told with the words of its option; one that the page took back is an error."""
    assert await page.door.text("select_option", ref="e1", values=["b"]) == ('Selected in e1: "b".')
    page.says["pickOptions"] = {**_CHOSEN, "kept": False, "selected": []}
    refused = await page.door.refusal("select_option", ref="e1", values=["b"])
    assert "the page did not keep the choice; selected is nothing" in refused


async def test_form(page: PlayedPage) -> None:
    """Fields go by ref or selector; what was not filled in is named, and nothing is submitted."""
    kinds = {"e1": "text", "#s": "select", "#bad": "none"}
    page.says["fieldKind"] = lambda wanted, _: kinds[wanted.get("selector") or f"e{wanted['ref']}"]
    page.says |= {"noField": "it is no field", "fieldsCalled": lambda names, _: [None] * len(names)}
    assert await page.door.text("fill_form", fields={"e1": "x", "#s": "b"}) == (
        "Filled in 2 of 2 fields."
    )
    refused = await page.door.refusal(
        "fill_form", fields={"e1": "x", "#bad": "x"}, submitSelector="#go"
    )
    assert refused.startswith("NOT_ACTIONABLE: 1 of 2 fields were filled in, and not ")
    assert "aim" not in [name for name, _ in page.calls]
    said = await page.door.text("fill_form", fields={"e1": "x"}, submitSelector="#go")
    assert said == "Filled in 1 of 1 field. Clicked selector '#go'."
    assert (await page.door.refusal("fill_form", fields={})).startswith("BAD_ARGS: ")
    assert (await page.door.refusal("fill_form", fields={"e1": None})).startswith("BAD_ARGS: ")


async def test_form_of_many_problems(page: PlayedPage) -> None:
    """What is left out of many problems is marked: half of a secret is known for one by that."""
    names = {f"#{number}": "x" for number in range(30)}
    page.says |= {"fieldKind": "none", "noField": f"it holds {'y' * 99}"}
    page.says["fieldsCalled"] = lambda names, _: [None] * len(names)
    refused = await page.door.refusal("fill_form", fields=names)
    assert refused.splitlines()[0].endswith("…")
    assert len(refused) < 2_300
    page.refuses("fieldKind", "SELECTOR_NOT_FOUND", "nothing matches" + "y" * 99)
    assert "…\nNothing was filled in" in await page.door.refusal("fill_form", fields=names)


async def test_more_keys_than_there_is_time_for(page: PlayedPage) -> None:
    """What would not be typed to its end key by key is refused before the first; else it is not."""
    refused = await page.door.refusal("type", ref="e1", text="x" * 20_000, keyEvents=True)
    assert refused.startswith("BAD_ARGS: 20,000 characters are too many for keyEvents")
    assert "Nothing was typed." in refused
    assert page.calls == []
    await page.door.text("type", ref="e1", text="x" * 20_000)


async def test_uploads(tmp_path: Path) -> None:
    """Files are given by name, and only from the folder; without one there are no uploads."""
    (tmp_path / "a.txt").write_text("a")
    options = replace(ANYTHING, enable_uploads=True, uploads_dir=tmp_path)
    async with open_played_page(options) as page:
        page.chrome.answers["DOM.setFileInputFiles"] = lambda _: {}
        page.says |= {
            "fileField": {"field": True, "multiple": False, "folder": False, "matches": 1},
            "filesIn": {"names": ["a.txt"], **QUIET},
        }
        assert await page.door.text("upload_file", ref="e1", paths=["a.txt"]) == (
            'Gave "a.txt" to e1.'
        )
        page.says["filesIn"] = {"names": [], **QUIET}
        refused = await page.door.refusal("upload_file", ref="e1", paths=["a.txt"])
        assert "the page kept 0 of 1 file" in refused
    async with open_acting() as page:
        refused = await page.door.refusal("upload_file", ref="e1", paths=["a.txt"])
        assert refused.startswith("POLICY_DENIED: ")
