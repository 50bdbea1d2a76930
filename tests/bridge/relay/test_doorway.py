"""What is answered before there is a WebSocket."""

import pytest

from bridge.relay.doorway import answer
from bridge.transport.link import ORIGIN
from bridge.transport.websocket_server import Request, Response

PORT = 4711
UPGRADE = {
    "connection": "keep-alive, Upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


async def pages(request: Request) -> Response | None:
    """One page there is."""
    return Response(200, "page") if request.path == "/pair" else None


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/link", {}, None),
        ("/link", {"origin": ""}, 403),
        ("/link", {"origin": "null"}, 403),
        ("/link", {"origin": "https://evil.test"}, 403),
        ("/link", {"origin": f"http://127.0.0.1:{PORT}"}, 403),
        ("/link", {"origin": f"{ORIGIN}/"}, 403),
        ("/link", {"origin": f"{ORIGIN}, {ORIGIN}"}, 403),
        ("/link", {"origin": "chrome-extension://" + "a" * 32}, 403),
        ("/link", {"host": "evil.test"}, 403),
        ("/link", {"host": f"evil.test:{PORT}"}, 403),
        ("/link", {"host": f"localhost:{PORT}"}, 403),
        ("/link", {"host": "127.0.0.1"}, 403),
        ("/link", {"host": f"127.0.0.1:{PORT + 1}"}, 403),
        ("/link", {"upgrade": "h2c"}, 426),
        ("/link", {"connection": "close"}, 426),
        ("/link", {"sec-websocket-version": "8"}, 400),
        ("/link", {"sec-websocket-key": "short"}, 400),
        ("/link", {"sec-websocket-key": "ä"}, 400),
        ("/link?token=x", {}, 404),
        ("/link/", {}, 404),
        ("/pair", {}, 200),
        ("/pair", {"origin": f"http://127.0.0.1:{PORT}"}, 200),
        ("/pair", {"origin": "https://evil.test"}, 403),
        ("/pair", {"origin": "null"}, 403),
        ("/pair", {"host": f"evil.test:{PORT}"}, 403),
        ("/pair", {"origin": "", "sec-fetch-site": "cross-site"}, 403),
        ("/", {}, 404),
    ],
)
async def test_answers(path: str, headers: dict[str, str], status: int | None) -> None:
    """Only the extension opens a link, only at our own address; no other site reads our pages."""
    told = {"host": f"127.0.0.1:{PORT}", "origin": ORIGIN} | UPGRADE | headers
    response = await answer(Request("GET", path, told), PORT, pages)
    assert (response and response.status) == status


@pytest.mark.parametrize(
    ("site", "status"),
    [("none", 200), ("same-origin", 200), ("same-site", 403), ("cross-site", 403)],
)
async def test_sites(site: str, status: int) -> None:
    """A page is shown to a person who asked for it, and framed or fetched by no other site."""
    told = {"host": f"127.0.0.1:{PORT}", "sec-fetch-site": site}
    response = await answer(Request("GET", "/pair", told), PORT, pages)
    assert response is not None
    assert response.status == status
