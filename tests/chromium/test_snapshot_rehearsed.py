"""A page that was prepared to be read: nothing of the short walk beforehand shows afterwards."""

import pytest

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from tests.support.readings import markup

pytestmark = pytest.mark.chromium

CLOSED = (
    "<button>One</button><div id=d></div>"
    "<script>d.attachShadow({mode: 'closed'}).innerHTML = '<button>Two</button>'</script>"
)


async def _rehearse(tab: Tab) -> None:
    """Prepare it, and let it come to that: a timer of the page comes behind ours."""
    await tab.worlds.warm(tab.frames.main)
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 1))")


async def test_refs(browser: Browser) -> None:
    """Refs begin with the first number, and in the next document where those of the last ended."""
    tab = await browser.new_tab(markup("<button>One</button><button>Two</button>"))
    for first, second in ((1, 2), (3, 4)):
        await _rehearse(tab)
        assert (await tab.snapshots.take()).text.split("\n") == [
            f'- button "One" [ref=e{first}]',
            f'- button "Two" [ref=e{second}]',
        ]
        await tab.reload()


async def test_closed_root(browser: Browser) -> None:
    """A closed shadow root is found by the first reading."""
    tab = await browser.new_tab(markup(CLOSED))
    await _rehearse(tab)
    assert '- button "Two"' in (await tab.snapshots.take()).text


@pytest.mark.parametrize("count", [500, 2500])
async def test_longer_page(browser: Browser, count: int) -> None:
    """A page of more elements than are walked beforehand is read whole."""
    buttons = "".join(f"<button>{number}</button>" for number in range(count))
    tab = await browser.new_tab(markup(buttons))
    await _rehearse(tab)
    lines = (await tab.snapshots.take(max_bytes=0)).text.split("\n")
    assert len(lines) == count
    assert lines[-1] == f'- button "{count - 1}" [ref=e{count}]'


async def test_asked_at_once(browser: Browser) -> None:
    """Whoever reads before it came to that gets the same; what comes later changes nothing."""
    tab = await browser.new_tab(markup(CLOSED))
    await tab.worlds.warm(tab.frames.main)
    first = (await tab.snapshots.take()).text
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 1))")
    assert (await tab.snapshots.take()).text == first
    assert '- button "One" [ref=e1]' in first


async def test_odd_element(browser: Browser) -> None:
    """What is called like a list and is a part of a drawing is read, and no error of the page."""
    tab = await browser.new_tab(markup("<p>Above</p><svg><select tabindex=0></select></svg>"))
    await _rehearse(tab)
    assert "- text: Above" in (await tab.snapshots.take()).text
    assert list(tab.console.said()) == []
