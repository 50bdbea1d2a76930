"""Pairing by a code a person types: the page at /pair, and how the extension gets the token for it.

For browsers that can start no program of ours. The page knows no secret and only wakes the
extension, which asks for the code on a page of its own; whoever can read our files can show it
(`extension status --show-pairing`), for it follows from the token and the minute. The code has
40 bits, so neither side may hand the other anything to guess at afterwards: it is stretched to a
key, and the side that guesses speaks first, five times in two minutes. The token itself travels
under a pad of that key, which is used once. docs/link.md has the words.
"""

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from html import escape
from http import HTTPStatus
from string import Template
from urllib.parse import parse_qs

import trio

from bridge.relay.doorway import OpenPages, Pages
from bridge.relay.invitation import Invitation
from bridge.transport.link import EXTENSION_ID, ORIGIN
from bridge.transport.websocket_server import Request, Response

PATH = "/pair"
ROUNDS = 200_000
"""Of PBKDF2: the code is worth nothing long before 2^40 guesses of this price are made."""
TRIES = 5
WITHIN = 120.0
_EACH = 60  # seconds a code is shown; the one before it is taken as well
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: none is taken for another
_ALIKE = str.maketrans("OIL", "011", " -")
_PENDING = 8
_NONCE = re.compile(r"[0-9a-f]{32}")


def normal(code: str) -> str:
    """The code as it is meant, however it was typed."""
    return code.upper().translate(_ALIKE)


def code_at(token: str, server_id: str, minute: int) -> str:
    """What a person types in this minute and the next, in two halves: `K7M2-X0QD`."""
    said = f"code\n{server_id}\n{minute}"
    digest = hmac.new(token.encode(), said.encode(), hashlib.sha256).digest()
    letters = "".join(_LETTERS[byte & 31] for byte in digest[:8])
    return f"{letters[:4]}-{letters[4:]}"


