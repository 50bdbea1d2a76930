"""A browser that a test plays by hand: a Transport without any I/O.

Commands arrive in the order they were sent and wait until the test asks for them. Nothing is
answered by itself, so a test shows every word of both sides.
"""

import json
from dataclasses import dataclass

import trio

from bridge.errors import BridgeError
from bridge.transport.base import browser_gone


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as it was sent."""

    id: int
    method: str
    params: dict[str, object]
    session: str
    raw: bytes


class FakeChrome:
    """The browser's side in the hands of the test, our side as any transport."""

    kind = "memory"

    def __init__(self) -> None:
        self.closed = False
        self._sent, self._commands = trio.open_memory_channel[bytes](1_000_000)
        self._said: list[bytes] = []
        self._end: BridgeError | None = None
        self._heard = trio.Event()
        self._room = trio.Event()
        self._room.set()

    # Our side.

    @property
    def congested(self) -> bool:
        return not self._room.is_set()

    async def send(self, message: bytes) -> None:
        await self._room.wait()
        if self.closed:
            raise browser_gone("the connection was closed")
        self._sent.send_nowait(message)

    async def receive(self) -> list[bytes]:
        while not self._said:
            if self._end is not None:
                raise self._end.again()
            if self._heard.is_set():
                self._heard = trio.Event()
            await self._heard.wait()
        said, self._said = self._said, []
        return said

    async def aclose(self) -> None:
        self.closed = True
        self._room.set()
        self._sent.close()
        self._stop(browser_gone("the connection was closed"))
        await trio.lowlevel.checkpoint()

    # The test's side.

    async def asked(self, method: str = "") -> Asked:
        """The next command; it has to be this one if a method is named."""
        command = _command(await self._commands.receive())
        assert method in ("", command.method), f"{command.method} came instead of {method}"
        return command

    async def message(self) -> bytes:
        """The next message as it was sent; trio.EndOfChannel once our side is closed."""
        return await self._commands.receive()

    def asked_nowait(self) -> list[Asked]:
        """All commands that are waiting."""
        commands: list[Asked] = []
        while self._commands.statistics().current_buffer_used:
            commands.append(_command(self._commands.receive_nowait()))
        return commands

    def answer(self, command: Asked, result: object = None) -> None:
        """Reply to a command; an empty result unless told otherwise."""
        result = {} if result is None else result
        self.say(_text(id=command.id, sessionId=command.session, result=result))

    def refuse(self, command: Asked, code: int, message: str, data: object = None) -> None:
        """Reply with an error."""
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.say(_text(id=command.id, sessionId=command.session, error=error))

    def event(self, method: str, params: object = None, session: str = "") -> None:
        """Tell of something."""
        params = {} if params is None else params
        self.say(_text(method=method, params=params, sessionId=session))

    def attached(self, session: str, *, parent: str = "", target: str = "T") -> None:
        """Tell that a session begins."""
        info = {"targetId": target, "type": "page", "title": "", "url": "", "attached": True}
        info["canAccessOpener"] = False
        params = {"sessionId": session, "targetInfo": info, "waitingForDebugger": False}
        self.event("Target.attachedToTarget", params, parent)

    def detached(self, session: str, *, parent: str = "") -> None:
        """Tell that a session is over."""
        self.event("Target.detachedFromTarget", {"sessionId": session}, parent)

    def say(self, *messages: bytes) -> None:
        """Any messages at all; what is said before our side reads arrives in one piece."""
        self._said.extend(messages)
        self._heard.set()

    def end(self, how: str = "it closed its pipe") -> None:
        """Go away, after what was said has been read."""
        self._stop(browser_gone(how))

    def end_with(self, error: BridgeError) -> None:
        """Go away, and have the transport say this of it."""
        self._stop(error)

    def stop_reading(self) -> None:
        """Take nothing more: `send` waits."""
        self._room = trio.Event()

    def read_again(self) -> None:
        """Let waiting senders go on."""
        self._room.set()

    def _stop(self, error: BridgeError) -> None:
        self._end = self._end or error
        self._heard.set()


def _command(raw: bytes) -> Asked:
    told = json.loads(raw)
    return Asked(told["id"], told["method"], told.get("params", {}), told.get("sessionId", ""), raw)


def _text(**fields: object) -> bytes:
    # Like Chrome: ASCII only, lone surrogates as escapes, no sessionId for the browser itself.
    told = {key: value for key, value in fields.items() if key != "sessionId" or value}
    return json.dumps(told, separators=(",", ":")).encode()
