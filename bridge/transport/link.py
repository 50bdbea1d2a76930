"""What is said on the link to the extension: names, limits, close codes, and who may ask what.

Both ends are made from this file: Python imports it, `extension/messages.js` is generated from it
(`python -m bridge.transport.link` writes it, `--check` compares). The extension pretends to be a
browser's CDP endpoint, so only what CDP has no word for is defined here; docs/link.md tells the
story in order. What the extension refuses is listed here as well, so that both ends read one list.
"""

import hashlib
import hmac
import json
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

import msgspec

from bridge.timeouts import Timeouts

VERSION = 1
VERSIONS = (1,)
EXTENSION_ID = "chmknkffepocaobicagfckenpehglmlb"
"""Chrome's name for the public key in extension/manifest.json."""
ORIGIN = f"chrome-extension://{EXTENSION_ID}"
HOST_NAME = "com.chrome_bridge.link"
"""The native-messaging host that tells the extension which servers there are."""

MAX_HELLO = 16 * 1024
"""Bytes of a frame before the welcome."""
FRAMES_BEFORE_WELCOME = 4
KEEPALIVE_MS = int(Timeouts().ping * 1000)
"""A text message, for Chrome ends a worker after 30 s without one; its own pings do not count."""
MAX_FRAME = 100 * 1024 * 1024
MAX_BUFFERED_EVENTS = 2000
MAX_UNSENT = 32 * 1024 * 1024
"""Bytes the extension has not got rid of; above it events are dropped and a gap is told."""


class Close(IntEnum):
    """Why a link was closed."""

    GOING_AWAY = 1001
    TOO_BIG = 1009
    MALFORMED = 4400
    UNAUTHORIZED = 4401  # wrong proof, no hello in time, too many frames before it
    VERSION = 4402
    USER_REFUSED = 4403
    SILENT = 4408
    REPLACED = 4409  # the same browser has connected again


