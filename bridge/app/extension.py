"""The commands of `extension`: let a person's own browsers find us, say how it stands, undo it.

A token is shown to nobody but a person who stands at a terminal and asks for it: what is printed
into a file or another program stays there. The code that is made from it may be printed anywhere,
it is good for two minutes and only in a page of the extension.
"""

import json
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import trio

from bridge.errors import BridgeError, UsageError
from bridge.relay import native_host, pairing, registration
from bridge.relay.registration import Host, Place, host_of
from bridge.timeouts import Timeouts, deadline
from launcher import platform as platforms
from launcher.options import LaunchOptions

_INSTALL = "Run: chrome-bridge extension install"
_SAID = {
    "registered": "finds us",
    "absent": "is not told of us",
    "foreign": "is told of another host of our name, which is left alone",
    "impossible": "cannot find us by itself",
    "failed": "could not be told of us",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One browser, and whether it finds our native host."""

    browser: str
    state: str  # registered, absent, foreign, impossible, failed
    where: str
    why: str = ""

    def line(self) -> str:
        """For people."""
        mark = "ok" if self.state == "registered" else "--"
        why = f": {self.why}" if self.why else ""
        return f"{mark}  {self.browser} {_SAID[self.state]}{why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What `install` or `uninstall` has done."""

    host: str
    browsers: list[Told]
    extension: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server an extension can be told of."""

    server_id: str
    client_name: str
    port: int
    started_at: float
    listening: bool
    page: str = ""  # these two only where pairing is asked about
    code: str = ""
    good_until: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How it stands."""

    extension: str
    host: str
    host_state: str  # ready, absent, stale
    host_answers: bool
    why: str
    step: str
    browsers: list[Told]
    servers: list[Server]


def folder() -> Path:
    """What a browser loads unpacked: in the package where installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "extension"
    return packed if packed.is_dir() else package.parent / "extension"


def clicks() -> list[str]:
    """How a person loads it."""
    return [
        "1. Open chrome://extensions and switch on “Developer mode”.",
        "2. Click “Load unpacked” and choose the folder above.",
        "3. Pin the chrome-bridge icon: it shows who works where, and stops it.",
    ]


def install(options: LaunchOptions) -> Change:
    """Tell every browser of this person, and our own profiles, where the host is."""
    host = host_of(options.data_dir)
    try:
        host.write()
    except OSError as error:
        raise UsageError(
            "BAD_ARGS",
            f"the native host cannot be written to {host.wrapper.parent}: {error.strerror}",
            hint="Give a data folder of yours with --data-dir.",
        ) from error
    return _change(host, registration.register)


def uninstall(options: LaunchOptions) -> Change:
    """Take back what `install` has done, and nothing else."""
    host = host_of(options.data_dir)
    done = _change(host, registration.unregister)
    try:
        host.remove()
    except OSError as error:
        raise UsageError(
            "BAD_ARGS",
            f"the native host in {host.wrapper.parent} cannot be removed: {error.strerror}",
            hint="Remove that folder yourself; no browser is led there any more.",
        ) from error
    return done


def _change(host: Host, work: Callable[[Place, Host], str]) -> Change:
    return Change(
        host=str(host.wrapper),
        browsers=[_told(place, host, work) for place in _places(host)],
        extension=str(folder()),
    )


def _places(host: Host) -> list[Place]:
    return registration.places(platforms.current(), host)


def _told(place: Place, host: Host, work: Callable[[Place, Host], str]) -> Told:
    why = place.obstacle
    try:
        state = work(place, host)
    except OSError as error:
        state, why = "failed", error.strerror or str(error)
    if state == "foreign":
        why = place.where
    return Told(browser=place.browser, state=state, where=place.where, why=why)


def texts_to_paste(options: LaunchOptions) -> dict[str, str]:
    """By server, what pairs without a code: for the eyes of one person, and never for a file."""
    found = native_host.Links(str(host_of(options.data_dir).links)).servers() or []
    return {str(each["serverId"]): f"{each['port']}:{each['token']}" for each in found}


def standing(options: LaunchOptions) -> tuple[str, list[Told]]:
    """The host (ready, absent, stale) and the browsers, as the files say; starts nothing."""
    host = host_of(options.data_dir)
    return _state(host), [_told(place, host, registration.state_of) for place in _places(host)]


async def status(options: LaunchOptions, timeouts: Timeouts, *, codes: bool = False) -> State:
    """Look at the host, the browsers and the servers; changes nothing."""
    host = host_of(options.data_dir)
    state, browsers = standing(options)
    why, step = "", ""
    if state == "absent":
        why, step = "the native host is not installed", _INSTALL
    else:
        why = await _why_silent(host, timeouts)
        step = _INSTALL if why or state == "stale" else ""
    found = native_host.Links(str(host.links)).servers() or []
    return State(
        extension=str(folder()),
        host=str(host.wrapper),
        host_state=state,
        host_answers=not why,
        why=why,
        step=step,
        browsers=browsers,
        servers=[await _server(each, timeouts, codes=codes) for each in found],
    )


def _state(host: Host) -> str:
    try:
        written = host.wrapper.read_bytes()
    except OSError:
        return "absent"
    return "ready" if written == host.script() else "stale"


async def _why_silent(host: Host, timeouts: Timeouts) -> str:
    """Why the host does not answer as a browser would ask it; "" if it does."""
    command = [str(host.wrapper), native_host.ORIGIN]
    try:
        with deadline(timeouts, "probe", "asking the native host"):
            done = await trio.run_process(
                command, stdin=b"", capture_stdout=True, capture_stderr=True, check=False
            )
    except (OSError, BridgeError) as error:
        return f"the native host cannot be run: {error}"
    if done.returncode or not _is_list(done.stdout):
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0][:200]
        return f"the native host gives no answer: {said or 'nothing was said'}"
    return ""


def _is_list(said: bytes) -> bool:
    if len(said) < 4:
        return False
    (length,) = struct.unpack("=I", said[:4])
    try:
        return isinstance(json.loads(said[4 : 4 + length])["servers"], list)
    except (ValueError, KeyError, TypeError):
        return False


async def _server(told: native_host.Server, timeouts: Timeouts, *, codes: bool) -> Server:
    token, server_id = str(told["token"]), str(told["serverId"])
    port = int(str(told["port"]))
    server = Server(
        server_id=server_id,
        client_name=str(told["clientName"]),
        port=port,
        started_at=float(str(told["startedAt"])),
        listening=await _listens(port, timeouts),
    )
    if not codes:
        return server
    minute = pairing.minute_of(time.time())
    return replace(
        server,
        page=f"http://127.0.0.1:{port}{pairing.PATH}",
        code=pairing.code_at(token, server_id, minute),
        good_until=pairing.good_until(minute),
    )


async def _listens(port: int, timeouts: Timeouts) -> bool:
    with trio.move_on_after(timeouts.connect):
        try:
            stream = await trio.open_tcp_stream("127.0.0.1", port)
        except OSError:
            return False
        await stream.aclose()
        return True
    return False


# What a person reads.


def installed_lines(done: Change) -> list[str]:
    """After `install`."""
    lines = [each.line() for each in done.browsers]
    if not done.browsers:
        lines = ["No browser of yours was found. Start it once, then run this again."]
    if any(each.state == "impossible" for each in done.browsers):
        lines.append("Where it cannot: chrome-bridge extension status --show-pairing")
    return [*lines, "", f"Now load the extension, once: {done.extension}", *clicks()]


def uninstalled_lines(done: Change) -> list[str]:
    """After `uninstall`."""
    left = [each.line() for each in done.browsers if each.state in ("foreign", "failed")]
    return [
        "No browser is led to us any more.",
        *left,
        "The extension itself is removed in chrome://extensions.",
    ]


def status_lines(found: State, pasted: Mapping[str, str]) -> list[str]:
    """For `status`; `pasted` only for somebody at a terminal."""
    said = found.why or "the native host answers"
    if not found.why and found.host_state == "stale":
        said += ", but it is that of another installation"
    lines = [f"{'ok' if not found.step else '--'}  {said}" + (f". {found.step}" * bool(found.step))]
    lines += [each.line() for each in found.browsers]
    if not found.browsers:
        lines.append("--  no browser of yours was found")
    if not found.servers:
        lines.append("No server that uses the extension is running.")
    for server in found.servers:
        lines += _server_lines(server, pasted.get(server.server_id, ""))
    return [*lines, f"extension: {found.extension}"]


def _server_lines(server: Server, pasted: str) -> list[str]:
    state = "listens" if server.listening else "does NOT listen"
    lines = [f"{server.client_name}: {state} on port {server.port}"]
    if server.code:
        until = time.strftime("%H:%M:%S", time.localtime(server.good_until))
        lines.append(f"    open {server.page} in that browser")
        lines.append(f"    the code is {server.code}, good until {until}")
    if pasted:
        lines.append(f"    or paste into the extension's options: {pasted}")
        lines.append("    (whoever has this text can pass for this server: show it to nobody)")
    return lines
