"""What is asked of a request, read from the events it was told with."""

import json
from typing import Any

import msgspec
import pytest

from bridge.page.exchange import TYPES, Began, Exchange, Named, read
from bridge.session.connection import Connection
from bridge.timeouts import Timeouts
from tests.support.fake_chrome import FakeChrome


def _raw(**fields: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(fields).encode())


@pytest.fixture
async def request_() -> Exchange:
    """A request that has only begun."""
    session = Connection(FakeChrome(), Timeouts()).root
    begun = _raw(timestamp=10.0, request={"url": "http://a.test/", "headers": {"A": "wanted"}})
    return Exchange(1, "R", session, "http://a.test/", "GET", "Fetch", begun=begun)


async def test_begun(request_: Exchange) -> None:
    """A request without an answer has no status, no length and no failure."""
    assert (request_.kind, request_.head.status, request_.error) == ("Fetch", 0, "")
    assert (request_.seconds, request_.received_bytes, request_.failed) == (None, None, False)
    assert request_.request_headers == {"A": "wanted"}


async def test_answered(request_: Exchange) -> None:
    """An answer tells status, kind, time and length."""
    request_.answered = _raw(type="Preflight", response={"status": 204, "headers": {"b": "1"}})
    request_.ended = _raw(timestamp=10.5, encodedDataLength=123.0)
    assert (request_.kind, request_.head.status) == ("Preflight", 204)
    assert (request_.seconds, request_.received_bytes) == (0.5, 123)
    assert request_.response_headers == {"b": "1"}
    assert not request_.failed


@pytest.mark.parametrize(
    ("ended", "error"),
    [
        ({"errorText": "net::ERR_FAILED"}, "net::ERR_FAILED"),
        ({"errorText": "net::ERR_X", "blockedReason": "csp"}, "net::ERR_X (csp)"),
        ({"errorMessage": "handshake refused"}, "handshake refused"),
    ],
)
async def test_failure(request_: Exchange, ended: dict[str, str], error: str) -> None:
    """A failure gives Chrome's reason, of sockets too."""
    request_.ended = _raw(timestamp=11.0, **ended)
    assert request_.error == error
    assert request_.failed


async def test_bad_status(request_: Exchange) -> None:
    """An answer that says no has failed, though nothing went wrong on the way."""
    request_.answered = _raw(type="Fetch", response={"status": 404})
    assert (request_.failed, request_.error) == (True, "")


async def test_hops(request_: Exchange) -> None:
    """Redirects are told with the status that ordered them, and time counts from the first."""
    request_.earlier = [_raw(timestamp=5.0, request={"url": "http://a.test/old"})]
    request_.begun = _raw(
        timestamp=6.0, request={"url": "http://a.test/"}, redirectResponse={"status": 301}
    )
    request_.ended = _raw(timestamp=7.0)
    assert request_.hops == [(301, "http://a.test/old")]
    assert request_.seconds == 2.0


async def test_real_headers_win(request_: Exchange) -> None:
    """Headers as they were on the wire come before what the page had asked for."""
    request_.sent = _raw(headers={"Cookie": "x"})
    request_.received = _raw(headers={"set-cookie": "y"})
    assert request_.request_headers == {"Cookie": "x"}
    assert request_.response_headers == {"set-cookie": "y"}


def test_unreadable() -> None:
    """Another shape reads as if nothing had been told."""
    assert read(Named, msgspec.Raw(b"[]")).id == ""
    assert read(Began, _raw(requestId=5)).id == ""


def test_types() -> None:
    """There are nineteen kinds."""
    assert len(TYPES) == len(set(TYPES)) == 19


async def test_who_asked(request_: Exchange) -> None:
    """A request tells the document it is of, and the script or markup that asked."""
    assert (request_.document, request_.asker) == ("", "")
    request_.begun = _raw(documentURL="http://a.test/d", initiator={"url": "http://a.test/m"})
    assert (request_.document, request_.asker) == ("http://a.test/d", "http://a.test/m")
    stack = {"callFrames": [{"url": "http://a.test/s"}]}
    request_.begun = _raw(documentURL="http://a.test/d", initiator={"stack": stack})
    assert request_.asker == "http://a.test/s"
    request_.loader_id = request_.id
    assert request_.document == ""
