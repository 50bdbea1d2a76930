"""A program that behaves towards the launcher as Chrome does, and misbehaves on request.

It names its endpoint on stderr, writes `DevToolsActivePort` and the lock links, answers
`/json/version`, obeys `Browser.close` over a port or a pipe. `install()` writes an executable that
runs it; what happens to it goes to a log beside that executable, which outlives profiles.

Run as a program it needs the standard library only, for it starts without site-packages.
"""

import base64
import hashlib
import json
import os
import secrets
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

_STARTER = """#!{python} -IS
import sys
sys.path.insert(0, {root!r})
from tests.support.fake_browser import main
main({log!r}, {behaviour!r})
"""
_ROOT = str(Path(__file__).resolve().parents[2])
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """How it differs from a well-behaved browser."""

    says: str = ""  # on stderr, before anything else
    exits: int | None = None  # at once, with this code
    mute: bool = False  # never opens its endpoint
    ignores_close: bool = False
    ignores_term: bool = False
    child: bool = False  # starts a process in its own group
    escapee: bool = False  # starts one that keeps its stderr open, in a session of its own
    floods: bool = False  # never stops writing to stderr
    host: str = "127.0.0.1"  # what it claims to listen on


@dataclass(frozen=True)
class FakeBrowser:
    """One that has been installed."""

    path: Path
    log: Path

    @property
    def events(self) -> list[str]:
        """What happened to it, one word each, launches with their pid."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    @property
    def pids(self) -> list[int]:
        """Of every browser started so far, the latest last."""
        return self._pids("launched")

    @property
    def children(self) -> list[int]:
        """Of the processes they started."""
        return self._pids("child")

    def _pids(self, word: str) -> list[int]:
        lines = [line.split() for line in self.events]
        return [int(line[1]) for line in lines if line[0] == word]


def install(folder: Path, behaviour: Behaviour | None = None) -> FakeBrowser:
    """Write an executable that is such a browser."""
    folder.mkdir(parents=True, exist_ok=True)
    fake = FakeBrowser(folder / "chrome", folder / "log")
    fake.path.write_text(
        _STARTER.format(
            python=sys.executable,
            root=_ROOT,
            log=str(fake.log),
            behaviour=asdict(behaviour or Behaviour()),
        )
    )
    fake.path.chmod(0o755)
    return fake


class _Browser:
    def __init__(self, log: str, behaviour: Behaviour) -> None:
        self._log = log
        self._is = behaviour
        self._selector = selectors.DefaultSelector()
        self._path = f"/devtools/browser/{secrets.token_hex(8)}"
        values = dict(a.partition("=")[::2] for a in sys.argv[1:])
        self._profile = Path(values["--user-data-dir"])
        self._port = int(values.get("--remote-debugging-port", 0))
        self._piped = "--remote-debugging-pipe" in values
        self._folder = self._profile  # of its socket
        self._links: list[Path] = []

    def note(self, *words: object) -> None:
        fd = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(fd, (" ".join(map(str, words)) + "\n").encode())
        os.close(fd)

    def run(self) -> None:
        self.note("launched", os.getpid())
        signal.signal(signal.SIGTERM, self._term)
        sys.stderr.write(self._is.says)
        sys.stderr.flush()
        if self._is.exits is not None:
            os._exit(self._is.exits)
        self._start_children()
        if self._is.mute:
            while True:
                self._selector.select()
        self._lock()
        if self._piped:
            self._obey_pipe()
        self._listen()
        while True:
            for key, _ in self._selector.select(0 if self._is.floods else None):
                key.data(key.fileobj)
            if self._is.floods:
                os.write(2, b"noise " * 2000 + b"\n")

    def _term(self, *_: object) -> None:
        self.note("term")
        if not self._is.ignores_term:
            os._exit(0)  # as Chrome: the lock stays

    def _start_children(self) -> None:
        if self._is.child:
            idle = [sys.executable, "-ISc", "import signal; signal.pause()"]
            self.note("child", subprocess.Popen(idle).pid)
        if self._is.escapee:
            idle = [sys.executable, "-ISc", "import signal; signal.pause()"]
            self.note("child", subprocess.Popen(idle, start_new_session=True).pid)

    def _lock(self) -> None:
        if sys.platform == "win32":  # Chrome has a mutex there
            return
        folder = tempfile.mkdtemp(prefix="org.chromium.Chromium.")
        os.chdir(folder)  # a socket's path may have no more than a hundred characters
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind("SingletonSocket")
        os.symlink("1", f"{folder}/SingletonCookie")
        links = {
            "SingletonLock": f"{socket.gethostname()}-{os.getpid()}",
            "SingletonSocket": f"{folder}/SingletonSocket",
            "SingletonCookie": "1",
        }
        self._links = [self._profile / name for name in links]
        self._folder = Path(folder)
        for link, target in zip(self._links, links.values(), strict=True):
            os.symlink(target, link)

    def _leave(self) -> None:
        """As Chrome does when it is asked to: the links go, the lock last; the port file stays."""
        for path in (*reversed(self._links), *self._folder.iterdir()):
            path.unlink(missing_ok=True)
        self._folder.rmdir()
        os._exit(0)

    def _obey_pipe(self) -> None:
        while data := os.read(3, 65536):
            for line in data.split(b"\0"):
                if b"Browser.close" in line:
                    self.note("close")
                    self._leave()
        self.note("pipe closed")
        self._leave()

    def _listen(self) -> None:
        server = socket.create_server(("127.0.0.1", self._port))
        port = server.getsockname()[1]
        if not self._port:
            (self._profile / "DevToolsActivePort").write_text(f"{port}\n{self._path}")
        self._address = f"{self._is.host}:{port}"
        os.write(2, f"\nDevTools listening on ws://{self._address}{self._path}\n".encode())
        self._selector.register(server, selectors.EVENT_READ, self._accept)

    def _accept(self, server: socket.socket) -> None:
        connection, _ = server.accept()
        self._selector.register(connection, selectors.EVENT_READ, self._serve)

    def _serve(self, connection: socket.socket) -> None:
        request = connection.recv(65536)
        if request.startswith(b"GET /json/version "):
            self._answer(connection)
        elif b"pgrade: websocket" in request and self._path.encode() in request:
            self._shake_hands(connection, request)
        elif b"Browser.close" in _unmask(request) and not self._is.ignores_close:
            self.note("close")
            self._leave()
        elif request[:1] != b"\x81":
            self._selector.unregister(connection)
            connection.close()

    def _answer(self, connection: socket.socket) -> None:
        url = f"ws://{self._address}{self._path}"
        body = json.dumps({"Browser": "Fake/1.0", "webSocketDebuggerUrl": url})
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall((head + body).encode())

    def _shake_hands(self, connection: socket.socket, request: bytes) -> None:
        line = next(
            li for li in request.split(b"\r\n") if li.lower().startswith(b"sec-websocket-k")
        )
        digest = hashlib.sha1(line.partition(b":")[2].strip() + _GUID.encode()).digest()
        accept = base64.b64encode(digest).decode()
        connection.sendall(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )


def _unmask(frame: bytes) -> bytes:
    """The text of one short masked frame."""
    mask = frame[2:6]
    return bytes(byte ^ mask[index % 4] for index, byte in enumerate(frame[6:])) if mask else b""


def main(log: str, behaviour: dict[str, object]) -> None:
    """Be such a browser."""
    _Browser(log, Behaviour(**behaviour)).run()  # type: ignore[arg-type]
