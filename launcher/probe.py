"""Asks a debugging port who it is: GET /json/version, nothing more.

A port number proves nothing (files go stale, ports are reused, and Chrome silently listens on [::1]
when its IPv4 port is taken), so an address counts only when the answer names the path we expect.
"""

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

import trio

from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, UsageError
from bridge.timeouts import Timeouts, deadline

_DIGITS = 12  # Python refuses to read numbers of thousands of them
_MAX_ANSWER = 8 * 1024 * 1024  # the list of thousands of tabs


@dataclass(frozen=True, slots=True)
class Answer:
    """What the port says of itself."""

    url: str  # ws://…/devtools/browser/…
    product: str  # "Chrome/156.0.1"


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where an http:// URL leads."""

    host: str
    port: int

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_endpoint(url: str) -> HttpAddress | str:
    """An http:// URL as host and port; a ws:// URL as it is; BAD_ARGS otherwise."""
    if not url.isprintable() or " " in url:
        raise _bad_endpoint(url, "it holds white space or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad_endpoint(url, str(error)) from error
    if not parts.hostname:
        raise _bad_endpoint(url, "it names no host")
    if parts.username is not None:
        raise _bad_endpoint(url, "it holds a user name")
    if port == 0:
        raise _bad_endpoint(url, "its port is 0")
    if parts.scheme == "ws":
        return url
    if parts.scheme != "http":
        raise _bad_endpoint(url, "it must begin with http:// or ws://")
    return HttpAddress(parts.hostname, port or 80)


async def resolve(url: str, timeouts: Timeouts) -> str:
    """The ws:// URL of the browser behind an endpoint a caller gave us."""
    address = parse_endpoint(url)
    return address if isinstance(address, str) else (await ask(address, timeouts)).url


async def ask(address: HttpAddress, timeouts: Timeouts) -> Answer:
    """What listens there; NO_BACKEND says why it is no browser, BROWSER_HUNG that it is silent."""
    return _read(address, await _fetch(address, "/json/version", timeouts))


async def _fetch(address: HttpAddress, path: str, timeouts: Timeouts) -> bytes:
    try:
        with deadline(timeouts, "connect", f"asking {address.authority}"):
            return await _get(address, path)
    except DeadlineExceeded as error:
        raise ChromeError(
            "BROWSER_HUNG",
            f"{address.authority} accepts connections and does not answer",
            hint="The browser is frozen, or something else listens there.",
        ) from error
    except trio.BrokenResourceError as error:
        raise _no_browser(address, "it hangs up") from error
    except (OSError, UnicodeError) as error:  # UnicodeError: a name no resolver takes
        raise _no_browser(address, "nothing listens there") from error


@dataclass(frozen=True, slots=True)
class TabLine:
    """A tab as the port lists it, the one used last first."""

    url: str
    title: str


async def list_tabs(address: HttpAddress, timeouts: Timeouts) -> list[TabLine]:
    """The pages that are open, without attaching to anything; raises as `ask` does."""
    body = await _fetch(address, "/json/list", timeouts)
    try:
        pages = [entry for entry in json.loads(body) if entry["type"] == "page"]
        return [TabLine(str(page["url"]), str(page["title"])) for page in pages]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _no_browser(address, "it answers, but not as a browser does") from error


def _read(address: HttpAddress, body: bytes) -> Answer:
    try:
        values = json.loads(body)
        path, product = urlsplit(values["webSocketDebuggerUrl"]).path, values["Browser"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_browser(address, "it answers, but not as a browser does") from error
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(product, str):
        raise _no_browser(address, "it answers, but not as a browser does")
    return Answer(f"ws://{address.authority}{path}", product)


async def _get(address: HttpAddress, path: str) -> bytes:
    """The body of a plain answer with status 200."""
    stream = await trio.open_tcp_stream(address.host, address.port)
    async with stream:
        host = f"Host: {address.authority}\r\nConnection: close\r\n\r\n"
        await stream.send_all(f"GET {path} HTTP/1.1\r\n{host}".encode())
        data = bytearray()
        end = -1
        while end < 0 or len(data) < end:
            chunk = await stream.receive_some(65536)
            if not chunk:
                break
            data += chunk
            if len(data) > _MAX_ANSWER:
                raise _no_browser(address, "its answer does not end")
            end = _end_of(data) if end < 0 else end
    head, _, body = bytes(data).partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if not head.startswith(b"HTTP/1.") or len(words) < 2:
        raise _no_browser(address, "it does not speak HTTP")
    if words[1] != b"200":
        raise _no_browser(address, f"it answers {words[1].decode('ascii', 'replace')[:20]}")
    return body


def _end_of(data: bytearray) -> int:
    """Where the answer ends by its announced length; -1 while its head has not come.

    Without a length the end of the connection decides.
    """
    blank = data.find(b"\r\n\r\n")
    if blank < 0:
        return -1
    for line in bytes(data[:blank]).lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        length = value.strip()
        if name == b"content-length" and length.isdigit() and len(length) < _DIGITS:
            return blank + 4 + int(length)
    return _MAX_ANSWER + 1


def _no_browser(address: HttpAddress, why: str) -> BridgeError:
    return ChromeError(
        "NO_BACKEND",
        f"no DevTools endpoint at {address.authority}: {why}",
        hint="Check that the browser runs with remote debugging and that the address is its own.",
        retryable=True,
    )


def _bad_endpoint(url: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"{url!r} cannot be used as a CDP endpoint: {why}",
        hint="Give http://127.0.0.1:PORT or ws://127.0.0.1:PORT/devtools/browser/….",
    )
