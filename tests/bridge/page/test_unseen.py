"""Readings that are made again for what the debugger knows, with a page played by hand."""

from typing import Any

import pytest
import trio

from bridge.errors import PageError
from bridge.page.closed_roots import ClosedRoots
from bridge.page.frames import Frame
from bridge.page.internals import Internals
from bridge.page.unseen import Unseen, at_rest
from tests.support.played_page import open_played_page


@pytest.mark.parametrize(
    ("asked", "finds", "hears", "readings"),
    [
        ((0, 0), (), (), 1),  # nothing is asked
        ((1, 1), (0,), (False,), 1),
        ((1, 0), (1, 0), (), 2),
        ((0, 1), (), (True, False), 2),
        ((1, 1), (1, 0), (True, False), 2),
    ],
)
async def test_read_again(
    monkeypatch: pytest.MonkeyPatch,
    asked: tuple[int, int],
    finds: tuple[int, ...],
    hears: tuple[bool, ...],
    readings: int,
) -> None:
    """A page is read again as long as something comes to light, and asked only what it names."""
    found, heard = list(finds), list(hears)

    async def find(_: ClosedRoots, frame: Frame) -> int:
        return found.pop(0)

    async def hear(_: Internals, frame: Frame) -> bool:
        return heard.pop(0)

    monkeypatch.setattr(ClosedRoots, "find", find)
    monkeypatch.setattr(Internals, "hear", hear)
    answer: dict[str, Any] = dict(zip(("suspects", "internals"), asked, strict=True))
    async with open_played_page() as page:
        page.says["text"] = answer
        assert await Unseen(page.tab.worlds).call(page.tab.frames.main, "text") == answer
        assert len(page.calls) == readings
    assert not found
    assert not heard


async def test_gone_elsewhere() -> None:
    """A page that left while it was read is read where it is; any other error is the reading's."""
    gone = PageError("EVAL_THREW", "the page navigated", facts={"navigated": True})
    outcomes: list[PageError | str] = [gone, gone, "words", PageError("EVAL_THREW", "it broke")]

    async def read() -> str:
        await trio.lowlevel.checkpoint()
        outcome = outcomes.pop(0)
        if isinstance(outcome, PageError):
            raise outcome
        return outcome

    async with open_played_page() as page:
        assert await at_rest(page.tab.frames, None, read) == "words"
        with pytest.raises(PageError, match="it broke"):
            await at_rest(page.tab.frames, None, read)
