"""The browser is killed, stops answering, or loses its pages: what the next answers say."""

import os
import signal
import sys

import pytest

from tests.support.conditions import halt
from tests.support.trial import Trial, prompt, within

assert sys.platform != "win32"  # signals and mounts

pytestmark = pytest.mark.chromium
LOST = "Note: the browser was lost"


async def test_killed_idle(trial: Trial) -> None:
    """Killed between calls, it is back within the next call, with all tabs, and that is said."""
    trial.of("1 browser killed, idle")
    here, there = trial.site.url("/form"), trial.site.url("/console")
    async with trial.agent() as agent:
        await agent.well("navigate", url=there)
        await agent.well("tab_new", url=here)
        await trial.lose_browser(agent)
        told = await agent.well("eval", expression="location.href")
        trial.got(told)
        assert told.text.startswith(LOST)
        assert all(f"loaded again: {url}" in told.text for url in (here, there))
        assert told.value == f'"{here}"'
        prompt(told, 3)
        listed = await agent.well("tabs_list")
        assert LOST not in listed.text
        assert [url in listed.text for url in (here, there)] == [True, True]


async def test_killed_in_call(trial: Trial) -> None:
    """A call under way fails at once, does not know its outcome, and is never made again."""
    trial.of("2 browser killed in a call")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pending = await trial.busy(agent)
        with within(0.5, "the error"):
            trial.kill_browser()
            told = await pending.told()
        assert told.code == "BROWSER_GONE", told.text
        again = await agent.well("eval", expression="6 * 7")
        trial.got(told, again.seconds)
        assert again.text.startswith(LOST)
        assert again.value == "42"
        prompt(again, 3)
        assert sum(seen.path == "/echo" for seen in trial.site.requests) == 1


async def test_killed_navigating(trial: Trial) -> None:
    """A navigation under way fails at once; the next one works."""
    trial.of("3 browser killed in a navigation")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pending = await agent.begin("navigate", url=trial.site.url("/never"))
        await trial.site.wait_request("/never")
        with within(0.5, "the error"):
            trial.kill_browser()
            told = await pending.told()
        assert told.code == "BROWSER_GONE", told.text
        again = await agent.well("navigate", url=trial.site.url("/form"))
        trial.got(told, again.seconds)
        assert again.text.startswith(LOST)
        prompt(again, 3)


@pytest.mark.parametrize("probe", [2.0, pytest.param(4.0, marks=pytest.mark.slow)])
async def test_frozen(trial: Trial, probe: float) -> None:
    """A browser that stops answering is told from a page that does, ended, and replaced."""
    trial.of(f"4 browser frozen, patience {probe:g} s")
    async with trial.agent(probe=probe) as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        frozen = trial.browser
        await halt(frozen)
        told = await agent.call("eval", expression="1")
        assert told.code == "BROWSER_HUNG", told.text
        prompt(told, 10)
        again = await agent.well("eval", expression="6 * 7")
        trial.got(told, again.seconds)
        assert again.text.startswith(LOST)
        prompt(again, 5)
        assert trial.browser != frozen


async def test_thawed(trial: Trial) -> None:
    """A browser that was stopped for a moment is kept, and nothing is said of it."""
    trial.of("4 browser frozen and continued")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pid = trial.browser
        await halt(pid)
        pending = await agent.begin("eval", expression="6 * 7")
        listed = await agent.request("ping")
        await listed.message()
        os.kill(pid, signal.SIGCONT)
        told = await pending.told()
        trial.got(told)
        assert (told.failed, told.value) == (False, "42")
        assert "Note" not in told.text
        assert trial.browser == pid


async def test_renderer_killed_idle(trial: Trial) -> None:
    """A page whose process was killed is loaded again by the next call, which says so."""
    trial.of("8 renderer killed, idle")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        trial.kill_renderers()
        told = await agent.call("eval", expression="location.pathname")
        if told.failed:  # the call was faster than the news
            assert told.code == "PAGE_CRASHED", told.text
            prompt(told, 0.5)
            told = await agent.well("eval", expression="location.pathname")
        trial.got(told)
        assert "crashed and was loaded again" in told.text
        assert told.value == '"/form"'
        prompt(told, 3)


async def test_renderer_killed_in_call(trial: Trial) -> None:
    """A call on a page whose process is killed fails at once; the next one loads it again."""
    trial.of("9 renderer killed in a call")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        pending = await trial.busy(agent)
        with within(0.5, "the error"):
            trial.kill_renderers()
            told = await pending.told()
        assert told.code == "PAGE_CRASHED", told.text
        again = await agent.well("eval", expression="location.pathname")
        trial.got(told, again.seconds)
        assert "crashed and was loaded again" in again.text
        assert again.value == '"/stage"'
        prompt(again, 3)


async def test_crash_address(trial: Trial) -> None:
    """An address that crashes the page is refused at once."""
    trial.of("10 crash URL")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        told = await agent.call("navigate", url="chrome://crash")
        trial.got(told)
        assert told.code == "POLICY_DENIED"
        assert "chrome" in told.text
        prompt(told, 0.5)
        assert (await agent.well("eval", expression="location.pathname")).value == '"/stage"'
