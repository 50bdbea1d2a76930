"""Who is known and does harm, and whoever lays hands on the token; the table has these as well."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from bridge.errors import UsageError
from bridge.relay.server import Relay, open_relay
from bridge.transport.link import MAX_FRAME, ORIGIN, Sites
from bridge.transport.websocket import BINARY, TEXT
from tests.bridge.relay.conftest import PINGING, QUICK
from tests.support.besieged import Row, answered, fetched, told
from tests.support.played_extension import Place, dial, masked
from tests.support.processes import until


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
            said += (await fetched(hasty, path=path, origin=origin))[1]
    async with dial(place.port) as played:
        await played.enter(place.token, label=place.token[:9])
        await hasty.wait_link()
        said += json.dumps(played.heard)
    assert place.token not in said
    assert place.token not in caplog.text
    assert all(place.token not in each.why for each in hasty.refusals)
    row("every path is asked for the token", "in no answer, log or refusal")