class Wire(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A message's parameters: unknown fields are ignored, a newer other side must not break us."""


class Attached(Wire, frozen=True):
    """A tab the extension is attached to, across the death of its worker."""

    tab_id: int
    target_id: str


class Hello(Wire, frozen=True):
    """First word of the extension; nothing in it is secret, and there is no address."""

    versions: list[int]
    nonce: str
    extension_id: str
    ext_version: str
    instance_id: str  # one for each browser profile the extension is installed in
    epoch: str  # one for each run of the browser; a worker that died keeps it
    product: str  # as Browser.getVersion tells it
    label: str = ""
    why: str = ""
    file_access: bool = False
    incognito_access: bool = False
    attached: list[Attached] = []


class Challenge(Wire, frozen=True):
    """The server proves that it knows the token; the extension hangs up where it does not."""

    version: int
    nonce: str
    mac: str


class Proof(Wire, frozen=True):
    """The extension proves the same."""

    mac: str


class Sites(Wire, frozen=True):
    """Where a client may go: patterns such as `*`, `example.com`, `*.example.com:8080`."""

    visited: list[str]
    never: list[str] = []


class Welcome(Wire, frozen=True):
    """Both know whom they speak to."""

    server_id: str
    client_name: str
    sites: Sites
    downloads: bool = False
    uploads: bool = False
    keepalive_ms: int = KEEPALIVE_MS


class Ready(Wire, frozen=True):
    """The extension is at work; from here on CDP is spoken."""

    targets: list[dict[str, Any]] = []
    paused: bool = False
    capabilities: list[str] = []


OUTCOME_UNKNOWN = "outcomeUnknown"
"""Why a request failed, in the `data` of its error: its worker ended while it was under way."""
ATTACH_CONFLICT = "attachConflict"
POLICY = "policy"
TOO_BIG = "tooBig"
PAUSED = "paused"
NOT_SHARED = "notShared"

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a message of the other side raises."""


def session_of(tab_id: int) -> str:
    """The session of a tab: ids say what they mean, so a worker that died has nothing to recall."""
    return f"t{tab_id}"


ROLE_SERVER = "server"
ROLE_CLIENT = "client"


def proof(
    token: str, role: str, *, version: int, port: int, extension_id: str, theirs: str, ours: str
) -> str:
    """What only somebody who knows the token can say: `theirs` is the extension's nonce."""
    said = "\n".join((role, str(version), str(port), extension_id, theirs, ours))
    return hmac.new(token.encode(), said.encode(), hashlib.sha256).hexdigest()


ROOT_METHODS = (
    "Bridge.ping",
    "Bridge.setPolicy",
    "Bridge.releaseTab",
    "Bridge.requestTab",
    "Browser.getVersion",
    "Browser.getWindowForTarget",
    "Browser.setWindowBounds",
    "Browser.setDownloadBehavior",
    "Browser.cancelDownload",
    "Target.getTargets",
    "Target.getTargetInfo",
    "Target.setDiscoverTargets",
    "Target.attachToTarget",
    "Target.detachFromTarget",
    "Target.createTarget",
    "Target.closeTarget",
    "Target.activateTarget",
)
"""What the extension does in the browser's stead; any other call without a session is refused."""

DOMAINS = (
    "Accessibility",
    "Audits",
    "CSS",
    "DOM",
    "DOMSnapshot",
    "Emulation",
    "Fetch",
    "IO",
    "Input",
    "Inspector",
    "Log",
    "Network",
    "Overlay",
    "Page",
    "Performance",
    "Runtime",
    "Target",
)
"""What may be asked of a tab, but for the methods below."""

REFUSED = {
    "Network.clearBrowserCache": "it is the whole browser's",
    "Network.clearBrowserCookies": "they are the whole browser's",
    "Network.deleteDeviceBoundSession": "it may be any site's",
    "Network.enableDeviceBoundSessions": "they are the whole browser's",
    "Network.getAllCookies": "they are the whole browser's",
    "Network.loadNetworkResource": "it fetches any address with the person's login",
    "Page.crash": "it serves nobody",
    "Page.disable": "downloads are watched by it",
    "Page.setDownloadBehavior": "Chrome refuses it to extensions",
    "Page.setWebLifecycleState": "a frozen page would stand still before its owner's eyes",
    "Target.activateTarget": "targets are asked for at the root",
    "Target.attachToTarget": "targets are asked for at the root",
    "Target.closeTarget": "targets are asked for at the root",
    "Target.createBrowserContext": "extensions have one profile",
    "Target.createTarget": "targets are asked for at the root",
    "Target.detachFromTarget": "targets are asked for at the root",
    "Target.exposeDevToolsProtocol": "it hands the page the browser",
    "Target.setDiscoverTargets": "targets are asked for at the root",
}
"""What is asked of no tab, and why; read aloud to whoever asks."""

WITH_ADDRESSES = {
    "Network.getCookies": "urls",
    "Network.setCookie": "url",
    "Network.deleteCookies": "url",
    "Page.navigate": "url",
}
"""Methods whose parameter names addresses: each of them must be allowed, and must be there."""


def constants() -> dict[str, Any]:
    """Everything the extension has to know as well."""
    return {
        "VERSION": VERSION,
        "VERSIONS": list(VERSIONS),
        "HOST_NAME": HOST_NAME,
        "CLOSE": {close.name: int(close) for close in Close},
        "ROOT_METHODS": list(ROOT_METHODS),
        "DOMAINS": list(DOMAINS),
        "REFUSED": REFUSED,
        "WITH_ADDRESSES": WITH_ADDRESSES,
        "LIMITS": {
            "maxFrame": MAX_FRAME,
            "maxUnsent": MAX_UNSENT,
            "maxBufferedEvents": MAX_BUFFERED_EVENTS,
            "keepaliveMs": KEEPALIVE_MS,
        },
    }


def render() -> str:
    """The text of extension/messages.js."""
    parts = ["// Made from bridge/transport/link.py by `make gen`; never edited.\n"]
    for name, value in constants().items():
        text = json.dumps(value, indent=2)
        shown = f"Object.freeze({text})" if isinstance(value, dict | list) else text
        parts.append(f"export const {name} = {shown};\n")
    return "\n".join(parts)


def main(argv: list[str]) -> int:
    """Write the file, or say that it is stale."""
    file = Path(__file__).parents[2] / "extension" / "messages.js"
    if "--check" in argv:
        if file.is_file() and file.read_text(encoding="utf-8") == render():
            return 0
        sys.stderr.write(f"{file.name} is stale: run `make gen`.\n")
        return 1
    file.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
