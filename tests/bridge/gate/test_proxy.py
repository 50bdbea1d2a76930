"""The filter proxy: who is let through, and what becomes of connections."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.gate.dial import InwardError
from bridge.gate.proxy import MOST_CONNECTIONS, Proxy, open_proxy
from bridge.timeouts import Timeouts
from tests.support.far_side import FarSide, read_all, read_until

GOOD = {("good.test", 80), ("good.test", 443), ("also.test", 80), ("[::1]", 80)}
HEAD_END = b"\r\n\r\n"
EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def get(target: str, *headers: str) -> bytes:
    return "\r\n".join((f"GET {target} HTTP/1.1", "Host: x.test", *headers, "", "")).encode()


@pytest.fixture
async def far() -> AsyncIterator[FarSide]:
    side = FarSide()
    yield side
    side.close()


@asynccontextmanager
async def open_filter(far: FarSide, **limits: float) -> AsyncIterator[Proxy]:
    """A proxy that knows the good hosts."""

    def allowed(host: str, port: int) -> bool:
        return (host, port) in GOOD

    async with open_proxy(allowed, Timeouts(**limits), dial=far.dial) as proxy:
        yield proxy


@pytest.fixture
async def proxy(far: FarSide) -> AsyncIterator[Proxy]:
    async with open_filter(far) as opened:
        yield opened


@pytest.fixture
async def client(far: FarSide, proxy: Proxy) -> trio.SocketStream:
    return await far.connect(proxy.port)


async def test_a_request_passes(far: FarSide, client: trio.SocketStream) -> None:
    """An allowed request arrives as the site expects it, and its answer comes back."""
    await client.send_all(get("http://good.test/a?b", "Proxy-Connection: keep-alive", "A: b"))
    site = await far.meet()
    assert (site.host, site.port) == ("good.test", 80)
    heard = await site.read_until(HEAD_END)
    assert heard == b"GET /a?b HTTP/1.1\r\nHost: good.test\r\nA: b\r\n\r\n"
    await site.stream.send_all(b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nC: d\r\n\r\nok")
    assert await read_until(client, b"ok") == (
        b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nC: d\r\n\r\nok"
    )


async def test_a_refused_host(far: FarSide, proxy: Proxy, client: trio.SocketStream) -> None:
    """A host that is not allowed is refused, counted, and not even looked up."""
    await client.send_all(get("http://evil.test/secret"))
    answer = await read_all(client)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"evil.test is not allowed" in answer
    assert far.dialled == []
    assert dict(proxy.refused) == {"evil.test": 1}


async def test_the_port_counts(far: FarSide, client: trio.SocketStream) -> None:
    """An allowed name on another port is another place."""
    await client.send_all(get("http://good.test:8080/"))
    assert (await read_all(client)).startswith(b"HTTP/1.1 403 ")
    assert far.dialled == []


@pytest.mark.parametrize(
    "target",
    [
        *("/", "/http://good.test/", "https://good.test/", "ftp://good.test/", "good.test:80"),
        *("http://good.test@evil.test/", "http://evil.test@good.test/", "http://GOOD.test/"),
        *("http://good.test\\@evil.test/", "http://2130706433/", "http://%67ood.test/", "*"),
        *("http:///good.test/", "http://good.test:/", "http://good.test:99999/", "http://"),
    ],
)
async def test_only_clear_targets(far: FarSide, client: trio.SocketStream, target: str) -> None:
    """What could be read in two ways is not guessed at."""
    await client.send_all(get(target))
    assert (await read_all(client)).startswith(b"HTTP/1.1 400 ")
    assert far.dialled == []


async def test_connections_are_kept(far: FarSide, client: trio.SocketStream) -> None:
    """Requests to the same place share a connection; the next place gets its own."""
    await client.send_all(get("http://good.test/1"))
    site = await far.meet()
    for path in (b"/1", b"/2"):
        assert path in await site.read_until(HEAD_END)
        await site.stream.send_all(EMPTY)
        await read_until(client, HEAD_END)
        await client.send_all(get("http://good.test/2" if path == b"/1" else "http://also.test/"))
    also = await far.meet()
    assert far.dialled == [("good.test", 80), ("also.test", 80)]
    assert b"Host: also.test\r\n" in await also.read_until(HEAD_END)
    assert await site.stream.receive_some() == b""


async def test_every_request_is_judged(far: FarSide, client: trio.SocketStream) -> None:
    """A kept connection gives nobody a way in: the next request is judged by itself."""
    await client.send_all(get("http://good.test/") + get("http://evil.test/"))
    site = await far.meet()
    await site.read_until(HEAD_END)
    await site.stream.send_all(EMPTY)
    answers = await read_all(client)
    assert answers.startswith(EMPTY.replace(b"OK", b"OK"))
    assert b"HTTP/1.1 403 " in answers
    assert far.dialled == [("good.test", 80)]


async def test_a_withdrawn_host(far: FarSide) -> None:
    """What is no longer allowed is refused on connections that are there already."""
    hosts = {"good.test"}
    async with open_proxy(lambda host, port: host in hosts, dial=far.dial) as proxy:
        client = await far.connect(proxy.port)
        await client.send_all(get("http://good.test/"))
        site = await far.meet()
        await site.read_until(HEAD_END)
        await site.stream.send_all(EMPTY)
        await read_until(client, HEAD_END)
        hosts.clear()
        await client.send_all(get("http://good.test/"))
        assert (await read_all(client)).startswith(b"HTTP/1.1 403 ")


async def test_tunnel(far: FarSide, client: trio.SocketStream) -> None:
    """A tunnel carries bytes both ways, those sent without waiting included."""
    await client.send_all(b"CONNECT good.test:443 HTTP/1.1\r\nHost: a\r\n\r\nearly")
    site = await far.meet()
    assert (site.host, site.port) == ("good.test", 443)
    assert await read_until(client, HEAD_END) == b"HTTP/1.1 200 Connection established\r\n\r\n"
    assert await site.read_until(b"early") == b"early"
    await site.stream.send_all(b"down")
    assert await client.receive_some() == b"down"
    await client.send_all(b"up")
    assert await site.stream.receive_some() == b"up"


async def test_half_closed_tunnel(far: FarSide, client: trio.SocketStream) -> None:
    """Either side may end its half and still hear the other."""
    await client.send_all(b"CONNECT good.test:443 HTTP/1.1\r\nHost: a\r\n\r\n")
    site = await far.meet()
    await read_until(client, HEAD_END)
    await client.send_eof()
    assert await site.stream.receive_some() == b""
    await site.stream.send_all(b"still here")
    assert await client.receive_some() == b"still here"
    await site.stream.send_eof()
    assert await client.receive_some() == b""


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("evil.test:443", 403),
        ("good.test:22", 403),
        ("good.test", 400),
        ("GOOD.test:443", 400),
        ("x@good.test:443", 400),
        ("127.0.0.1:80", 403),
        ("http://good.test/", 400),
    ],
)
async def test_refused_tunnel(
    far: FarSide, client: trio.SocketStream, target: str, status: int
) -> None:
    """A tunnel leads to allowed places only."""
    await client.send_all(f"CONNECT {target} HTTP/1.1\r\nHost: good.test:443\r\n\r\n".encode())
    assert (await read_all(client)).startswith(f"HTTP/1.1 {status} ".encode())
    assert far.dialled == []


async def test_a_site_that_cannot_be_reached(
    far: FarSide, proxy: Proxy, client: trio.SocketStream
) -> None:
    """Nothing is answered in the site's name; what went wrong is kept."""
    far.error = OSError("no route")
    await client.send_all(get("http://good.test/"))
    assert await read_all(client) == b""
    assert dict(proxy.failed) == {"good.test:80": "no route"}
    assert not proxy.refused
    told = ("http://good.test/x", "https://good.test/", "http://evil.test/", "nonsense")
    assert [proxy.unreached(url) for url in told] == ["no route", "", "", ""]


