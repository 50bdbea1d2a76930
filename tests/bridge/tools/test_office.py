"""Desks of the clients of one server."""

from types import SimpleNamespace
from typing import cast

from bridge.browser.choice import Choice
from bridge.timeouts import Timeouts
from bridge.tools.desk import Desk
from bridge.tools.office import Office
from bridge.tools.premises import Premises


def _office() -> tuple[Office, list[str]]:
    """An office, and whom it furnished a desk for."""
    choice, premises, furnished = cast(Choice, SimpleNamespace(live=None)), Premises(), list[str]()

    def furnish(client: str) -> Desk:
        furnished.append(client)
        return Desk(choice, Timeouts(), premises, client)

    return Office(choice, furnish), furnished


def test_own() -> None:
    """A client has the same desk at each call, and no other client has it."""
    office, furnished = _office()
    assert office.desk("one") is office.desk("one")
    assert office.desk("other") is not office.desk("one")
    assert furnished == ["one", "other"]


async def test_gone() -> None:
    """Who has gone and comes back begins anew."""
    office, furnished = _office()
    office.desk("one").labels["mine"] = "t1"
    await office.leave("one")
    assert office.desk("one").labels == {}
    assert furnished == ["one", "one"]


def test_many() -> None:
    """Desks are bounded: the one that was not needed for longest goes first."""
    office, furnished = _office()
    for number in range(1_000):
        office.desk(str(number))
    office.desk("0")
    office.desk("new")
    assert office.desk("0") is office.desk("0")
    assert len(furnished) == 1_001
    office.desk("1")
    assert furnished[-1] == "1"
