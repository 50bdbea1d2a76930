"""What ends a wait, with a page played by hand."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import DeadlineExceeded, UsageError
from bridge.page.frames import Frame
from bridge.page.waits import Condition, Sight
from tests.support.played_page import PlayedPage, open_played_page
from tests.support.scripted_chrome import settle

TEXT = Condition("text", "Done")
GONE = Condition("text", "Busy", gone=True)


def _sight(*, holds: bool, line: str = "", hidden: int = 0) -> dict[str, Any]:
    return {"holds": holds, "line": line, "hidden": hidden}


async def _wait(page: PlayedPage, condition: Condition, seconds: float = 30.0) -> str:
    async def each_round() -> None:
        rounds.append(len(page.calls))

    def readable(frame: Frame) -> bool:
        return "denied" not in frame.url

    rounds: list[int] = []
    return await page.tab.waits.until(condition, seconds, readable, each_round)


async def test_seen() -> None:
    """A wait ends when one frame shows it, with the line about it."""
    async with open_played_page() as page:
        answers = [_sight(holds=False), _sight(holds=True, line="- text")]
        page.says["waitFor"] = lambda *_: answers.pop(0)
        assert await _wait(page, TEXT) == "- text"
        assert page.calls[0] == ("waitFor", ["text", "Done", False, 1000])


async def test_no_time() -> None:
    """A wait without any time still looks once, so what is there already is seen."""
    async with open_played_page() as page:
        page.says["waitFor"] = lambda *_: _sight(holds=True, line="- text")
        assert await _wait(page, TEXT, 0) == "- text"
        page.says["waitFor"] = lambda *_: _sight(holds=False)
        with pytest.raises(DeadlineExceeded):
            await _wait(page, TEXT, 0)


async def test_gone_from_all_frames() -> None:
    """Something is gone when no readable frame shows it any more; others are not asked."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        await page.add_frame("F2", "https://denied.example/")
        await settle()
        answers = [
            _sight(holds=True),
            _sight(holds=False, line="- text"),
            _sight(holds=True),
            _sight(holds=True),
        ]
        page.says["waitFor"] = lambda *_: answers.pop(0)
        assert await _wait(page, GONE) == ""
        assert answers == []


async def test_a_frame_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a frame has shown is not gone because that frame does not answer any more."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        await settle()
        inner = [Sight(holds=False, line="- text"), None, Sight(holds=True)]

        async def look(frame: Frame, *_: object) -> Sight:
            sight = Sight(holds=True) if frame.parent is None else inner.pop(0)
            if sight is None:
                raise DeadlineExceeded("TIMEOUT", "it hangs")
            return sight

        monkeypatch.setattr(page.tab.waits, "_look", look)
        assert await _wait(page, GONE) == ""
        assert inner == []


async def test_too_long(autojump_clock: MockClock) -> None:
    """A wait that ends without it is a TIMEOUT that says what there was instead."""
    async with open_played_page() as page:
        page.says["waitFor"] = _sight(holds=False, hidden=2)

        async def each_round() -> None:
            await trio.sleep(1)

        with pytest.raises(DeadlineExceeded) as late:
            await page.tab.waits.until(TEXT, 3.0, lambda _: True, each_round)
        assert str(late.value) == (
            "waited 3 s for text 'Done' to appear; 2 on the page match, but nobody sees them"
        )


async def test_no_css() -> None:
    """A selector that is none ends the wait at once."""
    async with open_played_page() as page:
        page.refuses("waitFor", "BAD_ARGS", "this is not a CSS selector")
        with pytest.raises(UsageError, match="not a CSS selector"):
            await _wait(page, Condition("selector", "!!"))
