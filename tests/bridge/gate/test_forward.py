"""Plain HTTP through the proxy: bodies, framing, and both sides leaving."""

from collections.abc import AsyncIterator

import pytest
import trio

from bridge.gate.forward import parse_target
from bridge.gate.proxy import open_proxy
from tests.support.far_side import FarSide, Met, read_all, read_until

HEAD_END = b"\r\n\r\n"
ASK = b"GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n"


@pytest.fixture
async def far() -> AsyncIterator[FarSide]:
    side = FarSide()
    yield side
    side.close()


@pytest.fixture
async def client(far: FarSide) -> AsyncIterator[trio.SocketStream]:
    """Connected to a proxy that lets everything through."""
    async with open_proxy(lambda host, port: True, dial=far.dial) as proxy:
        yield await far.connect(proxy.port)


async def asked(far: FarSide, client: trio.SocketStream, request: bytes = ASK) -> Met:
    """The site, once it has heard this."""
    await client.send_all(request)
    site = await far.meet()
    await site.read_until(HEAD_END)
    return site


@pytest.mark.parametrize(
    ("target", "meaning"),
    [
        (b"http://good.test", ("good.test", 80, b"/")),
        (b"HTTP://good.test:8080/a/../b?c", ("good.test", 8080, b"/a/../b?c")),
        (b"http://good.test?x", ("good.test", 80, b"/?x")),
        (b"http://[::1]:80/", ("[::1]", 80, b"/")),
        (b"http://good.test/#x", None),
        (b"http://a@good.test/", None),
        (b"http://Good.test/", None),
        (b"https://good.test/", None),
        (b"/", None),
        (b"http://\xff/", None),
    ],
)
def test_targets(target: bytes, meaning: tuple[str, int, bytes] | None) -> None:
    """A target names its place canonically, or nothing."""
    assert parse_target(target) == meaning


async def test_a_body_on_its_way(far: FarSide, client: trio.SocketStream) -> None:
    """A request's body passes as it comes, not once it is whole."""
    head = b"POST http://good.test/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    await client.send_all(head + b"3\r\none\r\n")
    site = await far.meet()
    assert b"one" in await site.read_until(b"one")
    await client.send_all(b"3\r\ntwo\r\n0\r\n\r\n")
    assert b"two" in await site.read_until(b"0\r\n\r\n")


async def test_an_answer_on_its_way(far: FarSide, client: trio.SocketStream) -> None:
    """An answer passes as it comes."""
    site = await asked(far, client)
    await site.stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    assert (await read_until(client, b"one")).endswith(b"one")
    await site.stream.send_all(b"two")
    assert await client.receive_some() == b"two"


async def test_an_answer_without_length(far: FarSide, client: trio.SocketStream) -> None:
    """Where the end of the connection ends the answer, the client can still tell the end."""
    site = await asked(far, client)
    await site.stream.send_all(b"HTTP/1.0 200 OK\r\n\r\nall of it")
    await site.stream.aclose()
    answer = await read_all(client)
    assert b"all of it" in answer
    assert answer.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
async def test_an_answer_without_body(
    far: FarSide, client: trio.SocketStream, status: bytes
) -> None:
    """An answer that has no body ends with its head, and the connection goes on."""
    for _ in range(2):
        await client.send_all(ASK)
        if len(far.dialled) == 0:
            site = await far.meet()
        await site.read_until(HEAD_END)
        await site.stream.send_all(b"HTTP/1.1 " + status + HEAD_END)
        assert (await read_until(client, HEAD_END)).startswith(b"HTTP/1.1 " + status)
    assert len(far.dialled) == 1


async def test_only_the_head_is_asked_for(far: FarSide, client: trio.SocketStream) -> None:
    """The answer to HEAD may name a length and brings nothing behind it."""
    site = await asked(far, client, ASK.replace(b"GET", b"HEAD"))
    await site.stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    await read_until(client, HEAD_END)
    await client.send_all(ASK)
    assert (await site.read_until(HEAD_END)).startswith(b"GET / ")


async def test_waiting_for_leave_to_send(far: FarSide, client: trio.SocketStream) -> None:
    """A client that asks before it sends its body is answered by the site."""
    site = await asked(
        far,
        client,
        b"POST http://good.test/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
        b"Content-Length: 4\r\n\r\n",
    )
    await site.stream.send_all(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert (await read_until(client, HEAD_END)).startswith(b"HTTP/1.1 100 ")
    await client.send_all(b"body")
    assert await site.read_until(b"body") == b"body"


async def test_an_early_answer(far: FarSide, client: trio.SocketStream) -> None:
    """A site may refuse before it has heard everything; the client learns of it."""
    site = await asked(
        far,
        client,
        b"POST http://good.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\npart",
    )
    await site.stream.send_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
    assert (await read_all(client)).startswith(b"HTTP/1.1 413 ")


async def test_one_behind_the_other(far: FarSide, client: trio.SocketStream) -> None:
    """Requests sent without waiting are answered in their order."""
    await client.send_all(ASK.replace(b"test/ ", b"test/1 ") + ASK.replace(b"test/ ", b"test/2 "))
    site = await far.meet()
    for number in (b"1", b"2"):
        assert (await site.read_until(HEAD_END)).startswith(b"GET /" + number)
        await site.stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + number)
        assert (await read_until(client, HEAD_END + number)).endswith(number)


async def test_a_client_that_leaves(far: FarSide, client: trio.SocketStream) -> None:
    """When the client leaves, the site hears of it at once, however long it would have taken."""
    site = await asked(far, client)
    await client.aclose()
    assert await site.stream.receive_some() == b""


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"])
async def test_a_site_that_leaves(far: FarSide, client: trio.SocketStream, part: bytes) -> None:
    """When the site leaves, the client's connection ends there too, with nothing made up."""
    site = await asked(far, client)
    await site.stream.send_all(part)
    await site.stream.aclose()
    assert await read_all(client) == part


async def test_a_site_that_talks_nonsense(far: FarSide, client: trio.SocketStream) -> None:
    """An answer that is no HTTP ends the connection; none of it reaches the client."""
    site = await asked(far, client)
    await site.stream.send_all(b"\x00\x01 nonsense\r\n\r\n")
    assert b"nonsense" not in await read_all(client)


async def test_hop_by_hop_headers(far: FarSide, client: trio.SocketStream) -> None:
    """What is meant for the proxy alone goes no further, credentials above all."""
    await client.send_all(
        b"GET http://good.test/ HTTP/1.1\r\nHost: evil.test\r\nConnection: x-hop, close\r\n"
        b"X-Hop: 1\r\nProxy-Authorization: secret\r\nUpgrade: websocket\r\nTE: trailers\r\n"
        b"Keep-Alive: 1\r\nX-End: 1\r\n\r\n"
    )
    heard = await (await far.meet()).read_until(HEAD_END)
    assert heard == b"GET / HTTP/1.1\r\nHost: good.test\r\nX-End: 1\r\n\r\n"
