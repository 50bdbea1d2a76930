"""Ask a browser to quit in order, over its debugging port: the only end that keeps a fresh login.

A cookie set 0.3 s ago survives `Browser.close` and a closing pipe; SIGTERM loses it. This is a
blocking few lines of WebSocket because the watchdog has neither trio nor our packages.

Standard library only.
"""

import base64
import contextlib
import json
import os
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from launcher.plain_file import read_plain


def port_file(profile: Path) -> Path:
    """Where Chrome writes its port and path."""
    return profile / "DevToolsActivePort"


def read_port(profile: Path) -> tuple[int, str] | None:
    """Port and WebSocket path Chrome has written; None while missing, empty or damaged."""
    try:
        lines = read_plain(port_file(profile), 1024).decode("ascii").split("\n")
        port, path = int(lines[0]), lines[1]
    except (OSError, ValueError, IndexError):
        return None
    return (port, path) if 0 < port < 65536 and path.startswith("/devtools/browser/") else None


def remove_port(profile: Path, endpoint: str) -> None:
    """Remove the file if it names this endpoint; Chrome itself never does."""
    written = read_port(profile)
    if written is not None and urlsplit(endpoint).path == written[1]:
        drop_port(profile)


def drop_port(profile: Path) -> None:
    """Remove the file, whatever it names."""
    with contextlib.suppress(OSError):
        port_file(profile).unlink(missing_ok=True)


def say(url: str, method: str, seconds: float) -> bool:
    """Send one browser command and wait for any answer or the end of the connection.

    False when it was not heard within that time.
    """
    try:
        return _say(url, method, time.monotonic() + seconds)
    except (OSError, ValueError):
        return False


def _say(url: str, method: str, limit: float) -> bool:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 80
    with socket.create_connection((host, port), _left(limit)) as sock:
        key = base64.b64encode(os.urandom(16)).decode()
        sock.sendall(
            f"GET {parts.path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            sock.settimeout(_left(limit))
            chunk = sock.recv(4096)
            if not chunk or len(head) > 16384:
                return False
            head += chunk
        if not head.startswith(b"HTTP/1.1 101"):
            return False
        text = json.dumps({"id": 1, "method": method}).encode()
        sock.sendall(bytes([0x81, 0x80 | len(text)]) + b"\0\0\0\0" + text)
        sock.settimeout(_left(limit))
        with contextlib.suppress(ConnectionError):
            sock.recv(4096)
    return True


def _left(limit: float) -> float:
    left = limit - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
