"""Who may speak to the HTTP server: a pure look at the head of a request.

A web page can reach every port of this machine. What tells it apart are the headers a browser sets
and a page cannot: Host (a name that was rebound to us is still the attacker's), Origin, and
Sec-Fetch-Site. What tells other programs apart is the token. Each check alone has been got around
somewhere; none of them costs anything. Without a token `/health` says that somebody is there, which
the open port has said already, and nothing more: what serves, and which version, is for holders of
the token.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

Headers = Iterable[tuple[bytes, bytes]]
ENDPOINT, HEALTH = "/mcp", "/health"
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_USUAL = 80
_SITES = ("none", "same-origin")


@dataclass(frozen=True, slots=True)
class Refused:
    """The status, and a sentence that repeats nothing of the request."""

    status: int
    why: str


def is_signed(headers: Headers) -> bool:
    """Whether a token came along; whoever got past the guard has the right one."""
    return any(name.lower() == b"authorization" for name, _ in headers)


class Guard:
    """For one port and one token, of which it keeps the digest only."""

    def __init__(self, port: int, token: str) -> None:
        self._hosts = {f"{name}:{port}" for name in _NAMES}
        if port == _USUAL:  # clients leave it out
            self._hosts.update(_NAMES)
        self._origins = {f"http://{host}" for host in self._hosts}
        self._digest = _digest(token)

    def renew(self, token: str) -> None:
        """Another token, instead of the one so far."""
        self._digest = _digest(token)

    def check(self, method: str, path: str, headers: Headers) -> Refused | None:
        """None if the request may go on."""
        found: dict[str, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refused = self._check_browser(found)
        if refused is not None:
            return refused
        if path not in (ENDPOINT, HEALTH):
            return Refused(404, "There is nothing here.")
        if path == HEALTH and "authorization" not in found:
            return None
        if path == ENDPOINT and method == "POST" and not _is_json(found.get("content-type", [])):
            return Refused(415, "The body has to be application/json.")
        if not self._has_token(found.get("authorization", [])):
            return Refused(401, "The token is missing or wrong.")
        return None

    def _check_browser(self, found: dict[str, list[str]]) -> Refused | None:
        hosts, origins = found.get("host", []), found.get("origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refused(403, "This host name is not served.")
        if any(origin not in self._origins for origin in origins):
            return Refused(403, "Web pages are not served.")
        if any(site not in _SITES for site in found.get("sec-fetch-site", [])):
            return Refused(403, "Other sites are not served.")
        return None

    def _has_token(self, given: list[str]) -> bool:
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(" ")
        # Of digests: their length tells nothing, nor does where the comparison ends.
        return compare_digest(_digest(token.strip()), self._digest) and scheme.lower() == "bearer"


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "replace")).digest()


def _is_json(given: list[str]) -> bool:
    return len(given) == 1 and given[0].partition(";")[0].strip().lower() == "application/json"
