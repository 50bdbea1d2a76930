"""The tab a browser comes with, where it is not closed as others are."""

from collections.abc import Callable

import pytest
import trio

from bridge.errors import PageError
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import open_scripted, settle

A, B, C = "A" * 32, "B" * 32, "C" * 32


def _unreachable(target: str) -> Callable[[Asked], dict[str, str]]:
    return lambda _: {"frameId": target, "errorText": "net::ERR_NAME_NOT_RESOLVED"}


async def test_goes_blank() -> None:
    """Without a tab a window quits: one whose first address failed waits for the next, blank."""
    async with open_scripted(exclusive=True, fresh=True) as (chrome, browser):
        chrome.answers["Page.navigate"] = _unreachable(A)
        chrome.attach_page(A)
        with pytest.raises(PageError):
            await browser.new_tab("https://nowhere.example/")
        await settle()
        asked = [each for each in chrome.seen if each.method == "Page.navigate"]
        assert asked[-1].params == {"url": "about:blank"}
        assert (await browser.new_tab()).target_id == A
        assert not {"Target.closeTarget", "Target.createTarget"} & {*chrome.methods()}


async def test_another_is_closed() -> None:
    """A tab that we had made is closed where its first address fails, also the only one."""
    async with open_scripted() as (chrome, browser):

        def create(_: Asked) -> dict[str, str]:
            chrome.say_page(A)
            return {"targetId": A}

        chrome.answers["Page.navigate"] = _unreachable(A)
        chrome.answers["Target.createTarget"] = create
        with pytest.raises(PageError):
            await browser.new_tab("https://nowhere.example/")
        await settle()
        assert "Target.closeTarget" in chrome.methods()


async def test_closed_beside_others() -> None:
    """Where there is another tab by then, it is closed as well."""
    async with open_scripted(exclusive=True, fresh=True) as (chrome, browser):

        def open_other(_: Asked) -> dict[str, str]:
            chrome.say_page(B, "https://other.example/")
            return _unreachable(A)(_)

        chrome.answers["Page.navigate"] = open_other
        chrome.attach_page(A)
        with pytest.raises(PageError):
            await browser.new_tab("https://nowhere.example/")
        await settle()
        assert "Target.closeTarget" in chrome.methods()


async def test_closed_at_once() -> None:
    """Of two tabs that are closed at the same time neither is left, so a blank one stands in."""
    async with open_scripted(exclusive=True, fresh=True) as (chrome, browser):
        chrome.hold.add("Target.closeTarget")
        chrome.answers["Target.createTarget"] = lambda _: {"targetId": C}
        for each in (A, B):
            chrome.attach_page(each)
        await settle()
        tabs = [await browser.take_over(each) for each in ("taaaaaaaa", "tbbbbbbbb")]
        async with trio.open_nursery() as nursery:
            for tab in tabs:
                nursery.start_soon(browser.close_tab, tab)
            await settle()
            assert chrome.methods().count("Target.createTarget") == 1
            for asked in chrome.held:
                chrome.fake.event("Target.targetDestroyed", {"targetId": asked.params["targetId"]})
                chrome.fake.answer(asked)
        assert browser.spare.waits
