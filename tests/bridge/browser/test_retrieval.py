"""Whose downloads are ours."""

from pathlib import Path

from bridge.browser.browser import Browser
from bridge.browser.retrieval import follow_downloads
from bridge.page.downloads import Downloads
from tests.bridge.tools.test_desk import A, B, C, creates
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle


async def _begin(chrome: ScriptedChrome, guid: str, frame: str) -> None:
    told = {"frameId": frame, "guid": guid, "url": "http://a.test/", "suggestedFilename": "x"}
    chrome.fake.event("Browser.downloadWillBegin", told)
    await settle()


async def test_ours(tmp_path: Path) -> None:
    """Downloads of our tabs and of their pop-ups are ours, those of other tabs are not."""
    downloads = Downloads(tmp_path, refusal=lambda url: "", enabled=True, dedicated=False)

    def prepare(browser: Browser) -> None:
        follow_downloads(browser, downloads)

    async with open_scripted(prepare=prepare) as (chrome, browser):
        creates(chrome, A)
        await browser.new_tab()
        chrome.say_page(B)
        chrome.hold.add("Target.attachToTarget")
        chrome.say_page(C, openerId=A)
        await settle()
        await _begin(chrome, "1", A)
        await _begin(chrome, "2", B)
        await _begin(chrome, "3", C)
        await _begin(chrome, "4", "nowhere")
    assert [download.guid for download in downloads.recent] == ["1", "3"]


async def test_alone(tmp_path: Path) -> None:
    """In a browser of our own every download is ours."""
    downloads = Downloads(tmp_path, refusal=lambda url: "", enabled=True, dedicated=True)

    def prepare(browser: Browser) -> None:
        follow_downloads(browser, downloads)

    async with open_scripted(exclusive=True, prepare=prepare) as (chrome, _):
        await _begin(chrome, "1", "anywhere")
    assert len(downloads.recent) == 1
