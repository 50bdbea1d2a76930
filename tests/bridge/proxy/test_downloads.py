"""What guests want of downloads, together, and whose each download is."""

from dataclasses import dataclass

import pytest

from bridge.proxy.downloads import BEGINS, Downloads, wanted
from bridge.proxy.words import Message, raw


@dataclass
class Wish:
    """A guest, as far as it matters here."""

    downloads: str | None = None
    download_events: bool = False


@pytest.mark.parametrize(
    ("wishes", "behavior", "events"),
    [
        ([], "default", False),
        ([Wish()], "default", False),
        ([Wish("default", True), Wish("deny")], "deny", True),
        ([Wish("deny"), Wish("default")], "deny", False),
    ],
)
def test_together(wishes: list[Wish], behavior: str, events: bool) -> None:
    """One no outweighs every other answer, and events are wanted if anybody wants them."""
    assert wanted(wishes) == {"behavior": behavior, "eventsEnabled": events}


def test_whose() -> None:
    """A download is its guest's until it is over, or the guest has gone."""
    downloads = Downloads[str]()
    downloads.begin(Message(method=BEGINS, params=raw({"guid": "1"})), "A")
    downloads.begin(Message(method=BEGINS, params=raw({"guid": 1})), "B")
    going = Message(params=raw({"guid": "1", "state": "inProgress"}))
    over = Message(params=raw({"guid": "1", "state": "completed"}))
    assert [downloads.whose(each) for each in (going, over, going)] == ["A", "A", None]
    guest = "C"
    downloads.begin(Message(method=BEGINS, params=raw({"guid": "2"})), guest)
    downloads.forget(guest)
    assert downloads.whose(Message(params=raw({"guid": "2"}))) is None


def test_bounded() -> None:
    """Those that are never over push the oldest out."""
    downloads = Downloads[str]()
    for each in range(1001):
        downloads.begin(Message(params=raw({"guid": str(each)})), "A")
    assert downloads.whose(Message(params=raw({"guid": "0"}))) is None
    assert downloads.whose(Message(params=raw({"guid": "1"}))) == "A"
