"""One fault put to the server: its surroundings, the means to do harm, and the row of the table."""

import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import trio

from bridge import cdp
from fixtures.site import Site
from tests.support import processes
from tests.support.browsers import open_browser_at, until_true
from tests.support.by_hand import address
from tests.support.ground import Ground
from tests.support.mcp_calls import Agent, Pending, Told, command, open_agent

FAR = 35.0
"""No call may be silent for longer, whatever happens."""

_LOOP = 0.0009  # seconds of `_loop` where the limits were set
_MOST = 8.0  # times a limit is stretched: beyond that it would say nothing

NOTHING = "new Promise(() => {})"
"""A script that is never done."""


class Trial:
    """Made by the fixture `trial`."""

    def __init__(self, ground: Ground, site: Site, facts: list[tuple[str, object]]) -> None:
        self.ground = ground
        self.site = site
        self._facts = facts
        self._mark = str(ground.root)

    # The row.

    def of(self, fault: str) -> None:
        """Name the fault, number first."""
        self._facts.append(("fault", fault))

    def got(self, told: Told | str, *seconds: float) -> None:
        """What the client was told; how long that took, and what else is worth a figure."""
        text = told if isinstance(told, str) else (told.text.split("<page ")[0] or told.value)
        taken = seconds if isinstance(told, str) else (told.seconds, *seconds)
        self._facts.append(("got", " / ".join(text.splitlines())[:400]))
        self._facts.append(("seconds", " ".join(f"{each:.2f}" for each in taken)))

    # The server.

    @asynccontextmanager
    async def agent(
        self, *flags: str, clean: float = 10.0, **changed: float
    ) -> AsyncIterator[Agent]:
        """A client of a server of its own; in the end it hangs up, and nothing may be left."""
        async with open_agent(*command(self.ground, *flags, changed=changed)) as agent:
            yield agent
            assert agent.server.process.returncode is None, "the server ended by itself"
            assert await agent.server.end() == 0
            await self.ground.assert_clean(within=clean)

    def tab_of(self, listed: Told, path: str) -> str:
        """The id of the tab that shows this page, from a list of tabs."""
        (line,) = (line for line in listed.text.splitlines() if path in line)
        return line.split()[1]

    async def busy(self, agent: Agent) -> Pending:
        """A call of the current tab that is being worked on in its page, and never done."""
        pending = await agent.begin(
            "eval", expression=f"fetch('/echo?begun').then(() => {NOTHING})"
        )
        await self.site.wait_request("/echo")
        return pending

    # Harm.

    @property
    def browser(self) -> int:
        """The process that is the browser."""
        (pid,) = self.ground.browsers
        return pid

    @property
    def renderers(self) -> list[int]:
        """Processes that show pages; a forked one shows its arguments as one line."""
        shown = {seen.pid: " ".join(seen.arguments) for seen in processes.marked(self._mark)}
        return [
            pid
            for pid, line in shown.items()
            if "--type=renderer" in line and "--extension-process" not in line
        ]

    def kill_browser(self) -> None:
        if sys.platform == "win32":
            raise AssertionError("signals and pipes as POSIX has them")
        os.kill(self.browser, signal.SIGKILL)

    async def lose_browser(self, agent: Agent) -> None:
        """Kill it while nothing is under way, and return when the server has noticed."""
        self.kill_browser()
        await until_status(agent, "state: degraded")

    def kill_renderers(self) -> None:
        if sys.platform == "win32":
            raise AssertionError("signals and pipes as POSIX has them")
        pids = self.renderers
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    async def close_page(self, url: str) -> None:
        """As a person would: from outside, without us."""
        async with open_browser_at(address(self.ground.profile), exclusive=False) as other:
            (info,) = (info for info in other.list_tabs() if info.url == url)
            await other.connection.root.execute(cdp.target.close_target(info.target_id))
            await processes.until(
                lambda: other.targets.page(info.target_id) is None, 5.0, "the tab is closed"
            )


async def until_status(agent: Agent, words: str) -> None:
    """Until the server says so of itself."""

    async def says_so() -> bool:
        return words in (await agent.well("status")).text

    with within(10.0, words):
        await until_true(says_so, words, seconds=FAR)


def stretched(seconds: float) -> float:
    """A limit is for a machine as quick as the one it was set on, with a core to spare.

    On a busy one everything takes its share; and some days the same machine takes three times as
    long for the same loop, with nothing else on it.
    """
    if sys.platform == "win32":
        raise AssertionError("signals and pipes as POSIX has them")
    running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
    load = max(os.getloadavg()[0], running)
    slower = max(1.0, load / (os.cpu_count() or 1)) * max(1.0, _loop() / _LOOP)
    return seconds * min(slower, _MOST)


def _loop() -> float:
    """Seconds of processor time of a loop that is always the same, at the best of a few times."""
    took = []
    for _ in range(5):
        began = time.process_time()
        for _number in range(100_000):
            pass
        took.append(time.process_time() - began)
    return min(took)


def prompt(told: Told, seconds: float) -> None:
    """Fail unless the answer came in time."""
    assert told.seconds <= stretched(seconds), f"{told.seconds:.2f} s: {told.text[:500]}"


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Fail unless the block ends in time."""
    began = trio.current_time()
    with trio.move_on_after(FAR) as scope:
        yield
    took = trio.current_time() - began
    assert not scope.cancelled_caught, f"{what}: nothing after {took:.1f} s"
    assert took <= stretched(seconds), f"{what}: {took:.2f} s instead of {seconds:g} s"


def rewritten(path: Path, data: bytes) -> None:
    """A file with something else in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
