"""Pairing by a code: the extension's half is played here, as docs/link.md tells it."""

import hmac
import json
import secrets
import urllib.parse
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import trio

from bridge.relay import pairing
from bridge.relay.invitation import Invitation, open_invitation
from bridge.relay.pairing import Pairing, code_at, key_of, mac, minute_of, normal, seal
from bridge.transport.link import EXTENSION_ID, ORIGIN
from bridge.transport.websocket_server import Request, Response

PORT = 40123
NAME = 'A <b>"client"</b>'


class Clock:
    """A wall clock that goes when told, and may be set; beside it one that nobody sets."""

    def __init__(self) -> None:
        self.now = 1_760_000_010.0
        self.begun = self.now

    def __call__(self) -> float:
        return self.now

    def running(self) -> float:
        return self.now - self.begun

    def leap(self, seconds: float) -> None:
        self.now += seconds
        self.begun += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def invitation(tmp_path: Path) -> Iterator[Invitation]:
    with open_invitation(tmp_path / "links", NAME, PORT) as opened:
        yield opened


@pytest.fixture
def server(invitation: Invitation, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Pairing:
    monkeypatch.setattr(pairing, "ROUNDS", 1000)  # what a guess costs is not what is tested
    return Pairing(invitation, port=PORT, client_name=NAME, clock=clock, running=clock.running)


async def ask(
    server: Pairing, path: str, *, method: str = "POST", origin: str = ORIGIN, **query: str
) -> Response:
    where = f"{path}?{urllib.parse.urlencode(query)}" if query else path
    response = await server.answer(Request(method, where, {"origin": origin}))
    assert response is not None
    return response


async def begin(server: Pairing) -> tuple[str, dict[str, Any]]:
    """Our nonce, and what the server answers."""
    nonce = secrets.token_hex(16)
    response = await ask(server, "/pair/begin", nonce=nonce)
    assert response.status == 200
    return nonce, json.loads(response.body)


async def finish(
    server: Pairing, code: str, *, mine: str, told: dict[str, Any]
) -> tuple[Response, bytes]:
    key = key_of(code, port=PORT, server_id=told["serverId"], theirs=mine, ours=told["nonce"])
    response = await ask(server, "/pair/finish", nonce=told["nonce"], mac=mac(key, "client"))
    return response, key


async def type_code(server: Pairing, code: str) -> tuple[Response, bytes]:
    """All of the extension's half."""
    mine, told = await begin(server)
    return await finish(server, code, mine=mine, told=told)


def opened(response: Response, key: bytes) -> str:
    told = json.loads(response.body)
    assert told["mac"] == mac(key, f"server\n{told['sealed']}")
    pad = hmac.digest(key, b"token", "sha512")
    return bytes(a ^ b for a, b in zip(bytes.fromhex(told["sealed"]), pad, strict=False)).decode()


def shown(invitation: Invitation, clock: Clock) -> str:
    return code_at(invitation.token, invitation.server_id, minute_of(clock.now))


def test_vector() -> None:
    """The figures docs/link.md gives to whoever builds the other half are the ones made here."""
    token, server_id = "A" * 43, "0123456789abcdef"
    code = code_at(token, server_id, 29_333_333)
    key = key_of(code, port=PORT, server_id=server_id, theirs="0" * 32, ours="1" * 32)
    sealed = seal(key, token)
    page = (Path(__file__).parents[3] / "docs" / "link.md").read_text(encoding="utf-8")
    for figure in (code, key.hex(), mac(key, "client"), sealed, mac(key, f"server\n{sealed}")):
        assert figure in page


@pytest.mark.parametrize("typed", ["k7m2-x0qd", "K7M2X0QD", " k7m2 xoqd ", "K7M2-XOQD"])
def test_normal(typed: str) -> None:
    """Case, spaces, dashes and letters that look like digits do not matter."""
    assert normal(typed) == "K7M2X0QD"


async def test_right_code(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """The right code opens the token, and the token is not to be seen on the way."""
    response, key = await type_code(server, shown(invitation, clock))
    assert response.status == 200
    assert invitation.token not in response.body
    assert opened(response, key) == invitation.token
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN


async def test_code_of_the_last_minute(
    server: Pairing, invitation: Invitation, clock: Clock
) -> None:
    """A code is taken in the minute after the one it was shown in, and no longer."""
    code = shown(invitation, clock)
    clock.now += 60
    assert (await type_code(server, code))[0].status == 200
    clock.now += 60
    assert (await type_code(server, code))[0].status == 403


async def test_renewed_token(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """A code dies with the token it was made from."""
    code = shown(invitation, clock)
    invitation.renew()
    assert (await type_code(server, code))[0].status == 403
    response, key = await type_code(server, shown(invitation, clock))
    assert opened(response, key) == invitation.token


async def test_five_tries(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """After five wrong codes the right one is refused as well, for two minutes."""
    for left in (4, 3, 2, 1, 0):
        response, _ = await type_code(server, "0000-0000")
        assert json.loads(response.body) == {"error": "wrongCode", "left": left}
    refused = await ask(server, "/pair/begin", nonce="0" * 32)
    assert (refused.status, json.loads(refused.body)) == (429, {"error": "tooMany"})
    clock.now += 120
    assert (await type_code(server, shown(invitation, clock)))[0].status == 200


@pytest.mark.parametrize("hours", [5, -5])
async def test_clock_is_set(
    server: Pairing, invitation: Invitation, clock: Clock, hours: int
) -> None:
    """A clock that is set makes another code, and nothing else: tries count as they did."""
    code = shown(invitation, clock)
    mine, told = await begin(server)
    late = await begin(server)
    clock.leap(hours * 3600)
    assert (await finish(server, code, mine=mine, told=told))[0].status == 403
    for left in (3, 2, 1, 0):
        response, _ = await type_code(server, "0000-0000")
        assert json.loads(response.body) == {"error": "wrongCode", "left": left}
    clock.leap(hours * 3600)
    assert (await ask(server, "/pair/begin", nonce="0" * 32)).status == 429
    clock.now += pairing.WITHIN + 1
    clock.leap(-2 * hours * 3600)
    response, _ = await finish(server, shown(invitation, clock), mine=late[0], told=late[1])
    assert response.status == 410
    assert (await type_code(server, shown(invitation, clock)))[0].status == 200


async def test_tries_at_once(server: Pairing) -> None:
    """Tries that were begun before, and are finished side by side, count like any others."""
    begun = [await begin(server) for _ in range(8)]
    statuses: list[int] = []

    async def one(mine: str, told: dict[str, Any]) -> None:
        statuses.append((await finish(server, "0000-0000", mine=mine, told=told))[0].status)

    async with trio.open_nursery() as nursery:
        for mine, told in begun:
            nursery.start_soon(one, mine, told)
    assert sorted(statuses) == [403] * pairing.TRIES + [429] * 3


async def test_right_codes_cost_no_tries(
    server: Pairing, invitation: Invitation, clock: Clock
) -> None:
    """Several browsers can be paired in a row."""
    for _ in range(pairing.TRIES + 1):
        assert (await type_code(server, shown(invitation, clock)))[0].status == 200


async def test_replay(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """A proof that was heard is worth nothing a second time, nor in an exchange of another's."""
    mine, told = await begin(server)
    code = shown(invitation, clock)
    first, key = await finish(server, code, mine=mine, told=told)
    assert first.status == 200
    again, _ = await finish(server, code, mine=mine, told=told)
    assert again.status == 410
    _, other = await begin(server)
    stolen = await ask(server, "/pair/finish", nonce=other["nonce"], mac=mac(key, "client"))
    assert stolen.status == 403


async def test_relayed(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """What was proved to another port proves nothing here: it may have been passed on."""
    mine, told = await begin(server)
    code = shown(invitation, clock)
    key = key_of(code, port=PORT + 1, server_id=told["serverId"], theirs=mine, ours=told["nonce"])
    response = await ask(server, "/pair/finish", nonce=told["nonce"], mac=mac(key, "client"))
    assert response.status == 403


async def test_too_late(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """What was begun two minutes ago is over."""
    mine, told = await begin(server)
    clock.now += pairing.WITHIN + 1
    response, _ = await finish(server, shown(invitation, clock), mine=mine, told=told)
    assert (response.status, json.loads(response.body)) == (410, {"error": "tooLate"})


@pytest.mark.parametrize(
    "origin", ["", "null", "http://127.0.0.1:40123", f"{ORIGIN}/", "chrome-extension://other"]
)
@pytest.mark.parametrize("path", ["/pair/begin", "/pair/finish"])
async def test_other_origin(server: Pairing, path: str, origin: str) -> None:
    """Only the extension may ask, not even the page itself."""
    assert (await ask(server, path, origin=origin, nonce="0" * 32)).status == 403
    assert (await ask(server, path, method="GET", nonce="0" * 32)).status == 403


@pytest.mark.parametrize("nonce", ["", "0", "0" * 33, "G" * 32, "Ü" * 32])
async def test_malformed(server: Pairing, nonce: str) -> None:
    """A nonce that is none is refused before anything is kept."""
    for path in ("/pair/begin", "/pair/finish"):
        assert (await ask(server, path, nonce=nonce)).status == 400


async def test_odd_proof(server: Pairing) -> None:
    """A proof that is no proof is a wrong one."""
    for given in ("", "Ü", "x" * 64):
        _, told = await begin(server)
        response = await ask(server, "/pair/finish", nonce=told["nonce"], mac=given)
        assert response.status == 403


@pytest.mark.parametrize(
    "path", ["/", "/pair/", "/pairs", "/link", "//pair", "/pair/begin/x", "//[", "http://x/pair"]
)
async def test_elsewhere(server: Pairing, path: str) -> None:
    """Other paths are somebody else's."""
    assert await server.answer(Request("GET", path, {})) is None


class Reader(HTMLParser):
    """The attributes of every element, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: dict[str, dict[str, str | None]] = {}
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes[tag] = dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


async def test_page(server: Pairing, invitation: Invitation, clock: Clock) -> None:
    """The page says who asks and what to do, and knows neither token nor code."""
    page = await ask(server, "/pair", method="GET", origin="")
    reader = Reader()
    reader.feed(page.body)
    button = reader.attributes["button"]
    assert button["data-extension"] == EXTENSION_ID
    told = {"port": PORT, "serverId": invitation.server_id, "clientName": NAME}
    assert json.loads(button["data-message"] or "") == {"pair": told}
    assert NAME in reader.text
    assert invitation.token not in page.body
    assert shown(invitation, clock) not in page.body


async def test_page_is_closed(server: Pairing) -> None:
    """Nothing is loaded from elsewhere, and only the script of this very answer runs."""
    first, second = [await ask(server, "/pair", method="GET", origin="") for _ in range(2)]
    policy = first.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'nonce-")
    assert "frame-ancestors 'none'" in policy
    assert policy != second.headers["Content-Security-Policy"]
    assert "http:" not in first.body
    assert "https:" not in first.body
