"""However the server ends, and whatever goes on then: it ends in time and nothing is left."""

import signal
import sys
from collections.abc import Iterator

import pytest
import trio

from tests.support.conditions import halt
from tests.support.mcp_calls import Agent, command, open_agent
from tests.support.mcp_process import HANDSHAKE, open_server
from tests.support.rounds import ROUNDS
from tests.support.trial import Trial, prompt, within

assert sys.platform != "win32"  # signals and mounts

pytestmark = pytest.mark.chromium
SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")
ENDS = ("stdin", *SIGNALS)
NUMBERS = {"stdin": 17, "SIGTERM": 19, "SIGINT": 20, "SIGHUP": 21, "SIGKILL": 22}
CODES = {"SIGINT": 130, "SIGKILL": -signal.SIGKILL}
LOG_IN = """new Promise(done => {
    document.cookie = 'login=yes; max-age=86400';
    localStorage.setItem('login', 'yes');
    setTimeout(() => done(document.cookie), 300);
})"""
WHO = "[document.cookie, localStorage.getItem('login')]"


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Servers hear SIGHUP here, also in a run under nohup, whose children ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


async def end(agent: Agent, how: str) -> int:
    """Hang up, or send the signal; the exit code."""
    if how == "stdin":
        return await agent.server.end()
    agent.server.process.send_signal(signal.Signals[how])
    return await agent.server.process.wait()


async def begin(trial: Trial, agent: Agent, state: str) -> None:
    """Come to what goes on when the end comes."""
    await agent.well("navigate", url=trial.site.url("/stage"))
    match state:
        case "call":
            await trial.busy(agent)
        case "loop":
            await agent.begin("eval", expression="fetch('/echo'); for (;;);")
            await trial.site.wait_request("/echo")
        case "navigation":
            await agent.begin("navigate", url=trial.site.url("/never"))
            await trial.site.wait_request("/never")


@pytest.mark.slow
@pytest.mark.parametrize("state", ["idle", "call", "loop", "navigation"])
@pytest.mark.parametrize("how", ENDS)
async def test_end(trial: Trial, how: str, state: str) -> None:
    """It ends within three seconds with the right code, and the browser with it."""
    trial.of(f"{NUMBERS[how]} {how}, {state}")
    async with open_agent(*command(trial.ground)) as agent:
        await begin(trial, agent, state)
        began = trio.current_time()
        with within(3, "the end"):
            code = await end(agent, how)
        ended = trio.current_time() - began
        assert code == CODES.get(how, 0)
        await trial.ground.assert_clean()
        trial.got(f"exit code {code}, nothing left", ended, trio.current_time() - began)


@pytest.mark.slow
@pytest.mark.parametrize("how", ENDS)
async def test_login_kept(trial: Trial, how: str) -> None:
    """A login 0.3 s old is there again after any end."""
    trial.of(f"{NUMBERS[how]} {how}, login 0.3 s before")
    async with open_agent(*command(trial.ground)) as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        await agent.well("eval", expression=LOG_IN)
        with within(3, "the end"):
            await end(agent, how)
        await trial.ground.assert_clean()
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        told = await agent.well("eval", expression=WHO)
        trial.got(told)
        assert told.value == '["login=yes", "yes"]'


@pytest.mark.slow
@pytest.mark.parametrize(("number", "how"), [(5, "stdin"), (6, "SIGTERM"), (7, "SIGKILL")])
async def test_frozen(trial: Trial, number: int, how: str) -> None:
    """With a browser that does not move it ends in time all the same, and so does the browser."""
    trial.of(f"{number} browser frozen, {how}")
    async with open_agent(*command(trial.ground)) as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        await halt(trial.browser)
        began = trio.current_time()
        with within(6, "the end"):
            code = await end(agent, how)
        ended = trio.current_time() - began
        assert code == CODES.get(how, 0)
        await trial.ground.assert_clean(within=15)
        left = trio.current_time() - began
        trial.got(f"exit code {code}, nothing left", ended, left)
        assert left < 10 + ended


async def test_wrapper_killed(trial: Trial) -> None:
    """Killed, what started the server takes it along, although the pipes stay open."""
    trial.of("23 wrapper killed, pipes held")
    line = '"$@"; exit $?'  # more than one command, or the shell would become the server
    async with open_server("sh", "-c", line, "sh", *command(trial.ground)) as server:
        await server.greet()
        await server.call(1, "navigate", url=trial.site.url("/stage"))
        await server.until(1)
        began = trio.current_time()
        server.process.kill()
        await trial.ground.assert_clean()
        trial.got("nothing left", trio.current_time() - began)


@pytest.mark.parametrize(
    "rounds",
    [1, pytest.param(ROUNDS, marks=[pytest.mark.slow, pytest.mark.timeout(60 + 10 * ROUNDS)])],
)
async def test_two_servers(trial: Trial, rounds: int) -> None:
    """Two servers started in the same instant share a profile; one outlives the other."""
    trial.of(f"24 two servers at once on one profile, {rounds} times")
    slowest = 0.0

    async def go(agent: Agent, path: str) -> None:
        nonlocal slowest
        told = await agent.well("navigate", url=trial.site.url(path))
        slowest = max(slowest, told.seconds)

    for _ in range(rounds):
        argv = command(trial.ground)
        async with open_agent(*argv) as one, open_agent(*argv) as two:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(go, one, "/form")
                nursery.start_soon(go, two, "/stage")
            assert len(trial.ground.browsers) == 1
            assert await one.server.end() == 0
            told = await two.well("eval", expression="location.pathname")
            assert told.value == '"/stage"'
            assert await two.server.end() == 0
        await trial.ground.assert_clean()
    trial.got("both work; the second goes on alone", slowest)


async def test_started_again(trial: Trial) -> None:
    """After a SIGKILL the next server works at once, with the browser that is there or another."""
    trial.of("29 restart at once after SIGKILL")
    async with open_agent(*command(trial.ground)) as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        agent.server.process.kill()
        began = trio.current_time()
        async with trial.agent() as again:
            told = await again.well("navigate", url=trial.site.url("/stage"))
            trial.got(told, trio.current_time() - began)
            prompt(told, 3)


async def test_started_again_beside_frozen(trial: Trial) -> None:
    """The same where the browser of the killed server does not move."""
    trial.of("30 restart at once, old browser frozen")
    async with open_agent(*command(trial.ground)) as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        await halt(trial.browser)
        agent.server.process.kill()
        async with trial.agent() as again:
            told = await again.well("navigate", url=trial.site.url("/stage"))
            trial.got(told)
            prompt(told, 5)


async def test_hang_up_before_hello(trial: Trial) -> None:
    """A client that goes away before the handshake is over leaves nothing either."""
    trial.of("17 stdin closed in the handshake")
    async with open_server(*command(trial.ground)) as server:
        await server.send("initialize", 1, **HANDSHAKE)
        began = trio.current_time()
        with within(3, "the end"):
            assert await server.end() == 0
        trial.got("exit code 0", trio.current_time() - began)
        await trial.ground.assert_clean()
