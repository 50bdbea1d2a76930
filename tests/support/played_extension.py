"""An extension played by a test, over a real WebSocket: it says what it is told to, right or wrong.

It masks in earnest and sends an Origin, as a browser does; nothing of it is answered by itself but
the pings of the server, and those only while the test listens.
"""

import base64
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from bridge.transport.link import EXTENSION_ID, ORIGIN, ROLE_CLIENT, ROLE_SERVER, proof
from bridge.transport.websocket import CLOSE, TEXT, FrameReader, frame, mask

Message = dict[str, Any]


class HungUp(Exception):
    """The server closed: with this code, or none."""

    def __init__(self, code: int | None, why: str = "") -> None:
        super().__init__(f"{code} {why}")
        self.code = code
        self.why = why


@dataclass(frozen=True, slots=True)
class Place:
    """What an invitation says."""

    port: int
    token: str
    server_id: str

    @classmethod
    def read(cls, file: Path) -> "Place":
        told = json.loads(file.read_text())
        return cls(told["port"], told["token"], told["serverId"])


@dataclass
class Played:
    """Made by `dial`."""

    stream: trio.SocketStream
    port: int
    heard: list[Message] = field(default_factory=list)
    reader: FrameReader = field(default_factory=FrameReader)
    nonce: str = "n" * 22

    # Words.

    async def raw(self, data: bytes) -> None:
        """Bytes; the server may have hung up already."""
        try:
            await self.stream.send_all(data)
        except trio.BrokenResourceError:
            return

    async def frame(self, payload: bytes, opcode: int = TEXT) -> None:
        await self.raw(masked(payload, opcode))

    async def say(self, method: str = "", /, session: str = "", **params: object) -> None:
        """An event."""
        told: Message = {"method": method, "params": params}
        await self.frame(json.dumps(told | ({"sessionId": session} if session else {})).encode())

    async def answer(self, request: Message, **result: object) -> None:
        await self.frame(json.dumps({"id": request["id"], "result": result}).encode())

    async def hear(self) -> Message:
        """The next message but for pings, which are answered; HungUp at the end."""
        while True:
            while not self.heard:
                await self.listen()
            message = self.heard.pop(0)
            if message.get("method") != "Bridge.ping":
                return message
            await self.answer(message)

    async def ending(self, *, deaf: bool = False) -> HungUp:
        """How it ends; whatever else comes is passed over, pings too by one who is deaf."""
        try:
            while True:
                await (self.listen() if deaf else self.hear())
        except HungUp as end:
            return end

    async def listen(self) -> None:
        """Read once; messages wait in `heard`."""
        try:
            data = await self.stream.receive_some(1 << 20)
        except trio.BrokenResourceError:
            data = b""
        if not data:
            raise HungUp(None)
        for opcode, payload in self.reader.feed(data):
            if opcode == CLOSE:
                raise HungUp(int.from_bytes(payload[:2]), payload[2:].decode())
            self.heard.append(json.loads(payload))

    # The handshake.

    async def hello(self, **changed: object) -> None:
        said: Message = {
            "versions": [1],
            "nonce": self.nonce,
            "extensionId": EXTENSION_ID,
            "extVersion": "1.0",
            "instanceId": "one",
            "epoch": "first",
            "product": "Chrome/156",
            "label": "",
            "attached": [],
        }
        await self.say("Bridge.hello", **(said | changed))

    async def prove(self, token: str, *, role: str = ROLE_CLIENT) -> str:
        """Check the challenge, prove the same; the proof is returned."""
        challenge = await self.hear()
        assert challenge["method"] == "Bridge.challenge"
        said = challenge["params"]
        assert said["mac"] == self.mac(token, ROLE_SERVER, said["nonce"])
        mac = self.mac(token, role, said["nonce"])
        await self.say("Bridge.proof", mac=mac)
        return mac

    def mac(self, token: str, role: str, theirs: str) -> str:
        return proof(
            token,
            role,
            version=1,
            port=self.port,
            extension_id=EXTENSION_ID,
            theirs=self.nonce,
            ours=theirs,
        )

    async def enter(
        self, token: str, *, targets: Sequence[Message] = (), **hello: object
    ) -> Message:
        """All of it; what the server said as welcome."""
        await self.hello(**hello)
        await self.prove(token)
        welcome = await self.hear()
        assert welcome["method"] == "Bridge.welcome"
        await self.say("Bridge.ready", targets=list(targets), paused=False, capabilities=[])
        told: Message = welcome["params"]
        return told

    def hang_up(self) -> None:
        """As a worker that is ended: the socket is closed without a word."""
        self.stream.socket.close()


def masked(payload: bytes, opcode: int = TEXT) -> bytes:
    """A frame as a browser sends it."""
    key = os.urandom(4)
    return frame(opcode, mask(payload, key), key)


def request(
    port: int, *, origin: str | None = ORIGIN, host: str = "", path: str = "/link", extra: str = ""
) -> bytes:
    """The head of an upgrade."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host or f'127.0.0.1:{port}'}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        *([] if origin is None else [f"Origin: {origin}"]),
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode() + extra.encode() + b"\r\n"


@asynccontextmanager
async def dial(port: int, **how: Any) -> AsyncIterator[Played]:
    """An upgraded connection; HungUp with the status of HTTP where there is none."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    try:
        status, why, early = await ask(stream, request(port, **how))
        if status != 101:
            raise HungUp(status, why)
        played = Played(stream, port)
        played.reader.feed(early)
        yield played
    finally:
        await trio.aclose_forcefully(stream)


async def ask(stream: trio.SocketStream, head: bytes) -> tuple[int, str, bytes]:
    """Status, body, and what follows an upgrade."""
    await stream.send_all(head)
    data = b""
    while b"\r\n\r\n" not in data:
        more = await stream.receive_some()
        if not more:
            raise HungUp(None)
        data += more
    top, _, rest = data.partition(b"\r\n\r\n")
    status = int(top.split()[1])
    while status != 101 and (more := await stream.receive_some()):
        rest += more
    return status, rest.decode() if status != 101 else "", rest if status == 101 else b""
