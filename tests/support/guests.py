"""Guests of a switchboard, without sockets: what they are told stands in a list."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import trio

from bridge.proxy.guest import Guest
from bridge.proxy.switchboard import Switchboard, run_switchboard
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from tests.support.conditions import until
from tests.support.played_link import PlayedLink

PUPPETEER = [{"type": "page", "exclude": True}, {}]


class Client:
    """A guest's program: calls, and keeps what it is told."""

    def __init__(self, board: Switchboard, page: str = "") -> None:
        self.told: list[dict[str, Any]] = []
        self.left: list[str] = []
        self.guest = Guest(board, lambda said: self.told.append(json.loads(said)), self._go, page)
        self._numbers = count(1)

    def _go(self, why: str) -> None:
        self.left.append(why)

    async def send(self, method: str, session: str = "", /, **params: object) -> int:
        """The number of a call that is under way."""
        number = next(self._numbers)
        call: dict[str, object] = {"id": number, "method": method, "params": params}
        if session:
            call["sessionId"] = session
        await self.guest.hear(json.dumps(call).encode())
        return number

    async def answer(self, number: int) -> dict[str, Any]:
        """Of that call."""
        await until(lambda: any(said.get("id") == number for said in self.told), 5.0)
        return next(said for said in self.told if said.get("id") == number)

    async def ask(self, method: str, session: str = "", /, **params: object) -> dict[str, Any]:
        """The whole answer."""
        return await self.answer(await self.send(method, session, **params))

    def events(self, method: str = "") -> list[dict[str, Any]]:
        """What it was told of this kind, or at all."""
        said = [each for each in self.told if "id" not in each]
        return [each for each in said if method in ("", each["method"])]

    def attached(self) -> list[str]:
        """The sessions it was told of, in order."""
        return [e["params"]["sessionId"] for e in self.events("Target.attachedToTarget")]


@asynccontextmanager
async def open_board(link: PlayedLink) -> AsyncIterator[Switchboard]:
    """A switchboard on a browser that is played."""
    async with open_scope() as nursery:
        board = await nursery.start(run_switchboard, link, Timeouts(new_tab=1.0))
        await until(lambda: len(board.tabs) == len(link.tabs), 5.0)
        yield board


@asynccontextmanager
async def open_client(board: Switchboard, page: str = "") -> AsyncIterator[Client]:
    """A guest of it, until the block ends; then what it holds is let go of, as at the endpoint."""
    client = Client(board, page)
    try:
        async with open_scope() as nursery:
            with board.admit(client.guest):
                nursery.start_soon(client.guest.attend)
                yield client
    finally:
        client.guest.collects = False
        with trio.CancelScope(shield=True):
            await board.let_go(client.guest)
