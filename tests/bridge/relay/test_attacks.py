"""Who tries to get in, and how they are refused, while an extension is at work beside them.

The table at the end of a run is made of these: attack, refusal, verdict.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from bridge.relay.server import Relay, open_relay
from bridge.transport.link import Sites
from bridge.transport.websocket import BINARY, PING
from tests.support.besieged import Row, fetched, told
from tests.support.played_extension import Place, Played, dial, masked, request

OTHER = "chrome-extension://" + "a" * 32
HTTP = [
    ("a web page opens a WebSocket", {"origin": "https://evil.test"}),
    ("a page of this machine opens one", {"origin": "http://127.0.0.1:8000"}),
    ("a frame without origin opens one", {"origin": "null"}),
    ("another extension opens one", {"origin": OTHER}),
    ("a program without Origin opens one", {"origin": None}),
    ("a name rebound to this machine", {"host": "evil.test"}),
    ("a rebound name with our port", {"host": "evil.test:{port}"}),
    ("localhost by name", {"host": "localhost:{port}"}),
    ("a web page fetches /pair", {"origin": "https://evil.test", "path": "/pair"}),
    (
        "a web page fetches /pair without CORS",
        {"origin": None, "path": "/pair", "extra": "Sec-Fetch-Site: cross-site\r\n"},
    ),
]


@pytest.mark.parametrize(("attack", "how"), HTTP, ids=[attack for attack, _ in HTTP])
async def test_before_the_upgrade(
    victim: Relay, row: Row, attack: str, how: dict[str, Any]
) -> None:
    """Strangers are refused before there is a WebSocket, with a sentence, and that is noted."""
    if "host" in how:
        how = how | {"host": how["host"].format(port=victim.port)}
    status, body = await fetched(victim, **how)
    assert status == 403
    assert told(victim) == body
    row(attack, f"{status} {body}")


Attack = Callable[[Played, str], Any]


async def wrong_proof(played: Played, token: str) -> None:
    await played.hello()
    await played.hear()
    await played.say("Bridge.proof", mac="0" * 64)


async def own_challenge(played: Played, token: str) -> None:
    """The server's own proof is handed back to it."""
    await played.hello()
    mac = (await played.hear())["params"]["mac"]
    await played.say("Bridge.proof", mac=mac)


async def server_role(played: Played, token: str) -> None:
    await played.hello()
    await played.prove(token, role="server")


async def old_version(played: Played, token: str) -> None:
    await played.hello(versions=[99])


async def silence(played: Played, token: str) -> None:
    pass


async def half(played: Played, token: str) -> None:
    await played.hello()
    await played.hear()


async def five_frames(played: Played, token: str) -> None:
    await played.raw(masked(b'{"method":"Bridge.other"}') * 5)


async def pings(played: Played, token: str) -> None:
    await played.raw(masked(b"", PING) * 100_000)


async def crumbs(played: Played, token: str) -> None:
    """A message in endless pieces of nothing."""
    await played.raw(b"\x01\x80key!" + b"\x00\x80key!" * 100_000)


async def long_hello(played: Played, token: str) -> None:
    await played.hello(label="x" * 17_000)


async def binary(played: Played, token: str) -> None:
    await played.frame(b'{"method":"Bridge.hello"}', BINARY)


async def no_json(played: Played, token: str) -> None:
    await played.frame(b"{]")


async def unmasked(played: Played, token: str) -> None:
    await played.raw(b"\x81\x02{}")


async def no_proof(played: Played, token: str) -> None:
    await played.hello()
    await played.hear()
    await played.say("Bridge.ready")


async def token_said(played: Played, token: str) -> None:
    await played.say("Bridge.proof", mac=token, token=token)


async def foreign_name(played: Played, token: str) -> None:
    await played.hello(extensionId="a" * 32)


async def flood(played: Played, token: str) -> None:
    await played.raw(masked(b'{"method":"Bridge.hello"}') * 100_000)


async def absurd(played: Played, token: str) -> None:
    await played.raw(b"\x81\xff" + b"\xff" * 8)


