"""The port extensions dial."""

import os
from dataclasses import replace

import pytest
import trio
import trio.testing

from bridge.errors import UsageError
from bridge.relay.listening import open_listener
from bridge.timeouts import Timeouts

_HASTY = replace(Timeouts(), port=0.3)


def _port(listener: trio.SocketListener) -> int:
    number: int = listener.socket.getsockname()[1]
    return number


async def test_any() -> None:
    """Without a wish it is any free one, on loopback alone."""
    async with await open_listener(0, Timeouts()) as one, await open_listener(0, Timeouts()) as two:
        assert one.socket.getsockname()[0] == "127.0.0.1"
        assert _port(one) != _port(two)


async def test_taken() -> None:
    """A port that somebody keeps is refused, and it is said who has it."""
    async with await open_listener(0, Timeouts()) as there:
        with pytest.raises(UsageError, match=f"--link-port.* {_port(there)} ") as caught:
            await open_listener(_port(there), _HASTY)
        assert f"process {os.getpid()}," in caught.value.message


async def test_let_go() -> None:
    """A port that its server is just leaving is waited for."""
    there = await open_listener(0, Timeouts())
    port = _port(there)
    async with trio.open_nursery() as nursery:

        async def leave() -> None:
            await trio.testing.wait_all_tasks_blocked(0.01)
            await there.aclose()

        nursery.start_soon(leave)
        async with await open_listener(port, Timeouts()) as again:
            assert _port(again) == port