async def test_a_site_that_is_back(far: FarSide, proxy: Proxy, client: trio.SocketStream) -> None:
    """What went wrong before is no reason any more once there is a connection."""
    far.error = OSError("no route")
    with pytest.raises(OSError, match="no route"):
        await proxy.reach("good.test", 80)
    far.error = None
    await trio.aclose_forcefully(await proxy.reach("good.test", 80))
    assert proxy.unreached("http://good.test/") == ""


@pytest.mark.parametrize(
    ("error", "status"),
    [(OSError("no"), b"502"), (TimeoutError("late"), b"504"), (InwardError("inward"), b"403")],
)
async def test_a_tunnel_that_cannot_be_made(
    far: FarSide, client: trio.SocketStream, error: OSError, status: bytes
) -> None:
    """A tunnel's client is told why there is none."""
    far.error = error
    await client.send_all(b"CONNECT good.test:443 HTTP/1.1\r\nHost: a\r\n\r\n")
    assert (await read_all(client)).startswith(b"HTTP/1.1 " + status)


async def test_a_name_that_leads_inward(
    far: FarSide, proxy: Proxy, client: trio.SocketStream
) -> None:
    """A name that leads back into this machine is refused like a host that is not allowed."""
    far.error = InwardError("good.test leads to 127.0.0.1, which is not allowed itself")
    await client.send_all(get("http://good.test/"))
    answer = await read_all(client)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"leads to 127.0.0.1" in answer
    assert dict(proxy.refused) == {"good.test": 1}


