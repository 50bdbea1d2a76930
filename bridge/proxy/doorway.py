"""Who may be a guest: a pure look at the head of a request.

Whoever gets in has the tabs, so the token is wanted for every word, the name of the browser
included. A program sends no Origin; what does is a page, or something that shows pages.
"""

from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest

from bridge.transport.websocket_server import Request, Response

NAMES = ("127.0.0.1", "localhost")
_SIGN = {"WWW-Authenticate": "Bearer"}


class Doorway:
    """For one port and one token, of which it keeps the digest only."""

    def __init__(self, port: int, token: str) -> None:
        self._hosts = {f"{name}:{port}" for name in NAMES}
        self.renew(token)

    def renew(self, token: str) -> None:
        """Another token, instead of the one so far."""
        self._digest = _digest(token)

    def refuse(self, request: Request) -> Response | None:
        """None if the request may go on."""
        headers = request.headers
        if headers.get("host", "").lower() not in self._hosts:
            return Response(403, "This host name is not served.")
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            return Response(403, "Web pages are not served.")
        if not self._has_token(headers):
            return Response(401, "The token is missing or wrong.", headers=_SIGN)
        return None

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        # Of digests: their length tells nothing, nor does where the comparison ends.
        return compare_digest(_digest(token.strip()), self._digest) and scheme.lower() == "bearer"


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()
