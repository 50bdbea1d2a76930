"""Who tries to get in, and how they are refused, while an extension is at work beside them.

The table at the end of a run is made of these: attack, refusal, verdict.
"""

import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from bridge.errors import UsageError
from bridge.relay.server import Relay, open_relay
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import MAX_FRAME, ORIGIN, Sites
from bridge.transport.websocket import BINARY, PING, TEXT
from tests.bridge.relay.conftest import PINGING, QUICK
from tests.support.played_extension import Place, Played, ask, dial, masked, request
from tests.support.processes import until

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
    """Status and body of a request that opens no WebSocket."""
    stream = await trio.open_tcp_stream("127.0.0.1", relay.port)
    try:
        status, body, _ = await ask(stream, request(relay.port, **how))
    finally:
        await stream.aclose()
    return status, body


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


async def test_flood_of_a_friend(victim: Relay, row: Row) -> None:
    """One browser that floods costs another nothing; nobody reads what it says."""
    place = Place.read(victim.file)
    event = masked(b'{"method":"Log.entryAdded","params":{"x":"' + b"x" * 1_000 + b'"}}') * 1_000
    async with dial(place.port) as played, trio.open_nursery() as nursery:
        await played.enter(place.token, label="flood", instanceId="flood")
        flooded = await victim.wait_link("flood")

        async def pour() -> None:
            while True:
                await played.raw(event)

        nursery.start_soon(pour)
        work = await victim.wait_link("at work")
        with trio.move_on_after(0.3):
            while True:
                await answered(work)
        assert len(b"".join(await flooded.receive())) < 64 << 20
        nursery.cancel_scope.cancel()
    row("a flood of events nobody reads, after the welcome", "held up; others are answered")


async def test_largest_frame(victim: Relay, row: Row) -> None:
    """A frame above the limit is refused before it has come."""
    place = Place.read(victim.file)
    async with dial(place.port) as played:
        await played.enter(place.token, label="big", instanceId="big")
        await victim.wait_link("big")
        await played.raw(b"\x81\xff" + (MAX_FRAME + 1).to_bytes(8) + b"mask" + b"x" * 1_000_000)
        end = await played.ending()
    assert end.code == 1009
    row("a frame of 100 MB + 1 after the welcome", f"{end.code} {end.why}")


async def test_odd_words_of_a_friend(victim: Relay, row: Row) -> None:
    """What cannot be read is passed over once both know each other."""
    place = Place.read(victim.file)
    async with dial(place.port) as played:
        await played.enter(place.token, label="odd", instanceId="odd")
        transport = await victim.wait_link("odd")
        await played.frame(b"\0\1\2", BINARY)
        for payload in (b"{]", b"\xff", b'{"id":99}', b'{"method":"No.such"}', b"[" * 10_000):
            await played.frame(payload, TEXT)
        await transport.send(b'{"id":1,"method":"Browser.getVersion"}')
        await played.answer(await played.hear())
        heard: list[bytes] = []
        while b'{"id": 1, "result": {}}' not in heard:
            heard += await transport.receive()
    row("binary, no JSON, unknown ids after the welcome", "passed over; the link goes on")


async def test_deaf(folder: Path, row: Row) -> None:
    """A worker that answers no ping twice is given up."""
    async with open_relay(folder, "Test", Sites(visited=[]), timeouts=PINGING) as relay:
        place = Place.read(relay.file)
        async with dial(place.port) as played:
            await played.enter(place.token)
            end = await played.ending(deaf=True)
    assert end.code == 4408
    row("silence after the welcome", f"{end.code} {end.why}")


async def test_twice(victim: Relay, row: Row) -> None:
    """The same browser a second time takes over; that is told to the first, and in status."""
    place = Place.read(victim.file)
    async with dial(place.port) as first, dial(place.port) as second:
        await first.enter(place.token, label="twice", instanceId="twice")
        transport = await victim.wait_link("twice")
        await second.enter(place.token, label="twice", instanceId="twice")
        end = await first.ending()
        assert end.code == 4409
        assert told(victim) == f"{end.why} (4409)"
        assert await victim.wait_link("twice") is transport
    row("the same browser twice", f"{end.code} {end.why}")


