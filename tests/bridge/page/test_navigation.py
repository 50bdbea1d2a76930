"""How far a navigation has come, told event by event."""

from typing import Any

import pytest

from bridge import cdp
from bridge.cdp.base import Event
from bridge.page.navigation import Journey, WaitUntil, _failed, _reason
from tests.support.scripted_chrome import frame_of

M = cdp.page.FrameId("M")


def started(loader: str, kind: str = "differentDocument", frame: str = "M") -> Event:
    return cdp.page.FrameStartedNavigating(
        frame_id=cdp.page.FrameId(frame),
        url="",
        loader_id=cdp.network.LoaderId(loader),
        navigation_type=kind,
    )


def committed(loader: str, frame: str = "M") -> Event:
    return cdp.page.FrameNavigated.read(
        _json({"frame": frame_of(frame, "https://m/", loader), "type": "Navigation"})
    )


def reached(loader: str, name: str, frame: str = "M") -> Event:
    return cdp.page.LifecycleEvent.read(
        _json({"frameId": frame, "loaderId": loader, "name": name, "timestamp": 1.0})
    )


def stopped(frame: str = "M") -> Event:
    return cdp.page.FrameStoppedLoading(frame_id=cdp.page.FrameId(frame))


def _json(value: dict[str, Any]) -> bytes:
    import msgspec

    return msgspec.json.encode(value)


def arrives(loader: str | None, until: WaitUntil, *events: Event) -> bool:
    journey = Journey("M", loader, until)
    for event in events:
        journey.see(event)
    return journey.arrived


@pytest.mark.parametrize(
    ("until", "name"),
    [("commit", "init"), ("domcontentloaded", "DOMContentLoaded"), ("load", "load")],
)
def test_milestones(until: WaitUntil, name: str) -> None:
    """Each milestone is reached with its own event and not before."""
    on_the_way = [started("1"), committed("1"), reached("1", "networkIdle")]
    assert not arrives("1", until, *on_the_way)
    assert arrives("1", until, *on_the_way, reached("1", name))


def test_rest() -> None:
    """A page rests when its own network does, whatever the one before it did."""
    journey = Journey("M", "1", "networkidle")
    for event in (started("1"), reached("0", "networkIdle"), committed("1"), reached("1", "load")):
        journey.see(event)
        assert not journey.rested
    journey.see(reached("1", "networkIdle"))
    assert (journey.arrived, journey.rested) == (True, True)
    journey.see(started("2"))
    assert (journey.arrived, journey.rested) == (False, False)


def test_what_was_there_before() -> None:
    """The end of the page that was there does not count for the one that comes."""
    old = [reached("0", "load"), committed("0"), stopped(), reached("0", "load")]
    assert not arrives("1", "load", *old, started("1"), reached("0", "load"))


def test_other_frames() -> None:
    """What frames inside the page reach does not count."""
    assert not arrives(
        "1", "load", started("1"), committed("1"), reached("1", "load", "A"), stopped("A")
    )


def test_sent_on() -> None:
    """A page that is replaced while it loads is followed, though its own load comes later."""
    first = [started("1"), committed("1"), started("2"), reached("1", "load")]
    assert not arrives("1", "load", *first)
    assert arrives("1", "load", *first, committed("2"), reached("2", "load"))


def test_sent_on_after_arrival() -> None:
    """An arrival is taken back when the page goes elsewhere at once, but not for a fragment."""
    there = [started("1"), committed("1"), reached("1", "load")]
    assert not arrives("1", "load", *there, started("2"))
    assert arrives("1", "load", *there, started("2", "sameDocument"))
    assert arrives("1", "load", *there, started("2", "historySameDocument"))


def test_cut_off() -> None:
    """When nothing loads any more, that is the end, complete or not."""
    assert arrives("1", "load", started("1"), committed("1"), stopped())
    assert not arrives("1", "load", started("1"), stopped())


def test_sent_on_into_nothing() -> None:
    """Sent on to an address without a page, the first page is where we are."""
    assert arrives("1", "load", started("1"), committed("1"), started("2"), stopped())


def test_any_loader() -> None:
    """A reload does not know its loader: the first navigation that begins is meant."""
    assert arrives(None, "load", started("7", "reload"), committed("7"), reached("7", "load"))
    assert not arrives(None, "load", reached("6", "load"))


@pytest.mark.parametrize(
    ("url", "chromes", "status", "says"),
    [
        (" JavaScript:1", "net::ERR_ABORTED", None, "it is a script"),
        ("https://a/", "net::ERR_ABORTED", 204, "no page at this address"),
        ("https://a/", "net::ERR_FAILED", None, "net::ERR_FAILED"),
        ("https://a/", "net::ERR_HTTP_RESPONSE_CODE_FAILURE", 404, "the server answered 404"),
        ("https://a/", "net::ERR_HTTP_RESPONSE_CODE_FAILURE", None, "_FAILURE"),
    ],
)
def test_reasons(url: str, chromes: str, status: int | None, says: str) -> None:
    """Chrome's reasons stand, except where they say nothing."""
    assert says in _reason(url, chromes, status)


def test_long_address_that_failed() -> None:
    """An address that is cut says so, for by that the rest of a secret in it is known."""
    url = f"https://a.example/{'x' * 9_000}"
    assert _failed(url, "why").message == f"{url[:499]}… could not be opened: why"
