"""The other end of `holder`: starts it, talks to it, ends it."""

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from tests.support.ground import Ground

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 30.0  # for one line; what a test claims, it bounds itself

Facts = dict[str, Any]


class Holder:
    """A running holder; see `holder` for what it can be told."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self._buffer = b""
        self._told = 0
        self._unread: list[Facts] = []

    async def hear(self, event: str) -> Facts:
        """The next line about this event."""
        return await self._next(lambda facts: facts.get("event") == event)

    async def up(self) -> Facts:
        """It holds a browser and has a tab there."""
        return await self._next(lambda facts: facts.get("event") in ("up", "failed"))

    async def ask(self, do: str, **given: object) -> Facts:
        """Have it do something and wait for the answer."""
        number = await self.tell(do, **given)
        return await self.answer(number)

    async def tell(self, do: str, **given: object) -> int:
        """Have it do something; the number for `answer`."""
        assert self.process.stdin is not None
        self._told += 1
        line = json.dumps({"do": do, "id": self._told, **given})
        await self.process.stdin.send_all(line.encode() + b"\n")
        return self._told

    async def answer(self, number: int) -> Facts:
        return await self._next(lambda facts: facts.get("re") == number)

    async def close_stdin(self) -> None:
        assert self.process.stdin is not None
        await self.process.stdin.aclose()

    async def end(self, how: str) -> None:
        """By a signal's name, or `stdin`; returns at once."""
        if how == "stdin":
            await self.close_stdin()
        else:
            self.process.send_signal(signal.Signals[how])

    async def _next(self, wanted: Any) -> Facts:
        for facts in self._unread:
            if wanted(facts):
                self._unread.remove(facts)
                return facts
        with trio.fail_after(_PATIENCE):  # noqa: TID251 -- a test that waits for nothing must fail
            while not wanted(facts := await self._line()):
                self._unread.append(facts)
        return facts

    async def _line(self) -> Facts:
        assert self.process.stdout is not None
        while b"\n" not in self._buffer:
            chunk = await self.process.stdout.receive_some(65536)
            assert chunk, f"the holder ended; it had said {self._unread}"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        facts: Facts = json.loads(line)
        return facts


def command(ground: Ground, timeouts: Facts | None = None, **options: object) -> list[str]:
    """The command line of a holder."""
    given = {"headless": True, "data_dir": str(ground.data), **options}
    argument = json.dumps({"options": given, "timeouts": timeouts or {}}, default=str)
    return [sys.executable, "-m", "tests.support.holder", argument]


@asynccontextmanager
async def open_holder(
    ground: Ground, timeouts: Facts | None = None, **options: object
) -> AsyncIterator[Holder]:
    """A holder on this ground; killed at the end of the block if it is still there."""
    async with open_process(command(ground, timeouts, **options)) as holder:
        yield holder


@asynccontextmanager
async def open_process(argv: list[str]) -> AsyncIterator[Holder]:
    """The same for a command line that starts a holder in some other way."""
    process = await trio.lowlevel.open_process(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Holder(process)
    finally:
        if process.returncode is None:
            process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stdin.aclose()
            await process.stdout.aclose()
