"""The same thing thousands of times: no failure, and nothing that grows."""

import pytest
import trio

from tests.support.figures import percentile, slope
from tests.support.mcp_calls import Agent
from tests.support.processes import marked
from tests.support.trial import Trial

pytestmark = [pytest.mark.chromium, pytest.mark.slow, pytest.mark.timeout(900)]
CALLS = 10_000
CYCLES = 1_000
EVERY = 100
KB = 1024


async def repeated(agent: Agent, tool: str, **arguments: object) -> tuple[list[float], list[float]]:
    """Seconds of all calls, and the server's memory after every so many of them."""
    seconds, memory = [], []
    for number in range(1, CALLS + 1):
        seconds.append((await agent.well(tool, **arguments)).seconds)
        if number % EVERY == 0:
            memory.append(float(agent.resident))
    return seconds, memory


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("eval", {"expression": "6 * 7"}),
        ("snapshot", {}),
        ("click", {"selector": "#calm"}),
    ],
)
async def test_calls(trial: Trial, tool: str, arguments: dict[str, object]) -> None:
    """Ten thousand calls all succeed; after the first thousand the memory stays as it is."""
    trial.of(f"54 {CALLS:,} x {tool}")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/loop"))
        began = trio.current_time()
        seconds, memory = await repeated(agent, tool, **arguments)
        settled = memory[1000 // EVERY :]
        each = slope(settled) / EVERY
        trial.got(
            f"all well; {memory[9] / 1e6:.0f} to {memory[-1] / 1e6:.0f} MB, {each:+.0f} B a call",
            trio.current_time() - began,
            percentile(seconds, 0.5),
        )
        assert each * CALLS <= 1_000_000  # what the allocator does by itself is more


async def test_navigations(trial: Trial) -> None:
    """Pages that are gone leave hardly anything with us, once the list of requests is full."""
    trial.of("54 2,500 x navigate and snapshot")
    async with trial.agent() as agent:
        memory = []
        began = trio.current_time()
        for number in range(1, 2501):
            await agent.well("navigate", url=trial.site.url("/form?" + str(number)))
            await agent.well("snapshot")
            if number % 20 == 0:
                memory.append(float(agent.resident))
        each = slope(memory[1200 // 20 :]) / 20
        trial.got(f"all well; {each:+.0f} B a page", trio.current_time() - began)
        # Measured 2.3 and falling: the allocator settles, while our objects stay as many.
        assert each <= 3 * KB


async def test_tabs(trial: Trial) -> None:
    """A thousand tabs opened and closed: no failure, no process, and hardly any memory is left."""
    trial.of(f"53 {CYCLES:,} tabs opened and closed")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        before = len(marked(str(trial.ground.root)))
        memory = []
        began = trio.current_time()
        for number in range(1, CYCLES + 1):
            told = await agent.well("tab_new", url=trial.site.url("/stage"))
            await agent.well("tab_close", tabId=told.text.removeprefix("New tab: ").split()[0])
            if number % 10 == 0:
                memory.append(float(agent.resident))
        each = slope(memory[len(memory) // 5 :]) / 10
        trial.got(f"no failure; {each:+.0f} B a tab", trio.current_time() - began)
        assert each <= 3.5 * KB  # measured 2.7; the allocator keeps it, no object of ours does
        assert len(marked(str(trial.ground.root))) <= before + 2  # a spare renderer comes and goes
