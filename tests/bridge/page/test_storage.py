"""What is asked of the browser about a site's memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from bridge.errors import UsageError
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frames
from bridge.page.storage import NewCookie, Storage
from bridge.page.worlds import Worlds
from bridge.session.connection import open_connection
from tests.support.calling import call_in
from tests.support.fake_chrome import FakeChrome


class OverExtension(FakeChrome):
    """The same, reached through the extension."""

    kind = "extension"


@pytest.fixture
def chrome() -> FakeChrome:
    """The browser's side."""
    return FakeChrome()


@pytest.fixture
async def storage(chrome: FakeChrome) -> AsyncIterator[Storage]:
    """Of a page at https://a.test:8443/."""
    async with open_storage(chrome) as opened:
        yield opened


@asynccontextmanager
async def open_storage(chrome: FakeChrome) -> AsyncIterator[Storage]:
    """Of a page at https://a.test:8443/."""
    async with open_connection(chrome) as connection:
        frames = Frames(connection.root, "F")
        frames.main.url = "https://me@a.test:8443/path?q"
        worlds = Worlds(frames, Dialogs(connection.root))
        yield Storage(connection.root, frames, worlds)


def _cookie(domain: str, name: str = "c") -> dict[str, Any]:
    told = {"name": name, "value": "v", "domain": domain, "path": "/", "expires": -1, "size": 2}
    told |= {"httpOnly": True, "secure": False, "session": True, "priority": "Medium"}
    return {**told, "sourceScheme": "Secure", "sourcePort": 443}


async def test_below_a_domain(chrome: FakeChrome, storage: Storage) -> None:
    """Cookies of a domain are its own and those of hosts below it, not of look-alikes."""
    domains = ["a.test", ".a.test", "b.a.test", "eva.test", "a.test.evil"]
    async with trio.open_nursery() as nursery:
        asking = call_in(nursery, lambda: storage.cookies_below(".A.test"))
        asked = await chrome.asked("Network.getAllCookies")
        chrome.answer(asked, {"cookies": [_cookie(domain) for domain in domains]})
        found = await asking.result()
    assert [cookie.domain for cookie in found] == domains[:3]


@pytest.mark.parametrize(
    "new",
    [
        NewCookie(name="x", value="v", url="https://a.test/", same_site="None"),
        NewCookie(name="x", value="v", url="https://a.test/", same_site="None", expires=4e9),
        NewCookie(name="c", value="another", url="https://a.test/", same_site="None"),
    ],
)
async def test_cookie_that_chrome_drops(
    chrome: FakeChrome, storage: Storage, new: NewCookie
) -> None:
    """A cookie that Chrome silently does not keep is no success, whatever was there before."""
    async with trio.open_nursery() as nursery:
        setting = call_in(nursery, lambda: storage.set_cookie(new))
        chrome.answer(await chrome.asked("Network.setCookie"), {"success": True})
        chrome.answer(await chrome.asked("Network.getAllCookies"), {"cookies": [_cookie("a.test")]})
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


async def test_over_the_extension() -> None:
    """Where nobody may ask for all cookies, those of named addresses are, and it can be told."""
    chrome = OverExtension()
    async with open_storage(chrome) as storage, trio.open_nursery() as nursery:
        urls = ["https://a.test/", "https://a.test:8443/path?q"]
        assert storage.looked_at(".A.test") == urls
        asking = call_in(nursery, lambda: storage.cookies_below(".A.test"))
        asked = await chrome.asked("Network.getCookies")
        assert asked.params == {"urls": urls}
        chrome.answer(asked, {"cookies": [_cookie("b.a.test"), _cookie("eva.test")]})
        assert [cookie.domain for cookie in await asking.result()] == ["b.a.test"]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({}, "https://a.test:80/p"),
        ({"path": "/q"}, "https://a.test:80/q"),
        ({"domain": ".b.test"}, "https://b.test/"),
    ],
)
async def test_looking_for_a_new_one(given: dict[str, str], place: str) -> None:
    """Whether a cookie was kept is asked of an address it is sent to, secure ones included."""
    chrome = OverExtension()
    async with open_storage(chrome) as storage, trio.open_nursery() as nursery:
        new = NewCookie(name="c", value="v", url="http://a.test/p", **given)  # type: ignore[arg-type]
        setting = call_in(nursery, lambda: storage.set_cookie(new))
        chrome.answer(await chrome.asked("Network.setCookie"), {"success": True})
        asked = await chrome.asked("Network.getCookies")
        assert asked.params == {"urls": [place]}
        chrome.answer(asked, {"cookies": [_cookie("a.test")]})
        await setting.result()
