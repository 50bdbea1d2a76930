"""Who is let in next."""

from bridge.mcp.admission import AHEAD, IN_FLIGHT, Admission, counts
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
    for number in range(IN_FLIGHT + 2):
        admission.put(request(number))
    assert taken(admission) == list(range(IN_FLIGHT))
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
    assert taken(admission) == [IN_FLIGHT]


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
    admission.put(note("notifications/cancelled", requestId=IN_FLIGHT))
    assert taken(admission) == []
    admission.settled()
    assert taken(admission) == [IN_FLIGHT + 1]


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
