"""What a client reads of a console."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import cast

import pytest
from trio.testing import MockClock

from bridge.policy.options import PolicyOptions
from bridge.tools.console import errors_since
from bridge.tools.context import ToolContext
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import settle
from tests.support.told_page import HERE, PAGE, ToldPage, open_told_page


@pytest.fixture
async def page() -> AsyncIterator[ToldPage]:
    """A page that has said nothing."""
    async with open_told_page() as opened:
        yield opened


async def test_nothing(page: ToldPage) -> None:
    """A silent page is said to be silent, and gives a number to go on from."""
    assert await page.door.text("console_messages") == (
        "No messages. since: 0 shows only later ones."
    )


async def test_newest_last(page: ToldPage) -> None:
    """The newest lines come last, in a fence, each with its source."""
    for text in ("one", "two", "three"):
        await page.log(text)
    lines = (await page.door.text("console_messages", limit=2)).splitlines()
    assert lines[0].startswith("<page ")
    assert lines[1:3] == [
        "[info] two (https://here.test/:1)",
        "[info] three (https://here.test/:1)",
    ]
    assert lines[-1] == "2 shown. since: 3 shows only later ones."


async def test_level(page: ToldPage) -> None:
    """A level shows what is as bad or worse; debugging lines are shown when asked for."""
    for kind in ("debug", "log", "warning", "error"):
        await page.log(kind, kind=kind)
    assert "[error] error" in await page.door.text("console_messages", level="error")
    assert "1 shown" in await page.door.text("console_messages", level="error")
    assert "2 shown" in await page.door.text("console_messages", level="warning")
    assert "3 shown" in await page.door.text("console_messages")
    assert "4 shown" in await page.door.text("console_messages", level="debug")


async def test_errors_beside_an_action(page: ToldPage) -> None:
    """What was done says how many errors it led to, and from which number on they are shown."""
    context = cast(ToolContext, SimpleNamespace(tab=page.tab, readable=page.door.guard.readable))
    await page.log("before", kind="error")
    await page.log("a line", kind="warning")
    assert errors_since(context, 2) == ""
    await page.log("one", kind="error")
    await page.log("two", kind="error")
    assert errors_since(context, 2) == "The console got 2 errors: console_messages, since: 2."


async def test_errors_where_none_may_be_read() -> None:
    """Of what a script says that may not be read, an action does not even tell how often."""
    async with open_told_page(PolicyOptions(allow_domain=("here.test",))) as page:
        readable = page.door.guard.readable
        context = cast(ToolContext, SimpleNamespace(tab=page.tab, readable=readable))
        await page.log("theirs", kind="error", url="https://there.test/x.js")
        assert errors_since(context, 0) == ""


async def test_since(page: ToldPage) -> None:
    """Reading on from a number shows only what came after it."""
    await page.log("old")
    assert "since: 1" in await page.door.text("console_messages")
    await page.log("new")
    told = await page.door.text("console_messages", since=1)
    assert "new" in told
    assert "old" not in told
    told = await page.door.text("console_messages", since=2)
    assert told == "No messages since then. since: 2 shows only later ones."


async def test_pages_before(page: ToldPage) -> None:
    """What earlier pages said is not taken for this one's: it is counted, and shown on request."""
    await page.log("old")
    await page.show("https://here.test/next")
    told = await page.door.text("console_messages")
    assert told.startswith("No messages. 1 of the pages before; since: 0 shows them too.")
    await page.log("new")
    told = await page.door.text("console_messages")
    assert "old" not in told
    assert told.endswith(
        "1 shown. 1 of the pages before; since: 0 shows them too. since: 2 shows only later ones."
    )
    told = await page.door.text("console_messages", since=0)
    assert told.index("old") < told.index("new")
    assert told.endswith("2 shown. since: 2 shows only later ones.")


async def test_repeats(page: ToldPage) -> None:
    """A line that repeats is one line with a count."""
    for _ in range(37):
        await page.log("again")
    told = await page.door.text("console_messages")
    assert told.count("again") == 1
    assert "×37" in told


async def test_bounded(page: ToldPage) -> None:
    """However much there is, an answer stays within its size and keeps the newest."""
    for number in range(100):
        await page.log(f"{number} {'x' * 3000}")
    told = await page.door.text("console_messages", limit=100)
    assert len(told) < 18_000
    assert "[info] 99 x" in told
    assert "[info] 1 x" not in told


async def test_lost(page: ToldPage) -> None:
    """Lines that are no longer kept are counted."""
    for number in range(1003):
        await page.log(str(number))
    assert "3 older ones are no longer kept." in await page.door.text("console_messages")


def _say(page: ToldPage, numbers: range) -> None:
    for number in numbers:
        said = {"type": "string", "value": f"line {number}"}
        params = {"type": "log", "args": [said], "executionContextId": 1, "timestamp": number}
        page.chrome.fake.event("Runtime.consoleAPICalled", params, f"S-{PAGE}")


async def test_too_fast(autojump_clock: MockClock, page: ToldPage) -> None:
    """That a flood left some out is told to whoever reads on, even where nothing else came."""
    kept = iter([range(3001, 4001), range(0)])

    def enable(_: Asked) -> dict[str, object]:
        _say(page, next(kept))
        return {}

    page.chrome.answers |= {"Runtime.disable": lambda _: {}, "Runtime.enable": enable}
    _say(page, range(1, 1001))
    await settle()
    told = await page.door.text("console_messages", since=1000)
    assert "50 shown. Some may be missing: they came too fast to be counted. since: 2000 " in told
    await settle()
    assert await page.door.text("console_messages", since=2000) == (
        "No messages since then. Some may be missing: they came too fast to be counted."
        " since: 2001 shows only later ones."
    )
    _say(page, range(5001, 5004))
    await settle()
    assert "missing" not in await page.door.text("console_messages", since=2001)


async def test_still_to_come(autojump_clock: MockClock, page: ToldPage) -> None:
    """What a page that floods said last may have to wait for its dialog; that is told."""
    page.chrome.answers |= {"Runtime.disable": lambda _: {}}
    page.chrome.hold.add("Runtime.enable")
    _say(page, range(1, 1001))
    await settle()
    assert "still to come: it is busy" in await page.door.text("console_messages")


async def test_unreadable_addresses() -> None:
    """What a script of an address that may not be read said is left out, and that is said."""
    async with open_told_page(PolicyOptions(read_domain=("here.test",))) as page:
        await page.log("fine")
        await page.log("CANARY", url="https://denied.test/a.js")
        told = await page.door.text("console_messages")
    assert "CANARY" not in told
    assert "1 of addresses that may not be read are left out." in told


async def test_of_an_earlier_page() -> None:
    """A page that may be read does not show what one that may not be said before it."""
    async with open_told_page(PolicyOptions(read_domain=("here.test",))) as page:
        await page.log("CANARY", url="https://denied.test/")
        await page.show("https://here.test/next")
        assert "CANARY" not in await page.door.text("console_messages")


async def test_without_an_address() -> None:
    """Nor is what a script without an address said on a page that may not be read."""
    options = PolicyOptions(allow_domain=("here.test",))
    async with open_told_page(options) as page:
        await page.show("https://elsewhere.test/")
        await page.log("CANARY", url="")
        await page.show(HERE)
        await page.log("mine", url="")
        told = await page.door.text("console_messages", since=0)
    assert "mine" in told
    assert "CANARY" not in told
    assert "1 of addresses that may not be read are left out." in told
