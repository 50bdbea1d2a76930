"""What a page asks for by itself, told from what somebody made it ask for."""

from typing import Any

import msgspec
import pytest

from bridge.page.exchange import read
from bridge.page.habits import Fetch, Habits


def fetch(at: float, *, column: int = 1, **request: Any) -> Fetch:
    """A request as Chrome tells of it."""
    frame = {"functionName": "", "url": "x.js", "lineNumber": 1, "columnNumber": column}
    told = {
        "type": "Fetch",
        "timestamp": at,
        "request": {"url": "https://a.example/poll", "method": "GET", **request},
        "initiator": {"type": "script", "stack": {"callFrames": [frame]}},
    }
    return read(Fetch, msgspec.Raw(msgspec.json.encode(told)))


def polled(every: float, times: int, **more: Any) -> Habits:
    """What is known of a page that has asked so often, for the last time at 100."""
    habits = Habits()
    for number in reversed(range(times)):
        habits.note(fetch(100 - number * every, **more))
    return habits


@pytest.mark.parametrize("every", [0.005, 0.05, 0.5])
def test_polling(every: float) -> None:
    """What a page asks for all the time is its habit, for as long as it goes on."""
    habits = polled(every, 200)
    assert habits.has(fetch(100.1))
    assert not habits.has(fetch(103))


@pytest.mark.parametrize("ids", ["17 18", "0b5e-4f2a-99 7c1d-00aa-8f"])
def test_numbers(ids: str) -> None:
    """A counter, a time or an id in an address or a body makes no other request of it."""
    habits = Habits()
    for number, each in enumerate([ids.split()[0]] * 9 + [ids.split()[1]]):
        last = fetch(number / 10, url=f"https://a.example/?t={each}", postData=f'{{"n": "{each}"}}')
        known = habits.has(last)
        habits.note(last)
    assert known


@pytest.mark.parametrize(
    "changed",
    [
        {"url": "https://a.example/items"},
        {"method": "POST"},
        {"postData": "a"},
        {"column": 2},
    ],
)
def test_another(changed: dict[str, Any]) -> None:
    """Another address, body or place in the code is another request."""
    assert not polled(0.05, 200).has(fetch(100.1, **changed))


@pytest.mark.parametrize(("every", "times"), [(0.001, 30), (0.1, 3), (1.0, 20)])
def test_no_habit(every: float, times: int) -> None:
    """Many at one moment, a few, or one now and then are no habit."""
    assert not polled(every, times).has(fetch(100.1))


def test_bounded() -> None:
    """Only so many are remembered, the latest."""
    habits = polled(0.1, 9)
    for number in range(100):
        habits.note(fetch(100, column=number + 2))
    assert not habits.has(fetch(100.1))
