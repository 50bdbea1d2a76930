"""Who is let in next."""

from bridge.mcp.admission import AHEAD, FIRST, IN_FLIGHT, Admission, counts
from bridge.mcp.envelope import Kind, Message


def request(found: object, method: str = "tools/call", size: int = 10) -> Message:
    return Message(Kind.REQUEST, {"id": found, "method": method}, size)


def note(method: str, **params: object) -> Message:
    return Message(Kind.NOTIFICATION, {"method": method, "params": params}, 10)


def taken(admission: Admission) -> list[object]:
    """Everything that may go on now: ids of requests, methods of the rest."""
    found = iter(lambda: admission.take(only_urgent=False), None)
    return [message.body.get("id", message.method) for message in found if message]


def full_house() -> Admission:
    admission = Admission()
    for number in range(FIRST + 2):
        admission.put(request(number))
    assert taken(admission) == list(range(FIRST))
    return admission


def test_in_order() -> None:
    """While there is room, everything goes on as it came."""
    admission = Admission()
    for message in (request(1), note("a"), request(2, "ping"), request(3), note("b")):
        admission.put(message)
    assert taken(admission) == [1, "a", 2, 3, "b"]


def test_limit() -> None:
    """In a full house a request waits until another one has settled."""
    admission = full_house()
    assert taken(admission) == []
    admission.settled()
    assert taken(admission) == [FIRST]


def test_small_answers() -> None:
    """Small answers make room for more requests, up to a limit."""
    admission = Admission()
    before = admission.places
    admission.weigh(100)
    assert FIRST == before < admission.places
    for _ in range(20):
        admission.weigh(100)
    assert admission.places == IN_FLIGHT


def test_large_answers() -> None:
    """After a large answer fewer requests are let in, but some always; small ones undo that."""
    admission = Admission()
    admission.weigh(1_000_000)
    assert admission.places == 8
    admission.weigh(100_000_000)
    assert admission.places == 4
    for _ in range(60):
        admission.weigh(100)
    assert admission.places == IN_FLIGHT


def test_overtaking() -> None:
    """In a full house a ping, a reply and a notification go on at once."""
    admission = full_house()
    admission.put(request("p", "ping"))
    admission.put(note("notifications/cancelled", requestId=0))
    admission.put(Message(Kind.REPLY, {"id": "r", "result": {}}, 10))
    assert taken(admission) == ["p", "notifications/cancelled", "r"]


def test_only_urgent() -> None:
    """While answers pile up, no request is let in."""
    admission = Admission()
    admission.put(request(1))
    admission.put(request(2, "ping"))
    ping = admission.take(only_urgent=True)
    assert ping is not None
    assert ping.body["id"] == 2
    assert admission.take(only_urgent=True) is None
    assert taken(admission) == [1]


def test_cancelled_while_waiting() -> None:
    """A waiting request that is cancelled is forgotten, and the cancellation with it."""
    admission = full_house()
    admission.put(note("notifications/cancelled", requestId=FIRST))
    assert taken(admission) == []
    admission.settled()
    assert taken(admission) == [FIRST + 1]


def test_full_by_number() -> None:
    """Only so many requests are read ahead."""
    admission = full_house()
    for number in range(AHEAD - 2):
        assert not admission.full
        admission.put(request(number))
    assert admission.full
    admission.settled()
    taken(admission)
    assert not admission.full


def test_full_by_weight() -> None:
    """Only so many bytes are read ahead."""
    admission = full_house()
    admission.put(request("heavy", size=20_000_000))
    assert admission.full
    admission.put(note("notifications/cancelled", requestId="heavy"))
    assert not admission.full


def test_listening_takes_no_place() -> None:
    """A subscription lasts for hours and does nothing."""
    assert not counts(request(1, "subscriptions/listen"))
