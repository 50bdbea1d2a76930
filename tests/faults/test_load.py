"""Much at once: many calls, slow ones, cancelled ones, a client that does not read."""

import pytest
import trio

from bridge.scope import open_scope
from tests.support.figures import percentile
from tests.support.mcp_calls import Agent, Pending, Told, command
from tests.support.mcp_process import open_server
from tests.support.processes import until
from tests.support.trial import NOTHING, Trial, prompt, stretched

pytestmark = pytest.mark.chromium
MEGABYTE = 1_000_000


async def open_tabs(agent: Agent, trial: Trial, count: int) -> list[str]:
    """Tabs on a page of the site; their ids.

    One after the other: twenty at once have each less time than one needs on a busy machine.
    """
    told = [
        await agent.well("tab_new", url=trial.site.url(f"/stage?{each}"), active=False)
        for each in range(count)
    ]
    return [each.text.removeprefix("New tab: ").split()[0] for each in told]


async def test_many_calls(trial: Trial) -> None:
    """Five hundred calls at once in twenty tabs have each its own answer; a ping passes them."""
    trial.of("44 500 calls at once in 20 tabs")
    async with trial.agent() as agent:
        tabs = await open_tabs(agent, trial, 20)
        began = trio.current_time()
        sent: list[Pending] = []
        for each in range(500):
            if each == 200:
                ping = await agent.request("ping")
                left = sum(not pending.answered for pending in sent)
            sent.append(await agent.begin("eval", expression=f"{each} * 3", tabId=tabs[each % 20]))
        told = [await pending.told() for pending in sent]
        took = trio.current_time() - began
        assert [each.value for each in told] == [str(each * 3) for each in range(500)]
        trial.got(f"500 right; ping behind 200, before {left} of them: {ping.seconds:.3f} s", took)
        assert ping.answered
        # Not a time: how long it takes beside other programs is their doing.
        assert left >= 100, f"the ping waited for {200 - left} calls"
        assert took <= stretched(2)


@pytest.mark.parametrize("count", [30, pytest.param(100, marks=pytest.mark.slow)])
async def test_many_navigations(trial: Trial, count: int) -> None:
    """Navigations of one tab that are sent at once are all made, in order."""
    trial.of(f"45 {count} navigations of one tab at once")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        began = trio.current_time()
        urls = [trial.site.url(f"/stage?{each}") for each in range(count)]
        sent = [await agent.begin("navigate", url=url) for url in urls]
        told = [await pending.told() for pending in sent]
        trial.got("all there, in order", trio.current_time() - began)
        assert [each.text.split()[0] for each in told] == urls
        arrived = [seen.query for seen in trial.site.requests if seen.path == "/stage"]
        assert arrived == [str(each) for each in range(count)]


async def test_behind_slow_call(trial: Trial) -> None:
    """While a call waits in a page, other tabs, lists and readers of the same page do not."""
    trial.of("46 calls beside a slow one")
    async with trial.agent() as agent:
        (other,) = await open_tabs(agent, trial, 1)
        await agent.well("tab_select", tabId=other)
        await agent.well("tab_new", url=trial.site.url("/form"))
        pending = await trial.busy(agent)
        beside = [
            await agent.well("tabs_list"),
            await agent.well("status"),
            await agent.well("get_text"),
            await agent.well("eval", expression="6 * 7", tabId=other),
            await agent.well("click", selector="body", tabId=other),
        ]
        assert not pending.answered
        trial.got("all answered", max(told.seconds for told in beside))
        for told in beside:
            prompt(told, 0.5)


async def unanswered(agent: Agent, trial: Trial, pending: Pending) -> Told:
    """Take the call back; the next one in the same tab, which must not have to wait."""
    await agent.cancel(pending)
    told = await agent.well("eval", expression="location.pathname")
    prompt(told, 0.5)
    return told


async def test_cancelled_script(trial: Trial) -> None:
    """A script of a call that is taken back is ended, not only no longer waited for."""
    trial.of("47 call cancelled: script in a loop")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pending = await agent.begin("eval", expression="fetch('/echo'); for (;;);")
        await trial.site.wait_request("/echo")
        told = await unanswered(agent, trial, pending)
        trial.got(told)
        assert agent.unasked == []


async def test_cancelled_promise(trial: Trial) -> None:
    """A promise of a call that is taken back keeps nobody waiting."""
    trial.of("47 call cancelled: promise")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pending = await trial.busy(agent)
        told = await unanswered(agent, trial, pending)
        trial.got(told)
        assert agent.unasked == []


