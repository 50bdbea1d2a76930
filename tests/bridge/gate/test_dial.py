"""Where a name may lead."""

import socket
from collections.abc import Callable
from types import SimpleNamespace

import psutil
import pytest
import trio

from bridge.gate import dial as dial_module
from bridge.gate.dial import InwardError, connect_first, open_dial, resolve
from bridge.timeouts import Timeouts

Lookup = Callable[..., object]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What the names of this test lead to."""
    table: dict[str, list[str]] = {"127.0.0.1": ["127.0.0.1"]}

    async def getaddrinfo(host: str, port: int, **more: object) -> list[tuple[object, ...]]:
        await trio.lowlevel.checkpoint()
        if host not in table:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        family, kind = socket.AF_INET, socket.SOCK_STREAM
        return [(family, kind, 0, "", (address, port)) for address in table[host]]

    monkeypatch.setattr(trio.socket, "getaddrinfo", getaddrinfo)
    return table


@pytest.fixture
def networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses this machine has in its networks."""

    def net_if_addrs() -> dict[str, list[SimpleNamespace]]:
        texts = ("192.0.2.2", "2001:db8::2", "fe80::2%eth0")
        entries = [
            SimpleNamespace(family=socket.AF_INET6 if ":" in text else socket.AF_INET, address=text)
            for text in texts
        ]
        return {"eth0": [*entries, SimpleNamespace(family=-1, address="02:fc:00:00:00:01")]}

    monkeypatch.setattr(psutil, "net_if_addrs", net_if_addrs)


@pytest.fixture
async def port(nursery: trio.Nursery) -> int:
    """A service on 127.0.0.1 that says hello."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")

    async def greet(stream: trio.SocketStream) -> None:
        await stream.send_all(b"hello")

    nursery.start_soon(trio.serve_listeners, greet, [listener])
    number: int = listener.socket.getsockname()[1]
    return number


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "localhost."])
async def test_localhost_asks_nobody(names: dict[str, list[str]], host: str) -> None:
    """`localhost` is this machine without a question to a name server, as in Chrome."""
    assert await resolve(host, 80) == ["127.0.0.1", "::1"]


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "0.0.0.1", "::1", "::"),
        *(
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::7f00:1",
            "2002:7f00:1::",
        ),
        *("169.254.169.254", "64:ff9b::a9fe:a9fe", "100.100.100.200", "fd00:ec2::254"),
        *("192.0.2.2", "::ffff:192.0.2.2", "64:ff9b::c000:202", "2001:db8::2", "fe80::2%eth0"),
    ],
)
async def test_names_that_lead_inward(
    names: dict[str, list[str]], networks: None, address: str
) -> None:
    """A name that leads into this machine, by whichever of its addresses, is not followed."""
    names["good.test"] = [address]
    dial = open_dial(lambda host, port: host == "good.test", Timeouts())
    with pytest.raises(InwardError, match="not allowed itself"):
        await dial("good.test", 80)


@pytest.mark.parametrize("address", ["192.0.2.3", "10.0.0.1", "2001:db8::3", "64:ff9b::c000:203"])
async def test_names_of_other_machines(
    names: dict[str, list[str]],
    networks: None,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
) -> None:
    """A name may lead to another machine, also of the same network."""
    names["good.test"] = [address]
    reached = []

    async def connect(addresses: list[str], port: int, stagger: float) -> None:
        await trio.lowlevel.checkpoint()
        reached.extend(addresses)

    monkeypatch.setattr(dial_module, "connect_first", connect)
    await open_dial(lambda host, port: host == "good.test", Timeouts())("good.test", 80)
    assert reached == [address]


async def test_an_allowed_address(names: dict[str, list[str]], port: int) -> None:
    """Where the address is allowed too, the name may lead there."""
    names["good.test"] = ["127.0.0.1"]
    dial = open_dial(lambda host, number: True, Timeouts())
    async with await dial("good.test", port) as stream:
        assert await stream.receive_some() == b"hello"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_said_openly(host: str, port: int) -> None:
    """Whoever names this machine openly was judged by that name."""
    dial = open_dial(lambda name, number: False, Timeouts())
    async with await dial(host, port) as stream:
        assert await stream.receive_some() == b"hello"


async def test_other_addresses_of_the_name(names: dict[str, list[str]], port: int) -> None:
    """An inward address among others is passed over."""
    names["good.test"] = ["169.254.169.254", "127.0.0.1"]
    dial = open_dial(lambda host, number: host == "127.0.0.1", Timeouts())
    async with await dial("good.test", port) as stream:
        assert await stream.receive_some() == b"hello"


async def test_the_next_address(port: int) -> None:
    """An address that refuses costs nothing but the attempt."""
    async with await connect_first(["127.0.0.2", "127.0.0.1"], port, stagger=60.0) as stream:
        assert await stream.receive_some() == b"hello"


async def test_no_address_answers(names: dict[str, list[str]]) -> None:
    """The first address's own error is the one that is told."""
    with pytest.raises(ConnectionRefusedError):
        await connect_first(["127.0.0.2", "127.0.0.3"], 9, stagger=60.0)
    with pytest.raises(OSError, match="no address"):
        await connect_first([], 80, stagger=0.0)


async def test_a_name_that_does_not_exist(names: dict[str, list[str]]) -> None:
    """A name nobody knows is an error of the system, told as such."""
    with pytest.raises(OSError, match="no such name"):
        await open_dial(lambda host, port: True, Timeouts())("nowhere.test", 80)


async def test_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that does not answer is given up after a while."""
    monkeypatch.setattr(trio.socket, "getaddrinfo", _for_ever)
    with pytest.raises(TimeoutError, match="no connection within"):
        await open_dial(lambda host, port: True, Timeouts(dial=0.01))("slow.test", 80)


async def _for_ever(*args: object, **more: object) -> None:
    await trio.sleep_forever()
