"""Pages that loop, hang, ask, or are closed: no call is wedged, and the next one works."""

import pytest

from tests.support.trial import Trial, prompt, within

pytestmark = pytest.mark.chromium

SPIN = "setTimeout(() => { fetch('/echo?spins'); for (;;); }); 'begun'"
FULL = pytest.mark.slow


@pytest.mark.parametrize("seconds", [1.0, pytest.param(10.0, marks=FULL)])
async def test_loop_by_itself(trial: Trial, seconds: float) -> None:
    """A page that loops is let go at the deadline; other tabs do not notice, and it works again."""
    trial.of(f"11 loop of a page, read within {seconds:g} s")
    async with trial.agent(read=seconds) as agent:
        await agent.well("navigate", url=trial.site.other("/form"))
        other = trial.tab_of(await agent.well("tabs_list"), "/form")
        await agent.well("tab_new", url=trial.site.url("/stage"))
        await agent.well("eval", expression=SPIN)
        await trial.site.wait_request("/echo")
        pending = await agent.begin("get_text")
        beside = await agent.well("get_text", tabId=other)
        prompt(beside, 0.5)
        told = await pending.told()
        assert told.code == "TIMEOUT", told.text
        prompt(told, seconds + 1)
        again = await agent.well("get_text")
        trial.got(told, again.seconds)
        prompt(again, 2)


@pytest.mark.parametrize("seconds", [1.0, pytest.param(10.0, marks=FULL)])
async def test_loop_on_click(trial: Trial, seconds: float) -> None:
    """A button that loops: the click is said to have been delivered, and the page is let go."""
    trial.of(f"11 loop of a button, input within {seconds:g} s")
    async with trial.agent(read=seconds) as agent:
        await agent.well("navigate", url=trial.site.url("/loop"))
        told = await agent.call("click", selector="#spin")
        assert told.code == "TIMEOUT", told.text
        prompt(told, 2 * seconds + 1)
        again = await agent.well("click", selector="#calm")
        trial.got(told, again.seconds)
        prompt(again, 2)
        assert '"calm"' in (await agent.well("eval", expression="outcome.textContent")).value


@pytest.mark.parametrize("seconds", [1.0, pytest.param(30.0, marks=FULL)])
async def test_loop_in_script(trial: Trial, seconds: float) -> None:
    """A script of the caller that loops ends at its deadline, and with it only the script."""
    trial.of(f"11 loop of a script, ends in {seconds:g} s")
    async with trial.agent(evaluate=seconds) as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        told = await agent.call("eval", expression="for (;;);")
        assert told.code == "TIMEOUT", told.text
        prompt(told, seconds + 1)
        again = await agent.well("eval", expression="location.pathname")
        trial.got(told, again.seconds)
        prompt(again, 2)
        assert again.value == '"/form"'


@pytest.mark.parametrize("seconds", [1.0, pytest.param(30.0, marks=FULL)])
async def test_never_loaded(trial: Trial, seconds: float) -> None:
    """Of a page that never ends coming, what is there can be read after the deadline."""
    trial.of(f"12 page that never ends, {seconds:g} s")
    async with trial.agent(navigation=seconds) as agent:
        told = await agent.call("navigate", url=trial.site.url("/endless"))
        assert told.code == "TIMEOUT", told.text
        prompt(told, seconds + 1)
        again = await agent.well("get_text")
        trial.got(told, again.seconds)
        prompt(again, 2)
        assert "The beginning of it." in again.value


@pytest.mark.parametrize("seconds", [1.0, pytest.param(30.0, marks=FULL)])
async def test_never_answered(trial: Trial, seconds: float) -> None:
    """A server that never answers costs the deadline; the tab stays where it was, and works."""
    trial.of(f"13 server that never answers, {seconds:g} s")
    async with trial.agent(navigation=seconds) as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        told = await agent.call("navigate", url=trial.site.url("/never"))
        assert told.code == "TIMEOUT", told.text
        prompt(told, seconds + 1)
        again = await agent.well("eval", expression="location.pathname")
        trial.got(told, again.seconds)
        prompt(again, 2)
        assert again.value == '"/form"'
        await agent.well("navigate", url=trial.site.url("/stage"))