STRANGERS: list[tuple[str, Attack, int]] = [
    ("a wrong proof", wrong_proof, 4401),
    ("the server's proof handed back", own_challenge, 4401),
    ("a proof in the server's role", server_role, 4401),
    ("a proof instead of a hello", token_said, 4401),
    ("at work without a proof", no_proof, 4401),
    ("the name of another extension", foreign_name, 4401),
    ("no common version", old_version, 4402),
    ("silence after the upgrade", silence, 4401),
    ("silence after the hello", half, 4401),
    ("5 frames before the welcome", five_frames, 4401),
    ("100,000 pings before the welcome", pings, 4401),
    ("100,000 empty fragments", crumbs, 4401),
    ("100,000 words before the welcome", flood, 4401),
    ("a hello of 17 KB", long_hello, 4401),
    ("a frame of 2^64 bytes before the welcome", absurd, 4401),
    ("a binary frame before the welcome", binary, 4400),
    ("no JSON", no_json, 4400),
    ("an unmasked frame", unmasked, 4400),
]


@pytest.mark.parametrize(
    ("attack", "act", "code"), STRANGERS, ids=[attack for attack, *_ in STRANGERS]
)
async def test_before_the_welcome(
    victim: Relay, row: Row, attack: str, act: Attack, code: int
) -> None:
    """Whoever does not prove in few words and in time who it is, is closed with a code."""
    place = Place.read(victim.file)
    async with dial(place.port) as played:
        with trio.move_on_after(5) as scope:
            await act(played, place.token)
            end = await played.ending()
        assert not scope.cancelled_caught
    assert end.code == code
    assert told(victim) == f"{end.why} ({code})"
    assert place.token not in end.why
    assert [link.label for link in victim.links()] == ["at work"]
    row(attack, f"{code} {end.why}")


async def test_replayed(victim: Relay, row: Row) -> None:
    """A proof that was heard once is worth nothing a second time."""
    place = Place.read(victim.file)
    async with dial(place.port) as played:
        await played.hello(instanceId="spied")
        mac = await played.prove(place.token)
        await played.hear()
    async with dial(place.port) as played:
        await played.hello(instanceId="thief")
        await played.hear()
        await played.say("Bridge.proof", mac=mac)
        end = await played.ending()
    assert end.code == 4401
    row("a replayed proof", f"{end.code} {end.why}")


async def test_other_servers_token(victim: Relay, folder: Path, row: Row) -> None:
    """The token of one server opens no other, as of one that had the port before."""
    async with open_relay(folder, "Other", Sites(visited=[])) as other:
        theirs = Place.read(other.file)
        ours = Place.read(victim.file)
        assert theirs.token != ours.token
        async with dial(victim.port) as played:
            await played.hello()
            challenge = (await played.hear())["params"]
            mac = played.mac(theirs.token, "client", challenge["nonce"])
            assert challenge["mac"] != played.mac(theirs.token, "server", challenge["nonce"])
            await played.say("Bridge.proof", mac=mac)
            end = await played.ending()
        assert end.code == 4401
        async with dial(theirs.port) as played:
            await played.enter(theirs.token)
            assert (await other.wait_link()).connected
    row("the token of another server, or of one before", f"{end.code} {end.why}")


@asynccontextmanager
async def silent(port: int, number: int, *, upgraded: bool) -> AsyncIterator[None]:
    """So many connections at once that say nothing."""
    async with AsyncExitStack() as stack:
        for _ in range(number):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            stack.push_async_callback(trio.aclose_forcefully, stream)
            if upgraded:
                await stream.send_all(request(port))
        yield


@pytest.mark.parametrize("upgraded", [False, True], ids=["silent", "upgraded"])
async def test_crowd(victim: Relay, row: Row, *, upgraded: bool) -> None:
    """A crowd that holds connections open keeps no extension out."""
    place = Place.read(victim.file)
    async with silent(place.port, 200, upgraded=upgraded), dial(place.port) as played:
        with trio.move_on_after(5) as scope:
            await played.enter(place.token, label="late", instanceId="late")
            await victim.wait_link("late")
        assert not scope.cancelled_caught
    assert any("too many" in each.why for each in victim.refusals)
    kind = "WebSockets" if upgraded else "sockets"
    row(f"200 silent {kind} at once", "closed, longest first; the extension gets in")