async def test_not_to_itself(far: FarSide) -> None:
    """The proxy does not lead to itself, whatever is allowed."""
    async with open_proxy(lambda host, port: True, dial=far.dial) as proxy:
        for host in ("127.0.0.1", "localhost"):
            client = await far.connect(proxy.port)
            await client.send_all(get(f"http://{host}:{proxy.port}/"))
            assert (await read_all(client)).startswith(b"HTTP/1.1 403 ")
    assert far.dialled == []


async def test_too_large_a_head(client: trio.SocketStream) -> None:
    """A head beyond all measure is refused, and not kept."""
    await client.send_all(b"GET http://good.test/ HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000)
    assert (await read_all(client)).startswith(b"HTTP/1.1 431 ")


async def test_a_silent_client(far: FarSide) -> None:
    """Whoever asks nothing is let go."""
    async with open_filter(far, proxy_idle=0.05) as proxy:
        client = await far.connect(proxy.port)
        await client.send_all(b"GET http://good.te")
        assert await read_all(client) == b""
        assert proxy.connections == 0


async def test_a_thousand_at_once(far: FarSide, proxy: Proxy) -> None:
    """A thousand connections are served beside each other; the next one is let go."""
    clients: list[trio.SocketStream] = []

    async def begin() -> None:
        stream = await far.connect(proxy.port)
        await stream.send_all(b"CONNECT good.test:443 HTTP/1.1\r\nHost: a\r\n\r\n")
        await read_until(stream, HEAD_END)
        clients.append(stream)

    async def echo() -> None:
        site = await far.meet()
        await site.stream.send_all(await site.stream.receive_some())

    async def ask(stream: trio.SocketStream) -> None:
        await stream.send_all(b"hello")
        answers.append(await stream.receive_some())

    answers: list[bytes] = []
    await at_once(begin, MOST_CONNECTIONS)
    assert proxy.connections == MOST_CONNECTIONS
    late = await far.connect(proxy.port)
    assert await read_all(late) == b""
    async with trio.open_nursery() as nursery:
        for stream in clients:
            nursery.start_soon(echo)
            nursery.start_soon(ask, stream)
    assert answers == [b"hello"] * MOST_CONNECTIONS


async def at_once(work: Callable[[], Awaitable[None]], times: int) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(times):
            nursery.start_soon(work)


async def test_refusals_are_bounded(far: FarSide, proxy: Proxy) -> None:
    """What is remembered of refusals has a limit: the latest thousand hosts."""
    for number in range(1_100):
        with pytest.raises(Exception, match="not allowed"):
            proxy.admit(f"h{number}.test", 80)
    assert len(proxy.refused) == 1_000
    assert "h1099.test" in proxy.refused


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.booleans())
def test_garbage(noise: bytes, as_request: bool) -> None:
    """Whatever a client sends, nothing is dialled for it and the next client is served."""

    async def run() -> None:
        far = FarSide()
        async with open_filter(far, proxy_idle=0.05) as proxy:
            client = await far.connect(proxy.port)
            await client.send_all((b"GET http://" if as_request else b"") + noise + HEAD_END)
            await read_all(client)
            assert far.dialled == []
            other = await far.connect(proxy.port)
            await other.send_all(get("http://evil.test/"))
            assert (await read_all(other)).startswith(b"HTTP/1.1 403 ")
            far.close()

    trio.run(run)
