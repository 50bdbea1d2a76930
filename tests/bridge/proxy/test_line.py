"""The browser there is at the moment."""

import pytest
import trio
import trio.testing

from bridge.errors import BridgeError, LinkError
from bridge.proxy.line import Line
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from tests.support.conditions import until
from tests.support.played_link import PlayedLink, info


async def test_the_next_one() -> None:
    """One browser for all who ask; when it has gone, the next who asks gets the next."""
    links = [PlayedLink(info("A")), PlayedLink(info("B"))]
    left = list(links)

    async def dial() -> PlayedLink:
        return left.pop(0)

    async with open_scope() as nursery:
        line = Line(dial, Timeouts(), nursery)
        first = await line.board()
        assert await line.board() is first
        links[0].lose()
        await until(lambda: first.over)
        second = await line.board()
        await until(lambda: "B" in second.tabs)


async def test_none() -> None:
    """Where there is none, who asks is told; the next one may have more luck."""

    async def dial() -> PlayedLink:
        raise LinkError("EXTENSION_DISCONNECTED", "there is none", hint="Open one.")

    async with open_scope() as nursery:
        line = Line(dial, Timeouts(), nursery)
        for _ in range(2):
            with pytest.raises(BridgeError, match="there is none"):
                await line.board()


async def test_many_where_there_is_none() -> None:
    """Who has come while somebody waited in vain does not wait as long again."""
    gate, tries = trio.Event(), []

    async def dial() -> PlayedLink:
        tries.append(1)
        await gate.wait()
        raise LinkError("EXTENSION_DISCONNECTED", "there is none", hint="Open one.")

    async def ask(line: Line) -> None:
        with pytest.raises(BridgeError, match="there is none"):
            await line.board()

    async with open_scope() as nursery:
        line = Line(dial, Timeouts(), nursery)
        async with trio.open_nursery() as askers:
            for _ in range(3):
                askers.start_soon(ask, line)
            await until(lambda: tries)
            await trio.testing.wait_all_tasks_blocked()
            gate.set()
        assert tries == [1]
