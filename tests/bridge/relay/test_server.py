"""Extensions that come as they should: links, labels, workers that die, tokens made anew."""

import os
import shutil
import stat
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio

from bridge.errors import BridgeError
from bridge.relay.doorway import ADDRESS
from bridge.relay.server import Relay, open_relay
from bridge.timeouts import Timeouts
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import Sites
from bridge.transport.websocket_server import Request, Response
from tests.bridge.relay.conftest import LEAVING, PINGING
from tests.support.calling import call_in
from tests.support.played_extension import Place, ask, dial, masked, request
from tests.support.processes import until

TAB = {"targetId": "A", "type": "page"}
VERSION = b'{"id":1,"method":"Browser.getVersion"}'


async def gone(relay: Relay) -> None:
    """Until no browser is connected."""

    def away() -> bool:
        return all(link.state == "away" for link in relay.links())

    await until(away, 5.0, "the link is down")


async def heard(transport: ExtensionTransport, words: bytes) -> list[bytes]:
    """What comes, until a message with these words has."""
    messages: list[bytes] = []
    while not any(words in each for each in messages):
        messages += await transport.receive()
    return messages


async def test_enters(relay: Relay, place: Place) -> None:
    """An extension that knows the token is welcome, and spoken to as a browser."""
    async with dial(place.port) as played:
        welcome = await played.enter(place.token, targets=[TAB], label="home")
        assert welcome["serverId"] == place.server_id
        assert welcome["clientName"] == "Test"
        assert welcome["sites"] == {"visited": ["*"], "never": []}
        transport = await relay.wait_link()
        await transport.send(VERSION)
        assert await played.hear() == {"id": 1, "method": "Browser.getVersion"}
        await played.frame(b'{"id":1,"result":{}}')
        assert await transport.receive() == [b'{"id":1,"result":{}}']
        (info,) = relay.links()
        assert (info.label, info.product, info.tabs, info.state) == (
            "home",
            "Chrome/156",
            1,
            "connected",
        )
    assert relay.refusals == []


async def test_words_with_ready(relay: Relay, place: Place) -> None:
    """What comes in one piece with the last word of the handshake is not lost."""
    async with dial(place.port) as played:
        await played.hello()
        await played.prove(place.token)
        await played.hear()
        event = b'{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"B"}}}'
        await played.raw(masked(b'{"method":"Bridge.ready","params":{}}') + masked(event))
        transport = await relay.wait_link()
        assert await transport.receive() == [event]
        assert relay.links()[0].tabs == 1


async def test_by_label(relay: Relay, place: Place) -> None:
    """Of several browsers one is asked for by name; without one the newest is meant."""
    async with dial(place.port) as one, dial(place.port) as two:
        await one.enter(place.token, label="home", instanceId="one")
        home = await relay.wait_link("home")
        await two.enter(place.token, label="work", instanceId="two")
        work = await relay.wait_link("work")
        assert home is not work
        assert await relay.wait_link() is work
        assert await relay.wait_link("home") is home
        assert [info.label for info in relay.links()] == ["home", "work"]


