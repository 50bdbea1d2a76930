"""Our script in the frames of a page: sent to each, or taken from the one around it."""

import pytest

from bridge.browser.browser import Browser
from bridge.page.frames import Frame
from bridge.page.worlds import Worlds
from fixtures.site import Site
from tests.support.readings import markup

pytestmark = [pytest.mark.chromium, pytest.mark.contract]

_STRICT = "default-src 'none'; frame-src *; require-trusted-types-for 'script'; trusted-types"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses of the frames that the script was sent to."""
    to: list[str] = []
    send = Worlds._sent

    async def noted(self: Worlds, frame: Frame) -> object:
        to.append(frame.url)
        return await send(self, frame)

    monkeypatch.setattr(Worlds, "_sent", noted)
    return to


async def test_taken_from_the_page(browser: Browser, sent: list[str]) -> None:
    """Frames of the page's own origin take it, also where the page lets no script be made."""
    inner = "<iframe srcdoc='<button>Inner</button>'></iframe>"
    tab = await browser.new_tab(
        markup(
            f'<meta http-equiv="content-security-policy" content="{_STRICT}">'
            f'<button>Page</button><iframe srcdoc="<button>Outer</button>{inner}"></iframe>'
        )
    )
    text = (await tab.snapshots.take()).text
    assert all(f'button "{name}"' in text for name in ("Page", "Outer", "Inner"))
    assert sent == [tab.url]


async def test_not_to_be_taken(browser: Browser, site: Site, sent: list[str]) -> None:
    """A frame of an origin of its own is sent the script, as that of another site is."""
    tab = await browser.new_tab(
        markup(
            "<iframe sandbox srcdoc='<button>Apart</button>'></iframe>"
            f"<iframe src='{site.other('/iframe-text')}'></iframe>"
        )
    )
    text = (await tab.snapshots.take()).text
    assert 'button "Apart"' in text
    assert sorted(sent) == sorted({tab.url, *(frame.url for frame in tab.frames)})


async def test_nothing_stands_in_for_it(browser: Browser, sent: list[str]) -> None:
    """No script that the page names like ours is run in our world: not by elements or scripts."""
    tab = await browser.new_tab(
        markup(
            "<a id='chrome-bridge' name='library' href='javascript:document.title=1'>x</a>"
            "<script>window[Symbol.for('chrome-bridge')] = () => { throw new Error('taken') };"
            "Function.prototype.toString = () => '() => { throw new Error(1) }'</script>"
            "<iframe srcdoc='<button>Inner</button>'></iframe>"
        )
    )
    assert 'button "Inner"' in (await tab.snapshots.take()).text
    assert sent == [tab.url]
    assert await tab.evaluate("document.title") != "1"
