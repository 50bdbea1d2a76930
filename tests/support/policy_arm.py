"""The extension, asked by a server that keeps to nothing: any method, session, parameters."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from bridge.relay.invitation import FOLDER
from bridge.relay.server import open_relay
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import Sites
from fixtures.site import Site
from tests.support.browsers import PATIENCE
from tests.support.linked import Everyday, look, open_outside, tidy

_CHILD = "Target.attachedToTarget"


class UnansweredError(Exception):
    """Nothing came in time."""


class Arm:
    """Asks and keeps what comes; made by `open_arm`."""

    def __init__(self, transport: ExtensionTransport) -> None:
        self.answers: Counter[int] = Counter()
        self.events: list[dict[str, Any]] = []
        self._transport = transport
        self._last = 0

    async def ask(self, method: str, session: str = "", /, **params: object) -> dict[str, Any]:
        """The whole answer: a result or an error."""
        return await self.ask_within(10.0, method, session, **params)

    async def ask_within(
        self, limit: float, method: str, session: str = "", /, **params: object
    ) -> dict[str, Any]:
        """The same, or UnansweredError after so many seconds."""
        self._last += 1
        number = self._last
        call: dict[str, object] = {"id": number, "method": method, "params": params}
        if session:
            call["sessionId"] = session
        await self._transport.send(json.dumps(call).encode())
        with trio.move_on_after(limit):
            return await self._wait(number)
        raise UnansweredError(method)

    async def refusal(self, method: str, session: str = "", /, **params: object) -> str:
        """Why it is refused; "" if it is not, "chrome" where it was not the extension who did."""
        error = (await self.ask(method, session, **params)).get("error")
        if error is None:
            return ""
        data = error.get("data")  # where it is Chrome's own it is text
        return str(data["reason"]) if isinstance(data, dict) else "chrome"

    async def open_tab(self, url: str = "about:blank") -> tuple[str, str]:
        """Target and session of a new tab."""
        made = await self.ask("Target.createTarget", url=url)
        target: str = made["result"]["targetId"]
        return target, await self.attach(target)

    async def attach(self, target: str) -> str:
        answer = await self.ask("Target.attachToTarget", targetId=target, flatten=True)
        session: str = answer["result"]["sessionId"]
        return session

    async def wait_child(self, session: str) -> str:
        """The session of a frame or worker in this one."""
        await self.ask(
            "Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=False
        )
        with trio.fail_after(10):  # noqa: TID251 -- a test's own patience
            while True:
                for event in self.events:
                    if event["method"] == _CHILD and event.get("sessionId") == session:
                        child: str = event["params"]["sessionId"]
                        return child
                self._keep(await self._transport.receive())

    async def _wait(self, number: int) -> dict[str, Any]:
        while True:
            for said in self._keep(await self._transport.receive()):
                if said.get("id") == number:
                    return said

    def _keep(self, messages: list[bytes]) -> list[dict[str, Any]]:
        heard = [json.loads(message) for message in messages]
        self.answers.update(said["id"] for said in heard if "id" in said)
        self.events += [said for said in heard if "id" not in said]
        return [said for said in heard if "id" in said]


@asynccontextmanager
async def open_arm(everyday: Everyday, *visited: str, uploads: bool = False) -> AsyncIterator[Arm]:
    """The extension on a link of its own, told that these hosts may be visited."""
    folder = everyday.folder / FOLDER
    sites = Sites(visited=[*visited])
    async with open_relay(folder, "hostile", sites, uploads=uploads, timeouts=PATIENCE) as relay:
        async with open_outside(everyday) as outside:
            await look(outside)
        transport = await relay.wait_link(None)
        yield Arm(transport)
        await transport.aclose()


@pytest.fixture
async def arm(everyday: Everyday, site: Site) -> AsyncIterator[Arm]:
    """The extension, where one of the two hosts of the site may be visited."""
    async with open_arm(everyday, site.origin.removeprefix("http://")) as arm:
        yield arm
    await tidy(everyday)
