"""What is asked of the browser about a site's memory."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio

from bridge.errors import PageError, UsageError
from bridge.page.frames import Frames
from bridge.page.storage import NewCookie, Storage
from bridge.session.connection import open_connection
from tests.support.calling import call_in
from tests.support.fake_chrome import FakeChrome


@pytest.fixture
def chrome() -> FakeChrome:
    """The browser's side."""
    return FakeChrome()


@pytest.fixture
async def storage(chrome: FakeChrome) -> AsyncIterator[Storage]:
    """Of a page at https://a.test:8443/."""
    async with open_connection(chrome) as connection:
        frames = Frames(connection.root, "F")
        frames.main.url = "https://me@a.test:8443/path?q"
        yield Storage(connection.root, frames)


def _cookie(domain: str, name: str = "c") -> dict[str, Any]:
    told = {"name": name, "value": "v", "domain": domain, "path": "/", "expires": -1, "size": 2}
    told |= {"httpOnly": True, "secure": False, "session": True, "priority": "Medium"}
    return {**told, "sourceScheme": "Secure", "sourcePort": 443}


async def test_below_a_domain(chrome: FakeChrome, storage: Storage) -> None:
    """Cookies of a domain are its own and those of hosts below it, not of look-alikes."""
    domains = ["a.test", ".a.test", "b.a.test", "eva.test", "a.test.evil"]
    async with trio.open_nursery() as nursery:
        asking = call_in(nursery, lambda: storage.cookies_below(".A.test"))
        asked = await chrome.asked("Storage.getCookies")
        chrome.answer(asked, {"cookies": [_cookie(domain) for domain in domains]})
        found = await asking.result()
    assert [cookie.domain for cookie in found] == domains[:3]


async def test_cookie_that_chrome_drops(chrome: FakeChrome, storage: Storage) -> None:
    """A cookie that Chrome silently does not keep is no success."""
    new = NewCookie(name="x", value="v", url="https://a.test/", same_site="None")
    async with trio.open_nursery() as nursery:
        setting = call_in(nursery, lambda: storage.set_cookie(new))
        chrome.answer(await chrome.asked("Network.setCookie"), {"success": True})
        chrome.answer(await chrome.asked("Storage.getCookies"), {"cookies": [_cookie("a.test")]})
        error = await setting.error()
    assert isinstance(error, UsageError)
    assert "was not kept" in error.message


async def test_cookie_that_chrome_refuses(chrome: FakeChrome, storage: Storage) -> None:
    """Chrome's refusal is the caller's to mend."""
    new = NewCookie(name="a;b", value="v", url="https://a.test/")
    async with trio.open_nursery() as nursery:
        setting = call_in(nursery, lambda: storage.set_cookie(new))
        chrome.refuse(await chrome.asked(), -32602, "Sanitizing cookie failed")
        error = await setting.error()
    assert (error.code, "Sanitizing" in error.message) == ("BAD_ARGS", True)


@pytest.mark.parametrize(("area", "local"), [("local", True), ("session", False)])
async def test_origin(chrome: FakeChrome, storage: Storage, area: Any, local: bool) -> None:
    """Storage is that of the page's origin, port included and user left out."""
    async with trio.open_nursery() as nursery:
        asking = call_in(nursery, lambda: storage.items(area))
        asked = await chrome.asked("DOMStorage.getDOMStorageItems")
        assert asked.params["storageId"] == {
            "securityOrigin": "https://a.test:8443",
            "isLocalStorage": local,
        }
        chrome.answer(asked, {"entries": [["k", "v"]]})
        assert await asking.result() == {"k": "v"}


async def test_no_storage(chrome: FakeChrome, storage: Storage) -> None:
    """A page without storage, or a full one, is the page's failure."""
    async with trio.open_nursery() as nursery:
        setting = call_in(nursery, lambda: storage.set_item("local", "k", "v"))
        chrome.refuse(await chrome.asked(), -32000, "Frame not found for the given storage id")
        error = await setting.error()
    assert isinstance(error, PageError)
