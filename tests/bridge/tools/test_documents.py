"""Tabs that show no page of a site, played by hand."""

from collections.abc import AsyncIterator

import pytest

from bridge.errors import PageError
from bridge.tools.documents import check_page, remark, shown
from tests.support.played_page import PAGE, SESSION, PlayedPage, open_played_page
from tests.support.scripted_chrome import frame_of, settle

_ERROR = "chrome-error://chromewebdata/"


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab."""
    async with open_played_page() as opened:
        yield opened


async def come(page: PlayedPage, url: str = "https://a.example/x", **told: str) -> None:
    """Another document is there."""
    news = {"frame": {**frame_of(PAGE, url, "L9"), **told}, "type": "Navigation"}
    page.chrome.fake.event("Page.frameNavigated", news, SESSION)
    await settle()


@pytest.mark.parametrize(
    ("mime", "word"),
    [
        ("application/pdf", "a PDF"),
        ("image/png", "an image"),
        ("video/mp4", "a video"),
        ("audio/wav", "a sound"),
    ],
)
async def test_kinds(page: PlayedPage, mime: str, word: str) -> None:
    """What has no text is called what it is, with the tools that serve it."""
    await come(page, mimeType=mime)
    said = remark(page.tab, lambda url: True)
    assert said.startswith(f"The tab shows {word}: ")
    assert "download_file" in said


@pytest.mark.parametrize(
    "mime",
    ["text/html", "text/plain", "application/json", "application/xhtml+xml", "image/svg+xml"],
)
async def test_pages(page: PlayedPage, mime: str) -> None:
    """Of what can be read nothing is said, and it can be acted on."""
    await come(page, mimeType=mime)
    assert remark(page.tab, lambda url: True) == ""
    check_page(page.tab, lambda url: True)


async def test_error_page(page: PlayedPage) -> None:
    """An error page is told with the address that failed, until another document comes."""
    await come(page, _ERROR, unreachableUrl="https://gone.example/a#b")
    words = "Chrome's error page for https://gone.example/a#b"
    assert shown(page.tab, lambda url: True) == words
    assert remark(page.tab, lambda url: True).startswith(f"This is {words}. Next: navigate")
    with pytest.raises(PageError, match="the tab shows Chrome's error page") as caught:
        check_page(page.tab, lambda url: True)
    assert caught.value.code == "NAVIGATION_FAILED"
    await come(page)
    assert remark(page.tab, lambda url: True) == ""
    assert shown(page.tab, lambda url: True) == "https://a.example/x"


async def test_address_that_is_not_shown(page: PlayedPage) -> None:
    """Where the policy does not show the address that failed, no words of it are said."""
    await come(page, _ERROR, unreachableUrl="https://hidden.example/a")
    assert "hidden" not in remark(page.tab, lambda url: "hidden" not in url)


async def test_acting_on_it(page: PlayedPage) -> None:
    """Who acts on an error page hears what it is, and how to go on; it is no matter of policy."""
    await come(page, _ERROR, unreachableUrl="https://gone.example/")
    for name, arguments in (("click", {"selector": "a"}), ("eval", {"expression": "1"})):
        refusal = await page.door.refusal(name, **arguments)
        assert refusal.startswith("NAVIGATION_FAILED: the tab shows Chrome's error page for https")
        assert refusal.endswith("Use navigate, back or reload.")