async def test_waited_for(relay: Relay, place: Place) -> None:
    """Who waits for a browser gets it when it comes."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(relay.wait_link, "home"))
        async with dial(place.port) as played:
            await played.enter(place.token, label="home")
            assert (await calling.result()).connected


async def test_worker_dies(relay: Relay, place: Place) -> None:
    """A worker that comes back finds its transport: sessions kept, calls failed, a gap told."""
    async with dial(place.port) as played:
        await played.enter(place.token)
        transport = await relay.wait_link()
        begun = b'{"method":"Target.attachedToTarget","params":{"sessionId":"t%d","targetInfo":%s}}'
        await played.frame(begun % (1, b'{"targetId":"A"}'))
        await played.frame(begun % (2, b'{"targetId":"B"}'))
        await heard(transport, b'"t2"')
        await transport.send(b'{"id":7,"method":"Page.enable","sessionId":"t1"}')
        await played.hear()
        played.hang_up()
        assert b'"reason":"outcomeUnknown"' in (await heard(transport, b'"id":7'))[-1]
    await gone(relay)
    async with dial(place.port) as played:
        await played.enter(place.token, attached=[{"tabId": 1, "targetId": "A"}])
        told = await heard(transport, b"Bridge.gap")
        assert sum(b"Target.detachedFromTarget" in each and b'"t2"' in each for each in told) == 1
        assert not any(b'"t1"' in each for each in told)
        assert await relay.wait_link() is transport
        await transport.send(VERSION)
        assert (await played.hear())["id"] == 1


async def test_other_epoch(relay: Relay, place: Place) -> None:
    """A browser that was started anew is another one: the transport of the former is over."""
    async with dial(place.port) as played:
        await played.enter(place.token)
        transport = await relay.wait_link()
    async with dial(place.port) as played:
        await played.enter(place.token, epoch="second")
        assert await relay.wait_link() is not transport
        with pytest.raises(BridgeError, match="restarted") as caught:
            await transport.receive()
        assert caught.value.code == "BROWSER_GONE"
        assert len(relay.links()) == 1


async def test_never_back(folder: Path) -> None:
    """A worker that stays away ends its transport, and is off the list."""
    async with open_relay(folder, "Test", Sites(visited=[]), timeouts=LEAVING) as relay:
        place = Place.read(relay.file)
        async with dial(place.port) as played:
            await played.enter(place.token)
            transport = await relay.wait_link()
        with pytest.raises(BridgeError, match="not come back") as caught:
            await transport.receive()
        assert caught.value.code == "EXTENSION_DISCONNECTED"
        await until(lambda: not relay.links(), 5.0, "it is off the list")


async def test_closed_by_us(relay: Relay, place: Place) -> None:
    """A transport that is closed sends the extension away; it gets a new one when it is back."""
    async with dial(place.port) as played:
        await played.enter(place.token)
        transport = await relay.wait_link()
        await transport.aclose()
        await played.ending()
    async with dial(place.port) as played:
        await played.enter(place.token)
        assert await relay.wait_link() is not transport


async def test_pinged(folder: Path) -> None:
    """A silent link is spoken to, and goes on while it answers."""
    async with open_relay(folder, "Test", Sites(visited=[]), timeouts=PINGING) as relay:
        place = Place.read(relay.file)
        async with dial(place.port) as played:
            await played.enter(place.token)
            for _ in range(4):
                while not played.heard:
                    await played.listen()
                ping = played.heard.pop()
                assert ping["method"] == "Bridge.ping"
                await played.answer(ping)
            assert relay.links()[0].state == "connected"


async def test_policy(relay: Relay, place: Place) -> None:
    """A policy that changes is told to those who are there, and to those who come."""
    async with dial(place.port) as played:
        await played.enter(place.token)
        await relay.wait_link()
        relay.set_policy(Sites(visited=["a.test"]), downloads=True)
        told = await played.hear()
        assert told["method"] == "Bridge.setPolicy"
        assert told["params"] == {
            "sites": {"visited": ["a.test"], "never": []},
            "downloads": True,
            "uploads": False,
        }
    async with dial(place.port) as played:
        welcome = await played.enter(place.token, instanceId="two")
        assert (welcome["sites"]["visited"], welcome["downloads"]) == (["a.test"], True)


async def test_policy_while_much_is_unsent(relay: Relay, place: Place) -> None:
    """An extension that is slow to read hears the policy behind what it has not read yet."""
    async with dial(place.port) as played:
        await played.enter(place.token)
        transport = await relay.wait_link()
        count = 0
        with trio.move_on_after(0.3):
            while True:
                count += 1
                await transport.send(b'{"id":%d,"method":"%s"}' % (count, b"x" * (1 << 20)))
        relay.set_policy(Sites(visited=["a.test"]))
        relay.set_policy(Sites(visited=["b.test"]))
        told: list[object] = []
        while len(told) < 2:
            message = await played.hear()
            if message["method"] == "Bridge.setPolicy":
                told.append(message["params"]["sites"]["visited"])
        assert told == [["a.test"], ["b.test"]]


async def test_policy_during_the_handshake(relay: Relay, place: Place) -> None:
    """A policy that changes between the hello and the first word is told right after that word."""
    async with dial(place.port) as played:
        await played.hello()
        relay.set_policy(Sites(visited=["a.test"]))
        await played.prove(place.token)
        assert (await played.hear())["params"]["sites"]["visited"] == ["*"]
        relay.set_policy(Sites(visited=["b.test"]))
        await played.say("Bridge.ready")
        told = await played.hear()
        assert told["method"] == "Bridge.setPolicy"
        assert told["params"]["sites"]["visited"] == ["b.test"]


async def test_page(folder: Path) -> None:
    """What is for no link is answered by the pages given, privately; the rest by 404."""

    async def pages(asked: Request) -> Response | None:
        return Response(200, "<p>", "text/html") if asked.path == "/pair" else None

    sites = Sites(visited=[])
    async with open_relay(folder, "Test", sites, pages=lambda invitation, port: pages) as relay:
        for path, status in (("/pair", 200), ("/", 404)):
            stream = await trio.open_tcp_stream("127.0.0.1", relay.port)
            head = request(relay.port, origin=None, path=path)
            assert (await ask(stream, head))[0] == status
            await stream.aclose()


async def test_page_that_takes_a_while(folder: Path) -> None:
    """An answer that takes us longer than a stranger has for a handshake is given all the same."""
    hurried = replace(Timeouts(), hello=0.2)

    async def pages(asked: Request) -> Response:
        await trio.sleep(2 * hurried.hello)
        return Response(200, "judged")

    async with open_relay(
        folder, "Test", Sites(visited=[]), timeouts=hurried, pages=lambda invitation, port: pages
    ) as relay:
        stream = await trio.open_tcp_stream("127.0.0.1", relay.port)
        head = request(relay.port, origin=None, path="/pair")
        assert (await ask(stream, head))[:2] == (200, "judged")
        await stream.aclose()


async def test_page_that_takes_a_while_in_a_crowd(folder: Path) -> None:
    """Nor is it lost to strangers who come meanwhile, and say nothing or what is refused."""
    asked, crowded = trio.Event(), trio.Event()

    async def pages(_: Request) -> Response:
        asked.set()
        await crowded.wait()
        return Response(200, "judged")

    async with (
        open_relay(folder, "T", Sites(visited=[]), pages=lambda invitation, port: pages) as relay,
        AsyncExitStack() as stack,
    ):
        stream = await stack.enter_async_context(await trio.open_tcp_stream(ADDRESS, relay.port))
        await stream.send_all(request(relay.port, origin=None, path="/pair"))
        await asked.wait()
        for words in (b"", request(relay.port, origin="https://evil.test")) * 20:
            stranger = await trio.open_tcp_stream(ADDRESS, relay.port)
            await stack.enter_async_context(stranger)
            await stranger.send_all(words)
        await until(lambda: "too many" in str(relay.refusals), 5.0, "somebody has to go")
        crowded.set()
        assert b" 200 " in await stream.receive_some()


async def test_cannot_be_told(hasty: Relay, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """While the file cannot be written nobody gets in, which is said once; then all is well."""
    old = Place.read(hasty.file)
    caplog.set_level("WARNING")
    file = folder.with_suffix(".file")
    await trio.Path(file).touch()
    shutil.rmtree(folder)
    os.replace(file, folder)  # in the same breath: else it may be made anew in between
    await until(lambda: caplog.records, 5.0, "it is said")
    async with dial(old.port) as played:
        await played.hello()
        challenge = (await played.hear())["params"]
        assert challenge["mac"] != played.mac(old.token, "server", challenge["nonce"])
    os.unlink(folder)
    await until(hasty.file.exists, 5.0, "it can be written again")
    assert len(caplog.records) == 1
    new = Place.read(hasty.file)
    async with dial(new.port) as played:
        await played.enter(new.token)


async def test_goodbye(folder: Path) -> None:
    """A server that ends says so, and its file goes with it."""
    async with AsyncExitStack() as others:
        async with open_relay(folder, "Test", Sites(visited=[])) as relay:
            played = await others.enter_async_context(dial(relay.port))
            await played.enter(Place.read(relay.file).token)
            transport = await relay.wait_link()
        assert (await played.ending()).code == 1001
        with pytest.raises(BridgeError, match="ending"):
            await transport.receive()
    assert os.listdir(folder) == []


async def test_next_one_is_there_before_it_has_gone(folder: Path) -> None:
    """A server that ends slowly leaves its port, and then the file of the next one, alone."""
    token, over, gone = "x" * 32, trio.Event(), trio.Event()
    relay_here = partial(open_relay, folder, "Test", Sites(visited=[]), token=token)
    scope = trio.CancelScope()

    async def end_slowly(*, task_status: trio.TaskStatus[int]) -> None:
        with scope:
            async with relay_here() as relay:
                task_status.started(relay.port)
                with trio.CancelScope(shield=True):
                    await over.wait()
        gone.set()

    async with trio.open_nursery() as nursery:
        port = await nursery.start(end_slowly)
        scope.cancel()
        async with relay_here(port=port) as relay:
            over.set()
            await gone.wait()
            assert Place.read(relay.file).token == token
    assert os.listdir(folder) == []


async def test_silent_end_of_nobody(folder: Path) -> None:
    """A server nobody has come to ends without a trace."""
    async with open_relay(folder, "Test", Sites(visited=[]), timeouts=Timeouts()) as relay:
        if sys.platform != "win32":
            assert stat.S_IMODE(os.stat(relay.file).st_mode) == 0o600
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert os.listdir(folder) == []