async def test_dialog(trial: Trial) -> None:
    """A dialog is named with its text within a second; other tabs go on; answered, so does it."""
    trial.of("14 alert open")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/dialogs"))
        asking = trial.tab_of(await agent.well("tabs_list"), "/dialogs")
        opened = await agent.well("click", selector="#later")
        assert "dialog" not in opened.text
        with within(5, "the dialog"):  # it opens when the page likes
            while not (told := await agent.call("get_text")).failed:
                pass
        trial.got(told)
        assert told.code == "DIALOG_OPEN", told.text
        assert "alert" in told.text
        assert '"A moment later."' in told.text
        prompt(told, 1)
        other = await agent.well("tab_new", url=trial.site.url("/form"))
        prompt(other, 1)
        prompt(await agent.well("get_text"), 1)
        await agent.well("handle_dialog", action="accept", tabId=asking)
        text = await agent.well("get_text", tabId=asking)
        assert "later closed" in text.value


async def test_dialog_in_call(trial: Trial) -> None:
    """A dialog ends the call that waits in its page, at once."""
    trial.of("14 alert in a call")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/stage"))
        script = "new Promise(() => setTimeout(() => alert('While you wait.'), 50))"
        told = await agent.call("eval", expression=script)
        trial.got(told)
        assert told.code == "DIALOG_OPEN", told.text
        assert '"While you wait."' in told.text
        prompt(told, 1)
        await agent.well("handle_dialog", action="dismiss")
        assert (await agent.well("eval", expression="6 * 7")).value == "42"


async def test_page_asks_to_stay(trial: Trial) -> None:
    """A page that asks before it is left is a dialog like others; accepted, we have gone."""
    trial.of("14 beforeunload")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/dialogs"))
        await agent.well("click", selector="#guard")
        told = await agent.call("navigate", url=trial.site.url("/form"))
        trial.got(told)
        assert told.code == "DIALOG_OPEN", told.text
        assert "beforeunload" in told.text
        prompt(told, 1)
        await agent.well("handle_dialog", action="accept")
        assert (await agent.well("eval", expression="location.pathname")).value == '"/form"'


async def test_tab_closed(trial: Trial) -> None:
    """That somebody closed the current tab is said once, with the others; the next call works."""
    trial.of("15 tab closed by somebody")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        left = trial.tab_of(await agent.well("tabs_list"), "/form")
        await agent.well("tab_new", url=trial.site.url("/stage"))
        await trial.close_page(trial.site.url("/stage"))
        with within(5, "STALE_TAB"):  # somebody else has seen it first
            while not (told := await agent.call("eval", expression="location.pathname")).failed:
                pass
        trial.got(told)
        assert told.code == "STALE_TAB", told.text
        assert f"{left} {trial.site.url('/form')}" in told.text
        again = await agent.well("eval", expression="location.pathname")
        assert again.value == '"/form"'


async def test_tab_closed_in_call(trial: Trial) -> None:
    """A call in a tab that somebody closes ends at once and says so."""
    trial.of("15 tab closed in a call")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        await agent.well("tab_new", url=trial.site.url("/stage"))
        pending = await trial.busy(agent)
        await trial.close_page(trial.site.url("/stage"))
        with within(1, "the error"):
            told = await pending.told()
        trial.got(told)
        assert told.code == "TARGET_GONE", told.text
        assert (await agent.call("get_text")).code == "STALE_TAB"
        assert not (await agent.call("get_text")).failed


async def test_last_tab_closed(trial: Trial) -> None:
    """Without any tab the next call says what to do; going somewhere opens one."""
    trial.of("16 last tab closed by somebody")
    async with trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        await trial.close_page(trial.site.url("/form"))
        with within(5, "STALE_TAB"):
            while not (told := await agent.call("get_text")).failed:
                pass
        trial.got(told)
        assert told.code == "STALE_TAB", told.text
        assert "navigate opens a new one" in told.text
        went = await agent.well("navigate", url=trial.site.url("/stage"))
        prompt(went, 2)
        assert (await agent.well("eval", expression="location.pathname")).value == '"/stage"'
