"""A server that is attacked while an extension is at work on it, and the row of the table."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import trio

from bridge.relay.server import Relay
from bridge.transport.extension import ExtensionTransport
from tests.support.played_extension import Place, Played, ask, dial, request

Row = Callable[[str, str], None]


@pytest.fixture
def row(request: pytest.FixtureRequest) -> Row:
    """Puts an attack and its refusal into the table."""

    def put(attack: str, refusal: str) -> None:
        request.node.user_properties += [("attack", attack), ("refusal", refusal)]

    return put


@pytest.fixture
async def victim(hasty: Relay) -> AsyncIterator[Relay]:
    """A server with an extension at work, which is answered before the attack and after it."""
    place = Place.read(hasty.file)
    async with dial(place.port) as played, trio.open_nursery() as nursery:
        await played.enter(place.token, label="at work", instanceId="victim")
        nursery.start_soon(serve, played)
        transport = await hasty.wait_link("at work")
        await answered(transport)
        yield hasty
        assert await hasty.wait_link("at work") is transport
        await answered(transport)
        nursery.cancel_scope.cancel()


async def serve(played: Played) -> None:
    """Answer whatever is asked."""
    while True:
        await played.answer(await played.hear())


async def answered(transport: ExtensionTransport) -> None:
    """Fail unless a request is answered soon."""
    await transport.send(b'{"id":1,"method":"Browser.getVersion"}')
    with trio.move_on_after(5) as scope:
        while b'{"id": 1, "result": {}}' not in await transport.receive():
            pass
    assert not scope.cancelled_caught


def told(relay: Relay) -> str:
    """The last refusal, as status shows it."""
    return relay.refusals[0].why


async def fetched(relay: Relay, **how: Any) -> tuple[int, str]:
    """Status and body of a request; no body where it opens a WebSocket."""
    stream = await trio.open_tcp_stream("127.0.0.1", relay.port)
    try:
        status, body, _ = await ask(stream, request(relay.port, **how))
    finally:
        await trio.aclose_forcefully(stream)
    return status, body
