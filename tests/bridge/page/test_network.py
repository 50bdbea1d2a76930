"""The log of requests: complete, bounded, and honest about what ended."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import trio

from bridge.page.exchange import Exchange
from bridge.page.network import KEEP, KEEP_BYTES, Network
from bridge.session.connection import open_connection
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import frame_of, settle, target_info


@dataclass
class Page:
    """A page whose browser the test plays."""

    chrome: FakeChrome
    network: Network

    def pending(self) -> list[Exchange]:
        """Requests that have not ended, as far as the log knows."""
        return [request for request in self.network if not request.done.is_set()]

    def begin(self, id_: str, url: str = "http://a.test/", session: str = "", **more: Any) -> None:
        """Tell that a request starts."""
        told = {
            "requestId": id_,
            "loaderId": "L1",
            "frameId": "F1",
            "type": "Fetch",
            "timestamp": 1.0,
            "request": {"url": url, "method": "GET", "headers": {}},
        }
        self.chrome.event("Network.requestWillBeSent", {**told, **more}, session)

    def answer(self, id_: str, session: str = "", **response: Any) -> None:
        """Tell of the head of its answer."""
        told = {"requestId": id_, "type": "Fetch", "response": {"status": 200, **response}}
        self.chrome.event("Network.responseReceived", told, session)

    def finish(self, id_: str, session: str = "") -> None:
        """Tell that all of it is there."""
        told = {"requestId": id_, "timestamp": 2.0, "encodedDataLength": 5}
        self.chrome.event("Network.loadingFinished", told, session)

    def navigate(self, loader: str, frame: str = "F1") -> None:
        """Tell that a frame has another document."""
        news = {"frame": frame_of(frame, "http://a.test/", loader), "type": "Navigation"}
        self.chrome.event("Page.frameNavigated", news)


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A page that has asked for nothing yet."""
    chrome = FakeChrome()
    async with open_connection(chrome) as connection:
        yield Page(chrome, Network(connection.root))


async def test_life(page: Page) -> None:
    """A request is in flight until its end, and stays in the log."""
    page.begin("1")
    page.answer("1")
    await settle()
    (request,) = page.pending()
    assert not request.done.is_set()
    page.finish("1")
    await settle()
    assert page.pending() == []
    assert list(page.network) == [request]
    assert (request.number, request.head.status, request.seconds) == (1, 200, 1.0)


async def test_a_failure_stays_one(page: Page) -> None:
    """What failed is not done because Chrome's error page comes in its place, under its id."""
    page.begin("L1")
    failed = {"requestId": "L1", "timestamp": 1.5, "errorText": "net::ERR_BLOCKED_BY_CLIENT"}
    page.chrome.event("Network.loadingFailed", failed)
    page.finish("L1")
    await settle()
    (request,) = page.network
    assert (request.failed, request.received_bytes) == (True, None)


async def test_redirect_is_one_request(page: Page) -> None:
    """A request that is sent elsewhere keeps its number and ends once."""
    page.begin("1", "http://a.test/old")
    page.begin("1", "http://a.test/new", redirectResponse={"status": 302})
    page.finish("1")
    await settle()
    (request,) = page.network
    assert (request.url, request.hops) == ("http://a.test/new", [(302, "http://a.test/old")])


async def test_frame_answered_in_another_process(page: Page) -> None:
    """What one process asks and another gets is one request, and its body is there."""
    info = target_info("T", type="iframe")
    attached = {"sessionId": "C", "targetInfo": info, "waitingForDebugger": False}
    page.chrome.event("Target.attachedToTarget", attached)
    page.begin("1", type="Document")
    page.answer("1")
    page.finish("1", "C")
    await settle()
    (request,) = page.network
    assert request.done.is_set()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.network.body, request)
        asked = await page.chrome.asked("Network.getResponseBody")
        assert (asked.session, asked.params) == ("C", {"requestId": "1"})
        page.chrome.answer(asked, {"body": "x", "base64Encoded": False})


async def test_process_that_has_gone(page: Page) -> None:
    """Requests of frames within a frame end with its process; a document may go on."""
    info = target_info("T", type="iframe")
    attached = {"sessionId": "C", "targetInfo": info, "waitingForDebugger": False}
    page.chrome.event("Target.attachedToTarget", attached)
    page.begin("1")
    page.begin("2", frameId="F3", session="C")
    page.begin("L4", frameId="F4", loaderId="L4", session="C")
    page.chrome.event("Target.detachedFromTarget", {"sessionId": "C"})
    await settle()
    first, second, document = page.network
    assert (second.done.is_set(), second.error) == (True, "the page went elsewhere")
    assert not first.done.is_set()
    assert not document.done.is_set()