def minute_of(now: float) -> int:
    """The minute a moment belongs to."""
    return int(now // _EACH)


def good_until(minute: int) -> float:
    """When the code of this minute ends."""
    return float((minute + 2) * _EACH)


def key_of(code: str, *, port: int, server_id: str, theirs: str, ours: str) -> bytes:
    """What both have who know the code; `theirs` is the extension's nonce."""
    salt = "\n".join(("chrome-bridge", str(port), EXTENSION_ID, server_id, theirs, ours))
    return hashlib.pbkdf2_hmac("sha256", normal(code).encode(), salt.encode(), ROUNDS)


def mac(key: bytes, said: str) -> str:
    """Proof of the key; the extension's says `client`, the server's `server`, newline, `sealed`."""
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()


def seal(key: bytes, token: str) -> str:
    """The token under a pad that is made of the key and used once."""
    pad = hmac.new(key, b"token", hashlib.sha512).digest()
    plain = token.encode("ascii")
    if len(plain) > len(pad):
        raise ValueError("the pad is shorter than the token")
    return bytes(a ^ b for a, b in zip(plain, pad, strict=False)).hex()


class Pairing:
    """What the server of this invitation answers below /pair."""

    def __init__(
        self,
        invitation: Invitation,
        *,
        port: int,
        client_name: str,
        clock: Callable[[], float] = time.time,
        running: Callable[[], float] = trio.current_time,
    ) -> None:
        self._invitation = invitation
        self._port = port
        self._client_name = client_name
        self._clock = clock  # of the wall, for the minute: whoever prints the code has no other
        self._running = running
        self._begun: dict[str, tuple[str, float]] = {}  # our nonce: theirs, and when
        self._tries: list[float] = []

    async def answer(self, request: Request) -> Response | None:
        """None for whatever is not asked of it; Host has been looked at before."""
        path, _, query = request.path.partition("?")
        if path == PATH and request.method == "GET":
            return self._page()
        if path not in (f"{PATH}/begin", f"{PATH}/finish"):
            return None
        if request.method != "POST" or request.headers.get("origin") != ORIGIN:
            return _told(HTTPStatus.FORBIDDEN, {"error": "notAllowed"})
        said = {name: values[0] for name, values in parse_qs(query).items()}
        nonce = said.get("nonce", "")
        if not _NONCE.fullmatch(nonce):
            return _told(HTTPStatus.BAD_REQUEST, {"error": "malformed"})
        if path == f"{PATH}/begin":
            return self._begin(nonce)
        return await self._finish(nonce, said.get("mac", ""))

    def _begin(self, theirs: str) -> Response:
        if not self._left():
            return _told(HTTPStatus.TOO_MANY_REQUESTS, {"error": "tooMany"})
        ours = secrets.token_hex(16)
        self._begun[ours] = theirs, self._running()
        while len(self._begun) > _PENDING:
            del self._begun[next(iter(self._begun))]
        told = {"nonce": ours, "serverId": self._invitation.server_id, "rounds": ROUNDS}
        return _told(HTTPStatus.OK, told | {"clientName": self._client_name})

    async def _finish(self, ours: str, given: str) -> Response:
        theirs, began = self._begun.pop(ours, ("", 0.0))
        if not theirs or self._running() - began > WITHIN:
            return _told(HTTPStatus.GONE, {"error": "tooLate"})
        if not self._left():
            return _told(HTTPStatus.TOO_MANY_REQUESTS, {"error": "tooMany"})
        at = self._running()
        self._tries.append(at)  # before the work: two at once are two
        token = self._invitation.token
        key = await trio.to_thread.run_sync(self._right_key, token, theirs, ours, given)
        if key is None:
            left = self._left()
            return _told(HTTPStatus.FORBIDDEN, {"error": "wrongCode", "left": left})
        with suppress(ValueError):  # it may be so long ago that it does not count any more
            self._tries.remove(at)
        sealed = seal(key, token)
        return _told(HTTPStatus.OK, {"sealed": sealed, "mac": mac(key, f"server\n{sealed}")})

    def _left(self) -> int:
        now = self._running()
        self._tries = [at for at in self._tries if now - at < WITHIN]
        return TRIES - len(self._tries)

    def _right_key(self, token: str, theirs: str, ours: str, given: str) -> bytes | None:
        minute = minute_of(self._clock())
        server_id = self._invitation.server_id
        for each in (minute, minute - 1):
            code = code_at(token, server_id, each)
            key = key_of(code, port=self._port, server_id=server_id, theirs=theirs, ours=ours)
            if hmac.compare_digest(mac(key, "client"), given.encode("ascii", "replace").decode()):
                return key
        return None

    def _page(self) -> Response:
        nonce = secrets.token_urlsafe(16)
        text = _PAGE.substitute(
            nonce=nonce,
            name=escape(self._client_name),
            extension=EXTENSION_ID,
            message=escape(json.dumps({"pair": self._introduction()})),
        )
        policy = f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'"
        also = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        headers = {"Content-Security-Policy": f"{policy}; {also}"}
        return Response(HTTPStatus.OK, text, "text/html", headers)

    def _introduction(self) -> dict[str, object]:
        return {
            "port": self._port,
            "serverId": self._invitation.server_id,
            "clientName": self._client_name,
        }


def open_pages(client_name: str) -> OpenPages:
    """For the server that waits for the extension on behalf of this client."""

    def begin(invitation: Invitation, port: int) -> Pages:
        return Pairing(invitation, port=port, client_name=client_name).answer

    return begin


def _told(status: HTTPStatus, told: dict[str, object]) -> Response:
    headers = {"Access-Control-Allow-Origin": ORIGIN, "Vary": "Origin"}
    return Response(status, json.dumps(told), "application/json", headers)


_PAGE = Template("""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pair with chrome-bridge</title>
<style nonce="$nonce">
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.4rem }
  button { font: inherit; padding: .5rem 1.2rem; margin: .5rem 0 }
  code { font-size: .95em }
</style>
<h1>A program on this computer would like to work in this browser</h1>
<p>It calls itself <b>$name</b>. It sees nothing until you have typed a code into the extension, and
after that only the tabs you share with it.</p>
<ol>
  <li>In a terminal, run <code>chrome-bridge extension status --show-pairing</code>. It prints a
  code of eight letters and digits, which is good for a minute or two.</li>
  <li>Press the button. The extension opens a page of its own, and that is where the code goes.
  Type it nowhere else: this page will never ask for it.</li>
</ol>
<p><button id="pair" data-extension="$extension" data-message="$message">Tell the extension</button>
<p id="told" role="status"></p>
<script nonce="$nonce">
  const button = document.getElementById("pair");
  const told = document.getElementById("told");
  const missing = "The chrome-bridge extension is not in this browser. In a terminal, run "
    + "“chrome-bridge extension path”: it says how to load it. Then reload this page.";
  const tell = (text) => { told.textContent = text; };
  button.addEventListener("click", () => {
    if (!globalThis.chrome?.runtime?.sendMessage) {
      tell(missing);
      return;
    }
    const { extension, message } = button.dataset;
    chrome.runtime.sendMessage(extension, JSON.parse(message), (answer) => {
      const lost = chrome.runtime.lastError;
      tell(lost ? missing : answer?.error ?? "The extension has opened its own page for the code.");
    });
  });
</script>
</html>
""")
