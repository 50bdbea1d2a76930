"""A tab is a table of contents."""

from tests.support.scripted_chrome import open_scripted, settle

A = "A" * 32


async def test_shows_what_its_services_know() -> None:
    """Address and crash of a tab are those of its frames and its session."""
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "https://a.example/")
        chrome.say_page("B" * 32, "https://b.example/")
        await settle()
        tab = await browser.take_over("taaaaaaaa")
        assert (tab.url, tab.crashed, repr(tab)) == (
            "about:blank",
            False,
            "<Tab taaaaaaaa about:blank>",
        )
        chrome.fake.event("Inspector.targetCrashed", {}, f"S-{A}")
        await settle()
        assert tab.crashed
        chrome.answers["Target.activateTarget"] = lambda _: {}
        await tab.bring_to_front()
        assert chrome.methods()[-1] == "Target.activateTarget"
        await tab.close()
        assert browser.tabs == []
