"""Clients of one server, each told where another was at work."""

from bridge.tools.company import Company
from tests.bridge.tools.test_desk import A, B, creates
from tests.support.door import Client, open_door
from tests.support.scripted_chrome import open_scripted

_ONE, _OTHER = Client(id="one"), Client(id="other")
_MET = "Note: another client of this server was the last to work in"


async def test_alone() -> None:
    """Who is alone, or was the last one there, is told nothing."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A, B)
        tab = await browser.new_tab()
        company = Company()
        assert [company.come("one", tab, acts=acts) for acts in (True, False, True)] == ["", "", ""]


async def test_another() -> None:
    """Another one's work is told once; looking at a page is no work."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A, B)
        tab, beside = await browser.new_tab(), await browser.new_tab()
        company = Company()
        company.come("one", tab, acts=True)
        assert company.come("other", tab, acts=False).startswith(f"{_MET} {tab.id}.")
        assert company.come("other", tab, acts=False) == ""
        assert company.come("one", tab, acts=True) == ""
        assert company.come("other", tab, acts=True).startswith(_MET)
        assert company.come("one", tab, acts=False).startswith(_MET)
        assert company.come("one", beside, acts=False) == ""


async def test_thousands_of_clients() -> None:
    """What is remembered of a tab is bounded."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        tab = await browser.new_tab()
        company = Company()
        for number in range(3_000):
            company.come(str(number), tab, acts=False)
        assert len(company._visits[tab].seen) == 1_000


async def test_through_the_door() -> None:
    """A tab that another client has made the current one is told as that, once."""
    async with open_scripted() as (chrome, browser), open_door(browser) as door:
        creates(chrome, A, B)
        await door.call("tab_new", by=_ONE)
        told = [
            await door.call("console_messages", by=_ONE),
            await door.call("tab_new", by=_OTHER, active=False),
            await door.call("tab_select", by=_OTHER, tabId="tbbbbbbbb"),
            await door.call("console_messages", by=_OTHER),
        ]
        assert not any(_MET in answer.text for answer in told)
        met = (await door.call("console_messages", by=_ONE)).text
        assert met.startswith(f"{_MET} tbbbbbbbb. tab_new opens a tab of your own;")
        assert _MET not in (await door.call("console_messages", by=_ONE)).text