async def test_data_is_no_request(page: Page) -> None:
    """Addresses that carry their content are not logged."""
    page.begin("1", "data:text/plain,hello")
    await settle()
    assert list(page.network) == []


async def test_left_behind(page: Page) -> None:
    """Requests of a document end with it, though Chrome never says so; others go on."""
    page.begin("1")
    page.begin("2", frameId="F2")
    page.begin("L2", loaderId="L2", type="Document")
    page.navigate("L2")
    await settle()
    first, second, document = page.network
    assert (first.done.is_set(), first.error) == (True, "the page went elsewhere")
    assert not second.done.is_set()
    assert not document.done.is_set()


async def test_frame_removed(page: Page) -> None:
    """Requests of a frame end with the frame, not when it only changes its process."""
    page.begin("1")
    page.chrome.event("Page.frameDetached", {"frameId": "F1", "reason": "swap"})
    await settle()
    assert len(page.pending()) == 1
    page.chrome.event("Page.frameDetached", {"frameId": "F1", "reason": "remove"})
    await settle()
    assert page.pending() == []


async def test_crash(page: Page) -> None:
    """A crash ends what was in flight."""
    page.begin("1")
    page.chrome.event("Inspector.targetCrashed", {})
    await settle()
    assert page.pending() == []


async def test_socket(page: Page) -> None:
    """A socket is in flight until it is closed, and tells its handshake."""
    page.chrome.event("Network.webSocketCreated", {"requestId": "1", "url": "ws://a.test/"})
    told = {"requestId": "1", "response": {"status": 101}}
    page.chrome.event("Network.webSocketHandshakeResponseReceived", told)
    await settle()
    (socket,) = page.pending()
    assert (socket.kind, socket.url, socket.head.status) == ("WebSocket", "ws://a.test/", 101)
    page.chrome.event("Network.webSocketClosed", {"requestId": "1", "timestamp": 2.0})
    await settle()
    assert page.pending() == []
    assert not socket.failed


async def test_count_is_bounded(page: Page) -> None:
    """The oldest requests leave a full log, also those that never end."""
    for number in range(KEEP + 3):
        page.begin(str(number))
    await settle()
    kept = list(page.network)
    assert (len(kept), kept[0].number, page.network.count) == (KEEP, 4, KEEP + 3)
    assert len(page.pending()) == KEEP


async def test_bytes_are_bounded(page: Page) -> None:
    """Long addresses and headers are bounded by their size."""
    for number in range(30):
        page.begin(str(number), f"http://a.test/{'x' * 1_000_000}")
    await settle()
    assert page.network.size <= KEEP_BYTES
    assert 1 < len(list(page.network)) < 9


async def test_posted(page: Page) -> None:
    """A posted body comes with its event, or is asked for where it was too long."""
    page.begin("1", request={"url": "http://a.test/", "method": "POST", "postData": "a=1"})
    page.begin("2", request={"url": "http://a.test/", "method": "POST", "hasPostData": True})
    page.begin("3")
    await settle()
    short, long, none = page.network
    assert await page.network.posted(short) == "a=1"
    assert await page.network.posted(none) == ""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.network.posted, long)
        asked = await page.chrome.asked("Network.getRequestPostData")
        page.chrome.refuse(asked, -32000, "No post data available")


async def test_unreadable_events(page: Page) -> None:
    """Events about unknown requests, or of no known shape, change nothing."""
    page.finish("nobody")
    page.chrome.event("Network.requestWillBeSent", {"requestId": 7})
    page.begin("1")
    await settle()
    assert [request.id for request in page.network] == ["1"]


async def test_a_document_that_is_saved(page: Page) -> None:
    """What Chrome downloads instead of showing has not failed, though Chrome calls it off."""
    page.begin("L1", "http://a.test/report.csv#top", loaderId="L1", type="Document")
    page.answer("L1")
    told = {"frameId": "F1", "guid": "1", "suggestedFilename": "report.csv"}
    page.chrome.event("Page.downloadWillBegin", {**told, "url": "http://a.test/report.csv"})
    failed = {"requestId": "L1", "timestamp": 1.5, "errorText": "net::ERR_ABORTED"}
    page.chrome.event("Network.loadingFailed", failed)
    await settle()
    (request,) = page.network
    assert (request.saved, request.failed, request.error) == (True, False, "")
