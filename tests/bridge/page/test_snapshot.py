"""Bounds and cursors of snapshots, with a browser played by hand."""

import pytest
import trio

from bridge.errors import DeadlineExceeded, UsageError
from bridge.page.target import Target
from bridge.timeouts import Timeouts
from tests.support.scripted_page import PAGE, URL, ScriptedPage, open_page, reading

MANY = "\n".join(f"- text: {number}" for number in range(1_000))


async def test_what_is_asked(nursery: trio.Nursery) -> None:
    """The walker is told what part, what kind and how much of the page is wanted."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("- text: x")
        nursery.start_soon(page.play)
        await page.tab.snapshots.take()
        target = Target(page.tab.frames.main, {"ref": 3}, "e3")
        await page.tab.snapshots.take(target, interactive_only=True, max_bytes=0)
        assert [rest[-2:] for _, _, rest in page.calls] == [
            [None, {"only": False, "bytes": 16_000, "brief": True, "view": None}],
            [{"ref": 3}, {"only": True, "bytes": 0, "brief": False, "view": None}],
        ]
        nursery.cancel_scope.cancel()


async def play_leaving(page: ScriptedPage, times: int) -> None:
    """Leave so many times while being read; then stand still."""
    told = {"result": {"type": "object", "value": [1, reading("- text: x")]}}
    async for asked in page.chrome.asked:
        if asked.method == "Runtime.callFunctionOn" and (times := times - 1) >= 0:
            page.chrome.fake.refuse(asked, -32000, "Inspected target navigated or closed")
        elif asked.method == "Runtime.callFunctionOn":
            page.chrome.fake.answer(asked, told)


async def test_left_meanwhile(nursery: trio.Nursery) -> None:
    """A page that leaves while it is read is read once it stands still."""
    async with open_page() as page:
        nursery.start_soon(play_leaving, page, 3)
        assert (await page.tab.snapshots.take()).text == "- text: x"
        nursery.cancel_scope.cancel()


async def test_never_still(nursery: trio.Nursery) -> None:
    """A page that goes on leaving is said to, in time."""
    async with open_page(Timeouts(settle=0.05)) as page:
        nursery.start_soon(play_leaving, page, 1_000_000)
        with pytest.raises(DeadlineExceeded, match="the page keeps navigating") as caught:
            await page.tab.snapshots.take()
        assert caught.value.retryable
        nursery.cancel_scope.cancel()


async def test_nothing(nursery: trio.Nursery) -> None:
    """A page without anything to see says so instead of an empty text."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("")
        nursery.start_soon(page.play)
        assert (await page.tab.snapshots.take()).text == "… nothing to see here"
        assert (await page.tab.snapshots.take(max_bytes=0)).text == "… nothing to see here"
        nursery.cancel_scope.cancel()


async def test_continued(nursery: trio.Nursery) -> None:
    """A cursor goes on in the reading it came from, without a word to the page."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading(MANY)
        nursery.start_soon(page.play)
        first = await page.tab.snapshots.take(max_bytes=1_000)
        asked = len(page.calls)
        assert first.cursor is not None
        second = await page.tab.snapshots.continue_(first.cursor, max_bytes=1_000)
        assert len(page.calls) == asked
        both = [*first.text.splitlines(), *second.text.splitlines()]
        assert both == MANY.splitlines()[: len(both)]
        nursery.cancel_scope.cancel()


async def test_continued_elsewhere(nursery: trio.Nursery) -> None:
    """What is told of a page that has gone since is told as that page's."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading(MANY)
        nursery.start_soon(page.play)
        first = await page.tab.snapshots.take(max_bytes=1_000)
        assert first.cursor is not None
        await page.navigate("https://b.example/")
        second = await page.tab.snapshots.continue_(first.cursor, max_bytes=1_000)
        assert (first.source, second.source) == (URL, URL)
        assert (await page.tab.snapshots.take(max_bytes=0)).source == "https://b.example/"
        nursery.cancel_scope.cancel()


async def test_old_cursors(nursery: trio.Nursery) -> None:
    """A cursor that has outlived its reading is refused, with the next step."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading(MANY)
        nursery.start_soon(page.play)
        with pytest.raises(UsageError, match="not kept"):
            await page.tab.snapshots.continue_("s1:5")
        first = await page.tab.snapshots.take(max_bytes=1_000)
        assert first.cursor is not None
        await page.tab.snapshots.take(max_bytes=0)  # hands out all: nothing to go on with
        assert (await page.tab.snapshots.continue_(first.cursor)).text
        await page.tab.snapshots.take(max_bytes=1_000)
        with pytest.raises(UsageError) as refused:
            await page.tab.snapshots.continue_(first.cursor)
        assert refused.value.code == "BAD_ARGS"
        assert refused.value.hint.startswith("Take a new snapshot")
        nursery.cancel_scope.cancel()


async def test_kept_within_bounds(nursery: trio.Nursery) -> None:
    """Of an endless page four megabytes are kept, and the rest is counted."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("\n".join(["- text: " + "x" * 990] * 5_000))
        nursery.start_soon(page.play)
        first = await page.tab.snapshots.take(max_bytes=2_000)
        last = await page.tab.snapshots.continue_(f"s1:{first.left - 1}", max_bytes=0)
        assert "lines cut off" in last.text.splitlines()[-1]
        assert first.left < 4_100
        nursery.cancel_scope.cancel()


async def test_remembered_within_bounds(nursery: trio.Nursery) -> None:
    """So it is of one that was read whole, for telling later what was there."""
    async with open_page() as page:
        line = "- text: " + "x" * 990
        lines = ["- button [ref=e1]", *[line] * 5_000, "- button [ref=e2]"]
        page.readings[PAGE] = lambda: reading("\n".join(lines))
        nursery.start_soon(page.play)
        shown = await page.tab.snapshots.take(max_bytes=0)
        assert shown.text.endswith("[ref=e2]")
        assert page.tab.snapshots.described("e1") == "button"
        assert page.tab.snapshots.described("e2") == ""
        nursery.cancel_scope.cancel()


async def test_brief(nursery: trio.Nursery) -> None:
    """The rest of a large page is read, whole, when somebody goes on; once."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("- text: a\n- text: b", unread=500)
        nursery.start_soon(page.play)
        first = await page.tab.snapshots.take(max_bytes=1_000)
        assert first.more == "… about 500 more lines; cursor s1:2"
        page.readings[PAGE] = lambda: reading(f"- text: b\n{MANY}")
        assert first.cursor is not None
        second = await page.tab.snapshots.continue_(first.cursor, max_bytes=1_000)
        assert second.text.startswith("- text: 0\n- text: 1\n")
        assert page.calls[-1][-1][-1]["brief"] is False
        asked = len(page.calls)
        assert second.cursor is not None
        await page.tab.snapshots.continue_(second.cursor, max_bytes=1_000)
        again = await page.tab.snapshots.continue_(first.cursor, max_bytes=1_000)
        assert again == second
        assert len(page.calls) == asked
        nursery.cancel_scope.cancel()


async def test_brief_and_no_more(nursery: trio.Nursery) -> None:
    """Where nothing is left by then, that is said."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("- text: a", unread=500)
        nursery.start_soon(page.play)
        first = await page.tab.snapshots.take(max_bytes=1_000)
        page.readings[PAGE] = lambda: reading("- text: a")
        assert first.cursor is not None
        second = await page.tab.snapshots.continue_(first.cursor, max_bytes=1_000)
        assert (second.text, second.cursor) == ("… nothing more to see by now", None)
        nursery.cancel_scope.cancel()
