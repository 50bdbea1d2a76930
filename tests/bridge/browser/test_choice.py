"""Which browser a call gets, with both ways played."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.browser.choice import Choice
from bridge.browser.lifecycle import Lifecycle, keep_alive
from bridge.errors import BridgeError, LaunchError, LinkError
from bridge.timeouts import Timeouts
from launcher.chrome import Chrome
from tests.support.scripted_chrome import open_scripted

ABSENT = LinkError("EXTENSION_DISCONNECTED", "no browser with the extension is connected")


@dataclass
class Way:
    """One way to a browser, open or closed."""

    closed: BridgeError | None = None
    opened: list[Browser] = field(default_factory=list)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[tuple[Chrome, Browser]]:
        await trio.lowlevel.checkpoint()
        if self.closed is not None:
            raise self.closed.again()
        async with open_scripted() as (_, browser):
            self.opened.append(browser)
            yield Chrome(ownership="attached"), browser


@dataclass
class Both:
    """Both ways, and what chooses between them."""

    linked: Way
    cdp: Way
    lifecycles: tuple[Lifecycle, Lifecycle]
    choice: Choice


@pytest.fixture
async def both() -> AsyncIterator[Both]:
    """Both ways open."""
    linked, cdp = Way(), Way()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(keep_alive(linked.open, Timeouts()))
        second = await stack.enter_async_context(keep_alive(cdp.open, Timeouts()))
        yield Both(linked, cdp, (first, second), Choice(linked=first, cdp=second))


async def test_the_extension_first(both: Both) -> None:
    """Where both are open the extension is used, and nothing else is started."""
    browser = await both.choice.browser()
    assert [browser] == both.linked.opened
    assert (both.choice.kind, both.cdp.opened) == ("extension", [])


async def test_falls_back_and_says_why(both: Both) -> None:
    """Without the extension a call gets the other browser, and what was missing is told."""
    both.linked.closed = ABSENT
    browser = await both.choice.browser()
    assert [browser] == both.cdp.opened
    assert (both.choice.kind, both.choice.why) == ("cdp", ABSENT.message)
    assert both.choice.describe() == [f"backend: cdp, for {ABSENT.message}"]


async def test_chosen_at_every_call(both: Both) -> None:
    """Once the extension is there the next call goes to it; the other browser is kept."""
    both.linked.closed = ABSENT
    first = await both.choice.browser()
    both.linked.closed = None
    second = await both.choice.browser()
    assert (second in both.linked.opened, both.choice.kind) == (True, "extension")
    assert (both.choice.why, first.connection.end) == ("", None)


async def test_nothing_to_fall_back_to(both: Both) -> None:
    """With the extension alone its absence is the caller's answer."""
    both.linked.closed = ABSENT
    with pytest.raises(LinkError) as caught:
        await Choice(linked=both.lifecycles[0]).browser()
    assert caught.value.code == "EXTENSION_DISCONNECTED"


async def test_other_failures_are_told(both: Both) -> None:
    """A failure that is not an absence is not hidden behind another browser."""
    both.linked.closed = LaunchError("LAUNCH_FAILED", "broken")
    with pytest.raises(LaunchError):
        await both.choice.browser()
    assert both.cdp.opened == []


async def test_cdp_alone(both: Both) -> None:
    """Where the extension is not preferred nobody asks for it."""
    choice = Choice(cdp=both.lifecycles[1])
    await choice.browser()
    assert (choice.kind, both.linked.opened) == ("cdp", [])
