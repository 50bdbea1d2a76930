"""Who may speak to the HTTP server: every header a page, a rebound name or a stranger can send."""

import pytest

from bridge.mcp.guard import Guard

PORT, TOKEN = 8123, "t" * 43
HERE = f"127.0.0.1:{PORT}"
GOOD = {"Host": HERE, "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}


@pytest.fixture
def guard() -> Guard:
    return Guard(PORT, TOKEN)


def status(
    guard: Guard, changed: dict[str, str | None], method: str = "POST", path: str = "/mcp"
) -> int:
    headers = {**GOOD, **changed}
    encoded = [(k.encode(), v.encode("latin-1")) for k, v in headers.items() if v is not None]
    refused = guard.check(method, path, encoded)
    return 200 if refused is None else refused.status


VARIANTS = [
    ({}, 200),
    ({"Host": f"localhost:{PORT}"}, 200),
    ({"Host": f"[::1]:{PORT}"}, 200),
    ({"Host": "evil.com"}, 403),
    ({"Host": f"localhost.evil.com:{PORT}"}, 403),
    ({"Host": f"0.0.0.0:{PORT}"}, 403),
    ({"Host": f"localhost.:{PORT}"}, 403),
    ({"Host": "localhost:9"}, 403),
    ({"Host": "127.0.0.1"}, 403),
    ({"Host": None}, 403),
    ({"Origin": "http://evil.com"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": f"http://localhost.evil.com:{PORT}"}, 403),
    ({"Origin": "chrome-extension://abcdefghijklmnopabcdefghijklmnop"}, 403),
    ({"Origin": "http://localhost:9"}, 403),
    ({"Origin": f"https://localhost:{PORT}"}, 403),
    ({"Origin": f"http://{HERE}"}, 200),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Sec-Fetch-Site": "same-origin"}, 200),
    ({"Sec-Fetch-Site": "none"}, 200),
    ({"Content-Type": "text/plain"}, 415),
    ({"Content-Type": "text/plain", "Authorization": None}, 415),
    ({"Content-Type": "application/json-seq"}, 415),
    ({"Content-Type": None}, 415),
    ({"Content-Type": "application/json; charset=utf-8"}, 200),
    ({"Authorization": None}, 401),
    ({"Authorization": "Bearer wrong"}, 401),
    ({"Authorization": f"Basic {TOKEN}"}, 401),
    ({"Authorization": TOKEN}, 401),
    ({"Authorization": f"Bearer {TOKEN}x"}, 401),
    ({"Authorization": "Bearer \xff"}, 401),
    ({"Authorization": f"bearer {TOKEN}"}, 200),
]


@pytest.mark.parametrize(("changed", "expected"), VARIANTS)
def test_variant(guard: Guard, changed: dict[str, str | None], expected: int) -> None:
    """Each header alone decides."""
    assert status(guard, changed) == expected


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"])
def test_usual_port(host: str) -> None:
    """Clients leave the port out that HTTP takes anyhow; strangers are strangers there as well."""
    guard = Guard(80, TOKEN)
    assert status(guard, {"Host": host, "Origin": f"http://{host}"}) == 200
    assert status(guard, {"Host": "evil.com"}) == 403
    assert status(guard, {"Host": host, "Origin": "http://evil.com"}) == 403


def test_preflight(guard: Guard) -> None:
    """A page's preflight is refused like the page."""
    asked = {
        "Origin": "http://evil.com",
        "Access-Control-Request-Method": "POST",
        "Authorization": None,
    }
    assert status(guard, asked, method="OPTIONS") == 403


@pytest.mark.parametrize("name", ["Host", "Authorization", "Content-Type"])
def test_twice(guard: Guard, name: str) -> None:
    """A header that is there twice means neither."""
    headers = [(k.encode(), v.encode()) for k, v in GOOD.items()]
    headers.append((name.lower().encode(), GOOD[name].encode()))
    assert guard.check("POST", "/mcp", headers) is not None


def test_second_origin(guard: Guard) -> None:
    """A good Origin does not cover a bad one."""
    headers = [(k.encode(), v.encode()) for k, v in GOOD.items()]
    headers += [(b"origin", f"http://{HERE}".encode()), (b"origin", b"http://evil.com")]
    refused = guard.check("POST", "/mcp", headers)
    assert refused is not None
    assert refused.status == 403


def test_health(guard: Guard) -> None:
    """Health needs no token, but not a wrong one, and is no web page's business either."""
    bare: dict[str, str | None] = {"Authorization": None, "Content-Type": None}
    assert status(guard, bare, "GET", "/health") == 200
    assert status(guard, {**bare, "Authorization": "Bearer x"}, "GET", "/health") == 401
    assert status(guard, {**bare, "Origin": "http://evil.com"}, "GET", "/health") == 403
    assert status(guard, {**bare, "Sec-Fetch-Site": "cross-site"}, "GET", "/health") == 403
    assert status(guard, {**bare, "Host": "evil.com"}, "GET", "/health") == 403


def test_elsewhere(guard: Guard) -> None:
    """There is nothing else, whoever asks."""
    for path in ("/", "/mcp/", "/mcp/../health", "/health/", "/token", "//mcp"):
        assert status(guard, {}, path=path) == 404
