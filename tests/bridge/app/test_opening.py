"""`open` hands its tab to the person: nothing of it is closed behind their back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from bridge.app import opening
from bridge.errors import LaunchError, UsageError
from bridge.page.navigation import Arrival
from bridge.timeouts import Timeouts
from launcher.chrome import Chrome
from launcher.options import LaunchOptions


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("https://a.test/x", "https://a.test/x"),
        (" example.com/login ", "https://example.com/login"),
        ("example.com:8443", "https://example.com:8443"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1/x", "http://127.0.0.1/x"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("localhost.example.com", "https://localhost.example.com"),
        ("about:blank", "about:blank"),
        ("chrome://version", "chrome://version"),
        ("file:///tmp/x.html", "file:///tmp/x.html"),
    ],
)
def test_what_a_person_types(typed: str, meant: str) -> None:
    """A scheme that was left out is https, and http on this machine."""
    assert opening.full_address(typed) == meant


@pytest.mark.parametrize("typed", ["", " ", "two words", "https://", "http://a b/"])
def test_no_address(typed: str) -> None:
    """What is no address is refused before a browser is looked for."""
    with pytest.raises(UsageError, match="is not an address"):
        opening.full_address(typed)


class Session:
    """A browser that only remembers what it was asked."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome
        self.asked: dict[str, Any] = {}
        self.connection = SimpleNamespace(ended=trio.Event())

    @asynccontextmanager
    async def open(
        self, options: LaunchOptions, timeouts: Timeouts, *, close_tabs: bool
    ) -> AsyncIterator[tuple[Chrome, "Session"]]:
        self.asked["close_tabs"] = close_tabs
        yield self.chrome, self

    async def new_tab(self, **wishes: object) -> Any:
        self.asked |= wishes

        async def navigate(url: str) -> Arrival:
            return Arrival(url, "Title", 200)

        return SimpleNamespace(id="t12345678", navigate=navigate)


async def opened(chrome: Chrome, monkeypatch: pytest.MonkeyPatch) -> Session:
    session = Session(chrome)
    monkeypatch.setattr(opening, "open_session", session.open)
    told: list[opening.Opened] = []
    with trio.move_on_after(5):
        options = LaunchOptions(headless=chrome.headless or None)
        await opening.open_url(options, "http://x/", told.append, timeouts=Timeouts())
        session.asked["returned"] = True
    assert [one.title for one in told] == ["Title"]
    return session


async def test_window(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a window the command returns and leaves the tab, in front."""
    session = await opened(Chrome(ownership="launched", headless=False), monkeypatch)
    assert session.asked == {
        "close_tabs": False,
        "background": False,
        "keep": True,
        "returned": True,
    }


async def test_headless(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A headless browser of ours is held until somebody ends us."""
    session = await opened(Chrome(ownership="launched", headless=True), monkeypatch)
    assert "returned" not in session.asked


async def test_borrowed(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's browser needs nobody to hold it."""
    session = await opened(Chrome(ownership="attached", headless=True), monkeypatch)
    assert session.asked["returned"]


async def test_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants a window is not shown one of ours that has none: they would wait for it."""
    session = Session(Chrome(ownership="launched", headless=True))
    monkeypatch.setattr(opening, "open_session", session.open)
    with pytest.raises(LaunchError, match="runs headless already"):
        await opening.open_url(LaunchOptions(), "http://x/", print, timeouts=Timeouts())
    assert "background" not in session.asked


async def test_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one that was started without a window for want of a display."""
    started: Any = object()
    session = Session(Chrome(ownership="launched", headless=True, errand=started))
    monkeypatch.setattr(opening, "open_session", session.open)
    with pytest.raises(LaunchError, match="has no display") as failed:
        await opening.open_url(LaunchOptions(), "http://x/", print, timeouts=Timeouts())
    assert failed.value.code == "LAUNCH_FAILED"
    assert "background" not in session.asked