async def test_cancelled_navigation(trial: Trial) -> None:
    """A navigation that is taken back does not replace the page later."""
    trial.of("47 call cancelled: navigation")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pending = await agent.begin("navigate", url=trial.site.url("/slow?ms=300"))
        await trial.site.wait_request("/slow")
        told = await unanswered(agent, trial, pending)
        trial.got(told)
        assert told.value == '"/stage"'
        await agent.well("wait_for", timeMs=600)
        assert (await agent.well("eval", expression="location.pathname")).value == '"/stage"'
        assert agent.unasked == []


async def test_cancelled_in_line(trial: Trial) -> None:
    """A call that is taken back before its turn came is never made."""
    trial.of("47 call cancelled: waiting for its turn")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        first = await agent.begin("eval", expression=f"fetch('/echo').then(() => {NOTHING})")
        await trial.site.wait_request("/echo")
        second = await agent.begin("eval", expression="document.title = 'made'")
        await agent.cancel(second)
        told = await unanswered(agent, trial, first)
        trial.got(told)
        title = await agent.well("eval", expression="document.title")
        assert title.value == '"Stage"'
        assert agent.unasked == []


async def fill(agent: Agent, trial: Trial, size: int) -> None:
    """Show a page with so much text, and read it once."""
    await agent.well("navigate", url=trial.site.url("/stage"))
    script = f"document.body.textContent = 'word '.repeat({size // 5}); 1"
    await agent.well("eval", expression=script)
    await agent.well("get_text", maxTokens=0)


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize(("count", "megabytes"), [(120, 1), (200, 1), (10, 4)])
async def test_unread(trial: Trial, count: int, megabytes: int) -> None:
    """A client that does not read its answers costs no more than a limit, and loses none."""
    trial.of(f"48 {count} answers of {megabytes} MB unread")
    size = megabytes * MEGABYTE
    async with open_server(*command(trial.ground)) as server:
        agent = Agent(server)
        await server.greet()
        async with open_scope() as nursery:
            nursery.start_soon(agent.listen)
            await fill(agent, trial, size)
        before = agent.resident
        async with open_scope() as nursery:
            sent: list[Pending] = []

            async def send() -> None:
                for _ in range(count):
                    sent.append(await agent.begin("get_text", maxTokens=0))

            nursery.start_soon(send)
            most = await risen(agent)
            nursery.start_soon(agent.listen)
            await until(lambda: len(sent) == count, 30.0, "all are sent")
            sizes = [len((await pending.told()).text) for pending in sent]
            assert min(sizes) >= size
            prompt(await agent.call("eval", expression="1"), 1)
            trial.got(f"all delivered; server +{(most - before) / 1e6:.0f} MB")
            assert most - before <= 64 * MEGABYTE
            assert await server.end() == 0
        await trial.ground.assert_clean()


@pytest.mark.slow
async def test_unread_at_the_end(trial: Trial) -> None:
    """A client that goes without having read its answers leaves nothing behind."""
    trial.of("48 10 answers of 4 MB unread, client gone")
    async with open_server(*command(trial.ground)) as server:
        agent = Agent(server)
        await server.greet()
        async with open_scope() as nursery:
            nursery.start_soon(agent.listen)
            await fill(agent, trial, 4 * MEGABYTE)
        for _ in range(10):
            await agent.begin("get_text", maxTokens=0)
        await risen(agent)
        began = trio.current_time()
        assert await server.end() == 0
        took = trio.current_time() - began
        trial.got("ended in order", took)
        assert took <= stretched(5)
    await trial.ground.assert_clean()


async def risen(agent: Agent) -> int:
    """Memory of the server when it has stopped growing."""
    most, since = agent.resident, trio.current_time()
    while trio.current_time() - since < stretched(1):
        if (now := agent.resident) > most + MEGABYTE:
            most, since = now, trio.current_time()
        await trio.sleep(0.01)
    return most


@pytest.mark.slow
async def test_large_page(trial: Trial) -> None:
    """The default snapshot of a page of 50,000 elements is quick, short, and says what is left."""
    trial.of("52 50,000 elements, default snapshot")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        script = """document.body.innerHTML = Array.from({length: 12500}, (_, n) =>
            `<div><b>Row ${n}</b><a href="#${n}">Link ${n}</a><button>Do ${n}</button></div>`
        ).join(''); document.querySelectorAll('*').length"""
        count = await agent.well("eval", expression=script)
        assert int(count.value) >= 50_000
        shots = [await agent.well("snapshot") for _ in range(5)]
        seconds = percentile([shot.seconds for shot in shots], 0.5)
        size = len(shots[0].text.encode())
        trial.got(f"{size:,} bytes", seconds, shots[0].seconds)
        assert size <= 20_000
        assert "cursor" in shots[0].text
        assert seconds <= stretched(0.4)
