"""Pages that say, send and ask without end: whoever works beside them hardly notices."""

from collections.abc import Sequence

import pytest
import trio

from tests.support.figures import percentile
from tests.support.mcp_calls import Agent, Told
from tests.support.trial import Trial, stretched

pytestmark = [pytest.mark.chromium, pytest.mark.slow]
LONG = [pytest.mark.timeout(180)]

CONSOLE = """setInterval(() => {
    for (let n = 0; n < 500; n++) console.log('a line of the flood', n, {some: 'object'});
}, 50); 1"""
FRAMES = """window.s = new WebSocket(location.origin.replace('http', 'ws') + '/socket');
s.onopen = () => setInterval(() => {
    for (let n = 0; n < 125; n++) s.send('frame ' + n);
}, 50); 1"""
FETCHES = """setInterval(() => {
    for (let n = 0; n < 10; n++) fetch('/echo?flood').then(r => r.text());
}, 50); 1"""


async def work(agent: Agent, other: str, seconds: float, *, flooded: bool) -> list[Told]:
    """Calls one after the other, in another tab and where it is flooded, for so long."""
    until = trio.current_time() + seconds
    told: list[Told] = []
    while trio.current_time() < until:
        told.append(await agent.well("eval", expression="6 * 7", tabId=other))
        told.append(await agent.well("click", selector="body", tabId=other))
        if flooded:
            told.append(await agent.well("get_text"))
            told.append(await agent.well("click", selector="body"))
    return told


async def flood(trial: Trial, script: str, seconds: float, *, flooded: bool) -> Sequence[Told]:
    """All answers beside this flood; fails where they were late or memory was taken for it."""
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.other("/form"))
        other = trial.tab_of(await agent.well("tabs_list"), "/form")
        await agent.well("tab_new", url=trial.site.url("/stage"))
        await work(agent, other, 0.5, flooded=flooded)
        before = agent.resident
        quiet = await work(agent, other, 0.5, flooded=flooded)
        await agent.well("eval", expression=script)
        told = await work(agent, other, seconds, flooded=flooded)
        grown = (agent.resident - before) / 1e6
        late = percentile([each.seconds for each in told], 0.95)
        usual = percentile([each.seconds for each in quiet], 0.95)
        trial.got(f"{len(told)} calls, p95 (quiet: {usual:.3f}); +{grown:.0f} MB", late)
        assert late <= stretched(0.5)
        assert grown <= 100
        if script is CONSOLE:
            listed = await agent.well("console_messages", limit=5)
            assert "a line of the flood" in listed.text
        return told


@pytest.mark.parametrize("seconds", [5.0, pytest.param(30.0, marks=LONG)])
async def test_console(trial: Trial, seconds: float) -> None:
    """Ten thousand messages a second of one page delay no call in another."""
    trial.of(f"49 console flood 10,000/s, {seconds:g} s")
    await flood(trial, CONSOLE, seconds, flooded=False)


@pytest.mark.parametrize("seconds", [2.0, pytest.param(25.0, marks=LONG)])
async def test_frames(trial: Trial, seconds: float) -> None:
    """Five thousand WebSocket frames a second delay no call, in the same page neither."""
    trial.of(f"50 WebSocket 5,000 frames/s, {seconds:g} s")
    await flood(trial, FRAMES, seconds, flooded=True)


@pytest.mark.parametrize("seconds", [2.0, pytest.param(25.0, marks=LONG)])
async def test_fetches(trial: Trial, seconds: float) -> None:
    """Two hundred fetches a second delay no call: nobody waits for such a network to be quiet."""
    trial.of(f"51 200 fetches/s, {seconds:g} s")
    await flood(trial, FETCHES, seconds, flooded=True)
