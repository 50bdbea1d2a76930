"""Several calls in one are what they would be one by one."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import trio

from bridge.policy.rules import Effect
from bridge.tools import batch as batching
from bridge.tools import registry
from bridge.tools.answer import Image, Question, Suspended
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply
from tests.support.door import Client, OpenDoor, open_door
from tests.support.scripted_chrome import open_scripted

BATCH = registry.TOOLS["batch"]


@pytest.fixture(autouse=True)
def running(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Tools that note how many of them run at once."""
    table = {"batch": BATCH}
    monkeypatch.setattr(registry, "TOOLS", table)
    monkeypatch.setattr("bridge.tools.toolsets.TOOLS", table)
    counts = {"now": 0, "most": 0, "all": 0}

    @tool(effect=Effect.LOCAL, tab=False)
    async def work(ctx: ToolContext, how: str = "") -> Reply:
        """Work."""
        counts["now"] += 1
        counts["all"] += 1
        counts["most"] = max(counts["most"], counts["now"])
        try:
            await trio.testing.wait_all_tasks_blocked()
            if how == "fail":
                raise ValueError
            if how == "ask":
                raise Suspended(Question(message="May I?", options=()))
            if how == "long":
                return Reply(said="x" * 40_000)
            if how == "show":
                return Reply(said=f"worked {how}", images=(Image("", "image/png"),))
            if how == "hang":
                await trio.sleep_forever()
        finally:
            counts["now"] -= 1
        return Reply(said=f"worked {how}")

    @tool(effect=Effect.READ)
    async def look(ctx: ToolContext) -> Reply:
        """Look."""
        return Reply(said="looked")

    return counts


@pytest.fixture
async def door() -> AsyncIterator[OpenDoor]:
    """All tools."""
    async with open_scripted() as (_, browser), open_door(browser, toolsets=("all",)) as opened:
        yield opened


def calls(*ways: str) -> list[dict[str, Any]]:
    """So many calls of `work`."""
    return [{"tool": "work", "arguments": {"how": how}} for how in ways]


async def test_in_order(door: OpenDoor, running: dict[str, int]) -> None:
    """Calls are made one after the other, each with its answer and its note in the audit."""
    told = await door.text("batch", calls=calls("a", "b"))
    assert told == "1 work: done\nworked a\n2 work: done\nworked b"
    assert running["most"] == 1
    assert [name for name, _ in door.notes] == ["work", "work", "batch"]


async def test_failures(door: OpenDoor) -> None:
    """A failure is told where it happened, and does not hold up the others."""
    told = await door.text("batch", calls=[*calls("fail", "b"), {"tool": "nothing"}])
    assert "1 work: failed\nINTERNAL: " in told
    assert "2 work: done\nworked b" in told
    assert "3 nothing: failed\nUNKNOWN_TOOL: " in told


async def test_stops(door: OpenDoor, running: dict[str, int]) -> None:
    """The first failure ends a batch that is to stop there."""
    told = await door.text("batch", calls=calls("a", "fail", "c"), stopOnError=True)
    assert "3 work: not made" in told
    assert running["all"] == 2


@pytest.mark.parametrize(("parallel", "most"), [(True, 6), (1, 1), (3, 3), (16, 16), (False, 1)])
async def test_parallel(
    door: OpenDoor, running: dict[str, int], parallel: bool | int, most: int
) -> None:
    """So many run at once, and answers keep the order of the calls."""
    told = await door.text("batch", calls=calls(*map(str, range(20))), parallel=parallel)
    assert running["most"] == most
    assert [line for line in told.splitlines() if line.startswith("worked")] == [
        f"worked {number}" for number in range(20)
    ]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"calls": []}, "1 to 50 calls"),
        ({"calls": calls(*["a"] * 51)}, "1 to 50 calls"),
        ({"calls": [{"tool": "batch", "arguments": {"calls": []}}]}, "is a batch itself"),
        ({"calls": [{"tool": 5}]}, "number 1 is not"),
        ({"calls": [{"tool": "work", "arguments": []}]}, "number 1 is not"),
        ({"calls": [{"tool": "work", "args": {}}]}, "number 1 is not"),
        ({"calls": calls("a"), "parallel": 17}, "from 1 to 16"),
        ({"calls": calls("a"), "parallel": 0}, "from 1 to 16"),
        ({"calls": [*calls("a"), {"tool": "look"}], "parallel": 2}, "needs a tabId"),
    ],
)
async def test_refused_before_it_begins(
    door: OpenDoor, running: dict[str, int], arguments: Mapping[str, Any], why: str
) -> None:
    """A batch that is not well-formed does nothing at all."""
    told = await door.refusal("batch", **arguments)
    assert told.startswith("BAD_ARGS: ")
    assert why in told
    assert running["all"] == 0


async def test_question(door: OpenDoor) -> None:
    """A call whose client would have to come again is refused within a batch."""
    told = await door.text("batch", calls=calls("ask", "b"))
    assert "1 work: failed\nPOLICY_DENIED: the user has to be asked first" in told
    assert "worked b" in told


async def test_room(door: OpenDoor) -> None:
    """Answers that have no room any more are counted, not cut in the middle."""
    told = await door.text("batch", calls=calls("long", "long", "b"))
    assert len(told) < batching._ROOM
    assert "2 work: done\n(40000 characters, no room for them)" in told


async def test_room_behind_a_long_one(door: OpenDoor) -> None:
    """What was not shown takes no room, so a failure behind it is told."""
    told = await door.text("batch", calls=calls("long", "long", "fail"))
    assert "3 work: failed\nINTERNAL: " in told


async def test_room_for_pictures(door: OpenDoor) -> None:
    """Pictures that have no room any more are said to be left out, each where it would be."""
    answer = await door.call("batch", calls=calls(*["show"] * 7))
    assert len(answer.images) == 5
    assert "5 work: done\nworked show\n6 work: done\nworked show\n(no room for its" in answer.text
    assert answer.text.count("no room for its picture: a batch shows 5") == 2


async def test_takes_too_long(
    door: OpenDoor, autojump_clock: trio.testing.MockClock, running: dict[str, int]
) -> None:
    """A batch has an end, and tells what was done until then, and what was only begun."""
    told = await door.text("batch", calls=calls("a", *["hang"] * 5))
    assert "1 work: done" in told
    assert "5 work: begun, and cut off with the batch" in told
    assert "6 work: not made" in told


async def test_progress(door: OpenDoor) -> None:
    """The client hears how far it is."""
    client = Client()
    await door.call("batch", by=client, calls=calls("a", "b"))
    assert client.told == ["1 call done", "2 calls done"]
