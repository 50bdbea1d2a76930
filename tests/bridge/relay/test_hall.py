"""Who waits to be known, and who has to go."""

from contextlib import ExitStack

import trio
from trio.testing import MockClock

from bridge.relay.hall import MOST, Hall, Refusals


async def test_full(autojump_clock: MockClock) -> None:
    """One too many sends away who has come the shortest way and is there the longest."""
    hall = Hall()
    with ExitStack() as stack:
        guests = [stack.enter_context(hall.enter()) for _ in range(MOST)]
        guests[0].steps = 1
        scopes = [stack.enter_context(guest.limited(9)) for guest in guests]
        stack.enter_context(hall.enter())
        assert [guest for guest, scope in zip(guests, scopes, strict=True) if scope.cancel_called]
        assert [scope.cancel_called for scope in scopes] == [False, True, *[False] * (MOST - 2)]
        assert "too many" in guests[1].why
        assert len(hall) == MOST
    assert len(hall) == 0


async def test_time_is_up(autojump_clock: MockClock) -> None:
    """Every part of a stay ends so long after it began, however many parts there are."""
    with Hall().enter() as guest:
        began = trio.current_time()
        with guest.limited(2):
            await trio.sleep(1)
        with guest.limited(2):
            await trio.sleep_forever()
        assert trio.current_time() - began == 2


async def test_sent_away_between() -> None:
    """Whoever is sent away between two parts of its stay does not begin the next."""
    with Hall().enter() as guest:
        guest.send_away("why not")
        with guest.limited(9) as scope:
            await trio.sleep_forever()
        assert scope.cancelled_caught


async def test_clear() -> None:
    """All can be sent away at once; one that has left is not in it any more."""
    hall = Hall()
    with hall.enter() as known, hall.enter() as guest:
        hall.leave(known)
        hall.clear("new token")
        with known.limited(9) as scope:
            await trio.lowlevel.checkpoint()
        assert not scope.cancelled_caught
        assert guest.why == "new token"
        assert len(hall) == 0


def test_refusals() -> None:
    """Ten kinds are kept, the latest first, each with how often it came."""
    refusals = Refusals()
    for number in range(11):
        refusals.note(str(number))
    for _ in range(1_000):
        refusals.note("flood")
    refusals.note("3")
    kept = list(refusals)
    assert [each.why for each in kept] == [
        "3",
        "flood",
        *(str(each) for each in (10, 9, 8, 7, 6, 5, 4, 2)),
    ]
    assert [each.times for each in kept] == [2, 1_000, *[1] * 8]