async def test_never_ready(victim: Relay, row: Row) -> None:
    """Who proves itself and then does nothing is not waited for."""
    place = Place.read(victim.file)
    async with dial(place.port) as played:
        await played.hello(instanceId="idle")
        await played.prove(place.token)
        await played.hear()
        end = await played.ending()
    assert end.code == 4408
    row("a welcome and no work", f"{end.code} {end.why}")


def loosen(file: Path) -> None:
    os.chmod(file, 0o644)


def plant(file: Path) -> None:
    other = file.with_suffix(".other")
    other.write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(other)


HARMS: list[tuple[str, Callable[[Path], None]]] = [
    ("the file with the token is deleted", os.unlink),
    ("its mode is loosened", loosen),
    ("a link is planted in its place", plant),
]


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
@pytest.mark.parametrize(("attack", "harm"), HARMS, ids=[attack for attack, _ in HARMS])
async def test_file(hasty: Relay, row: Row, attack: str, harm: Callable[[Path], None]) -> None:
    """A file that was taken away or opened to others: a new token, and all links are closed."""
    old = Place.read(hasty.file)
    async with dial(old.port) as played, dial(old.port) as waiting:
        await played.enter(old.token)
        await hasty.wait_link()
        harm(hasty.file)
        end = await played.ending()
        assert (await waiting.ending()).code == 4401
    assert end.code == 4401
    await until(lambda: hasty.file.is_file() and not hasty.file.is_symlink(), 5.0, "a new file")
    new = Place.read(hasty.file)
    assert new.token != old.token
    async with dial(old.port) as played:
        await played.hello()
        challenge = (await played.hear())["params"]
        await played.say("Bridge.proof", mac=played.mac(old.token, "client", challenge["nonce"]))
        assert (await played.ending()).code == 4401
    async with dial(new.port) as played:
        await played.enter(new.token)
    row(attack, f"{end.code} {end.why}")


async def test_renewed(hasty: Relay, row: Row) -> None:
    """A token that is made anew closes every link; the same browser goes on with the new one."""
    old = Place.read(hasty.file)
    async with dial(old.port) as played:
        await played.enter(old.token)
        transport = await hasty.wait_link()
        hasty.renew()
        end = await played.ending()
        assert end.code == 4401
    new = Place.read(hasty.file)
    async with dial(new.port) as played:
        await played.enter(new.token)
        assert await hasty.wait_link() is transport
    row("the owner distrusts the token (renewed)", f"{end.code} {end.why}")


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
async def test_open_folder(folder: Path, row: Row) -> None:
    """A server does not begin where others could read its file."""
    os.makedirs(folder, mode=0o755)
    with pytest.raises(UsageError) as caught:
        async with open_relay(folder, "Test", Sites(visited=[]), timeouts=QUICK):
            pass
    assert os.listdir(folder) == []
    row("a folder that others may enter", f"{caught.value.code}: it does not begin")


async def test_token_is_never_told(
    hasty: Relay, row: Row, caplog: pytest.LogCaptureFixture
) -> None:
    """The token is in no log and in no answer, whatever was asked and refused."""
    caplog.set_level("DEBUG")
    place = Place.read(hasty.file)
    said = ""
    for path in ("/", "/link", "/pair", f"/?token={place.token}", "/links", "/json/version"):
        for origin in (None, ORIGIN, "https://evil.test"):
            said += (await fetched_anyhow(hasty, path, origin))[1]
    async with dial(place.port) as played:
        await played.enter(place.token, label=place.token[:9])
        await hasty.wait_link()
        said += json.dumps(played.heard)
    assert place.token not in said
    assert place.token not in caplog.text
    assert all(place.token not in each.why for each in hasty.refusals)
    row("every path is asked for the token", "in no answer, log or refusal")


async def fetched_anyhow(relay: Relay, path: str, origin: str | None) -> tuple[int, str]:
    """Also of what would open a link."""
    stream = await trio.open_tcp_stream("127.0.0.1", relay.port)
    try:
        status, body, _ = await ask(stream, request(relay.port, path=path, origin=origin))
    finally:
        await trio.aclose_forcefully(stream)
    return status, body
