"""The same calls over the extension and over the port: `python -m tests.bench.bench_extension`.

Both ways are in one browser, a tab each, and take turns, so a busy machine is busy for both. The
floor is the port's; the extension adds its worker, the relay and Chrome's own checks.
"""

import os
import sys
import time
from collections.abc import Awaitable, Callable

import trio

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.relay.invitation import FOLDER
from bridge.relay.server import open_relay
from bridge.transport.link import Sites
from fixtures.site import open_site
from tests.bench.table import Row, markdown
from tests.support.browsers import open_browser_at, until
from tests.support.linked import (
    Everyday,
    end_worker,
    hold_everyday,
    look,
    open_linked,
    open_outside,
    returns,
)
from tests.support.readings import by_selector

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
_EVALUATIONS = 50
_CLICKS = 10


async def main() -> int:
    """Print the table; 1 if a goal is missed."""
    evaluate, click = Row("evaluate `1+1`", "ms", 4.0), Row("click, effect verified", "ms", 2.0)
    back = Row("back after its worker was ended", "ms", 300)
    pairing = Row("from a server's start to its link", "ms", 300)
    async with open_site() as site:
        with hold_everyday() as everyday:
            async with (
                open_linked(everyday) as linked,
                open_browser_at(everyday.url, exclusive=False) as plain,
            ):
                tabs = [await _tab(each, site.url("/form")) for each in (linked, plain)]
                for turn in range(ROUNDS + 1):
                    await _take_turns(evaluate, tabs, _evaluations, warm=not turn)
                    await _take_turns(click, tabs, _clicks, warm=not turn)
                await _measure_return(back, everyday, linked)
            for _ in range(ROUNDS):
                pairing.ours.append(await _pair(everyday) * 1000)
    rows = [evaluate, click, back, pairing]
    sys.stdout.write(markdown(rows) + "\n")
    return 0 if all(row.met for row in rows) else 1


async def _tab(browser: Browser, url: str) -> Tab:
    tab = await browser.new_tab(url)
    await tab.evaluate(
        "document.body.innerHTML = '<button id=b>x</button>';"
        "n = 0; b.onclick = () => { b.textContent = ++n }; 0"
    )
    return tab


async def _take_turns(
    row: Row, tabs: list[Tab], work: Callable[[Tab], Awaitable[float]], *, warm: bool
) -> None:
    for tab, samples in zip(tabs, (row.ours, row.floor), strict=True):
        seconds = await work(tab)
        if not warm:
            samples.append(seconds * 1000)


async def _evaluations(tab: Tab) -> float:
    begun = time.perf_counter()
    for _ in range(_EVALUATIONS):
        assert await tab.evaluate("1+1") == 2
    return (time.perf_counter() - begun) / _EVALUATIONS


async def _clicks(tab: Tab) -> float:
    begun = time.perf_counter()
    for _ in range(_CLICKS):
        await tab.actions.click(by_selector(tab, "#b"))
    return (time.perf_counter() - begun) / _CLICKS


async def _measure_return(row: Row, everyday: Everyday, browser: Browser) -> None:
    seen = returns(browser)
    async with open_outside(everyday) as outside:
        for times in range(1, ROUNDS + 1):
            await end_worker(outside)
            begun = time.perf_counter()
            await until(lambda: len(seen) == times, "it is back")  # noqa: B023 -- awaited here
            row.ours.append((time.perf_counter() - begun) * 1000)


async def _pair(everyday: Everyday) -> float:
    """Seconds from a server that listens to its link; the native host is running already."""
    async with open_outside(everyday) as outside:
        await look(outside)
        begun = time.perf_counter()
        async with open_relay(everyday.folder / FOLDER, "bench", Sites(visited=["*"])) as relay:
            await look(outside)
            await relay.wait_link(None)
            return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(trio.run(main))
