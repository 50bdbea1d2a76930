"""Who may be a guest."""

import pytest

from bridge.proxy.doorway import Doorway
from bridge.transport.websocket_server import Request

TOKEN = "t" * 43
GOOD = {"host": "127.0.0.1:9", "authorization": f"Bearer {TOKEN}"}


def status(headers: dict[str, str]) -> int:
    """Of the refusal; 0 for who may go on."""
    refused = Doorway(9, TOKEN).refuse(Request("GET", "/json/version", headers))
    return refused.status if refused else 0


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, 0),
        ({"host": "LocalHost:9"}, 0),
        ({"sec-fetch-site": "none"}, 0),
        ({"authorization": f"bearer  {TOKEN} "}, 0),
        ({"host": "evil.test:9"}, 403),
        ({"host": "127.0.0.1:10"}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://evil.test"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 403),
        ({"authorization": ""}, 401),
        ({"authorization": TOKEN}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"authorization": f"Bearer {TOKEN}, Bearer {TOKEN}"}, 401),
        ({"authorization": "Bearer \udcff"}, 401),
    ],
)
def test_refused(changes: dict[str, str], wanted: int) -> None:
    """Only a program with the token, at the address itself, is let in."""
    assert status({**GOOD, **changes}) == wanted


def test_renewed() -> None:
    """The old token is worth nothing once there is a new one, nor is anything else of it told."""
    doorway = Doorway(9, TOKEN)
    doorway.renew("n" * 43)
    refused = doorway.refuse(Request("GET", "/", GOOD))
    assert refused is not None
    assert (refused.status, TOKEN in refused.body) == (401, False)
    fresh = {**GOOD, "authorization": f"Bearer {'n' * 43}"}
    assert doorway.refuse(Request("GET", "/", fresh)) is None
