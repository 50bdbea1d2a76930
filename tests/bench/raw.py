"""The floor: the least a blocking Python program can do to talk to the same browser.

One thread, `json`, one socket or two pipes, no names for anything. It cannot listen, wait for two
things or survive a surprise; it is here to be divided by.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal, Protocol

from launcher import platform as platforms
from launcher.farewell import read_port
from launcher.find import find_browser
from launcher.flags import FlagRequest, build_flags

assert sys.platform != "win32"  # there is no pipe to measure

Kind = Literal["websocket", "pipe"]


class Wire(Protocol):
    """Whole messages, blocking."""

    def send(self, data: bytes) -> None: ...
    def receive(self) -> bytes: ...
    def close(self) -> None: ...


class PipeWire:
    """JSON texts that end in a NUL."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer, self._rest = reader, writer, b""

    def send(self, data: bytes) -> None:
        left = memoryview(data + b"\0")
        while left:
            left = left[os.write(self._writer, left) :]

    def receive(self) -> bytes:
        parts = [self._rest]
        while b"\0" not in parts[-1]:
            parts.append(os.read(self._reader, 1 << 20))
        last, _, self._rest = parts.pop().partition(b"\0")
        return b"".join([*parts, last])

    def close(self) -> None:
        os.close(self._writer)
        os.close(self._reader)


class SocketWire:
    """Unfragmented text frames, which is all Chrome sends."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._rest = b""
        while b"\r\n\r\n" not in self._rest:
            self._rest += self._socket.recv(4096)
        self._rest = self._rest.partition(b"\r\n\r\n")[2]

    def send(self, data: bytes) -> None:
        n = len(data)
        if n < 126:
            head = struct.pack(">BB", 0x81, 0x80 | n)
        elif n < 65536:
            head = struct.pack(">BBH", 0x81, 0xFE, n)
        else:
            head = struct.pack(">BBQ", 0x81, 0xFF, n)
        self._socket.sendall(head + b"\0\0\0\0" + data)

    def receive(self) -> bytes:
        head = self._exactly(2)
        n = head[1]
        if n == 126:
            n = int.from_bytes(self._exactly(2))
        elif n == 127:
            n = int.from_bytes(self._exactly(8))
        return self._exactly(n)

    def close(self) -> None:
        self._socket.close()

    def _exactly(self, n: int) -> bytes:
        if len(self._rest) < n:
            parts, have = [self._rest], len(self._rest)
            while have < n:
                chunk = self._socket.recv(1 << 18)
                parts.append(chunk)
                have += len(chunk)
            self._rest = b"".join(parts)
        data, self._rest = self._rest[:n], self._rest[n:]
        return data


class RawBrowser:
    """A browser started the shortest way, and one page of it."""

    def __init__(self, kind: Kind) -> None:
        self._folder = tempfile.mkdtemp(prefix="cb-raw-")
        self._number = 0
        self._wire, self._pid = self._start(kind)
        targets = self.command("Target.getTargets")["targetInfos"]
        page = next(info["targetId"] for info in targets if info["type"] == "page")
        self.session = ""
        attached = self.command("Target.attachToTarget", targetId=page, flatten=True)
        self.session = attached["sessionId"]

    def _start(self, kind: Kind) -> tuple[Wire, int]:
        profile = Path(self._folder) / "profile"
        platform = platforms.current()
        browser = find_browser(
            executable=None, channel=None, platform=platform, environment=os.environ
        )
        flags = build_flags(
            FlagRequest(
                profile=profile,
                pipe=kind == "pipe",
                no_sandbox=platform.needs_no_sandbox(browser.path) is not None,
                throwaway=True,
            )
        )
        argv = [str(browser.path), *flags]
        silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        if kind == "websocket":
            pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=silent, setpgroup=0)
            return SocketWire(*_wait_for_port(profile)), pid
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        high = [os.dup(os.dup(os.dup(fd))) for fd in (theirs_in, theirs_out)]
        moves = [(os.POSIX_SPAWN_DUP2, high[0], 3), (os.POSIX_SPAWN_DUP2, high[1], 4)]
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[*silent, *moves], setpgroup=0)
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        return PipeWire(ours_in, ours_out), pid

    def post(self, method: str, **params: Any) -> int:
        """Send without waiting."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if getattr(self, "session", ""):
            message["sessionId"] = self.session
        self._wire.send(json.dumps(message).encode())
        return self._number

    def answer(self, number: int) -> Any:
        """The result with this number; everything before it is read and dropped."""
        while (message := json.loads(self._wire.receive())).get("id") != number:
            pass
        return message["result"]

    def command(self, method: str, **params: Any) -> Any:
        return self.answer(self.post(method, **params))

    def evaluate(self, expression: str) -> Any:
        result = self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"]["value"]

    def close(self) -> None:
        """End the browser and remove its folder."""
        self._wire.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)


def _wait_for_port(profile: Path) -> tuple[int, str]:
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        found = read_port(profile)
        if found is not None:
            return found
        select.select([], [], [], 0.002)
    raise TimeoutError("the browser did not write its port")
