"""Connects to where a name leads, unless it leads back into this machine by a detour.

Whoever owns a name decides where it points, also to 127.0.0.1 or this machine's address in its own
network (that is how pages reach services that trust their own machine), and to a cloud's metadata
service. An allowed name is no permission for those: such an address has to be allowed itself. Other
machines of the same network are not taken for inward: names of an intranet lead there rightly.
"""

import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import trio

from bridge.timeouts import Timeouts

Allowed = Callable[[str, int], bool]
"""Whether a canonical host (IPv6 in brackets) and port may be reached."""

Dial = Callable[[str, int], Awaitable[trio.SocketStream]]
"""Connects to a host; raises OSError where that fails."""

_LOOPBACK = ("127.0.0.1", "::1")
_Address = IPv4Address | IPv6Address
_THIS_NETWORK = IPv4Network("0.0.0.0/8")
# The last 32 bits are an IPv4 address: written as one, and translated into one (RFC 6052, 8215).
_EMBEDDING = tuple(map(IPv6Network, ("::/96", "64:ff9b::/96", "64:ff9b:1::/48")))
# Where clouds tell a machine its secrets, but for 169.254.169.254, which is link-local: Alibaba,
# Azure, Oracle; by IPv6 Amazon, Google, Oracle, Scaleway.
_METADATA = frozenset(
    map(
        ip_address,
        (
            *("100.100.100.200", "168.63.129.16", "192.0.0.192"),
            *("fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"),
        ),
    )
)


class InwardError(OSError):
    """The name leads into this machine, and that address is not allowed."""


def open_dial(allowed: Allowed, timeouts: Timeouts) -> Dial:
    """A function that connects, for hosts that were found to be allowed by name."""

    async def dial(host: str, port: int) -> trio.SocketStream:
        with trio.move_on_after(timeouts.dial):
            addresses = _outward(host, port, await resolve(host, port), allowed)
            return await connect_first(addresses, port, timeouts.next_address)
        raise TimeoutError(f"no connection within {timeouts.dial:g} s")

    return dial


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as Chrome would find them: `localhost` never asks anybody."""
    bare = host.strip("[]").removesuffix(".")
    if bare == "localhost" or bare.endswith(".localhost"):
        return list(_LOOPBACK)
    found = await trio.socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _outward(host: str, port: int, found: Sequence[str], allowed: Allowed) -> list[str]:
    """Those a name may lead to; a numeric host or `localhost` was decided upon by itself."""
    bare = host.strip("[]").removesuffix(".")
    if bare in found or bare == "localhost" or bare.endswith(".localhost"):
        return list(found)
    own = _own_addresses()
    fit = [text for text in found if not _is_inward(text, own) or allowed(_as_host(text), port)]
    if found and not fit:
        raise InwardError(f"{host} leads to {found[0]}, which is not allowed itself")
    return fit


def _is_inward(text: str, own: frozenset[_Address]) -> bool:
    address = _meant(text)
    if isinstance(address, IPv4Address) and address in _THIS_NETWORK:
        return True
    return address.is_loopback or address.is_link_local or address in _METADATA or address in own


def _own_addresses() -> frozenset[_Address]:
    """Those of this machine now, for networks come and go; measured 0.1 ms."""
    import psutil  # slow to load, and nobody needs it before (on Linux)

    return frozenset(
        _meant(each.address)
        for network in psutil.net_if_addrs().values()
        for each in network
        if each.family in (socket.AF_INET, socket.AF_INET6)
    )


def _meant(text: str) -> _Address:
    """The address, without its zone; of IPv4 in the clothes of IPv6 that."""
    address: _Address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return address
    mapped = address.ipv4_mapped or address.sixtofour
    if mapped is not None:
        return mapped
    if any(address in network for network in _EMBEDDING) and not address.is_loopback:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _as_host(text: str) -> str:
    return f"[{text}]" if ":" in text else text


async def connect_first(addresses: Sequence[str], port: int, stagger: float) -> trio.SocketStream:
    """The first connection that comes about; the next address gets its turn on failure, or late."""
    connected: list[trio.SocketStream] = []
    failed: list[OSError] = []

    async def attempt(address: str, over: trio.Event) -> None:
        try:
            stream = await _connect(address, port)
        except OSError as error:
            failed.append(error)
            over.set()
        else:
            connected.append(stream)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for address in addresses:
            over = trio.Event()
            nursery.start_soon(attempt, address, over)
            with trio.move_on_after(stagger):
                await over.wait()
    for late in connected[1:]:
        await trio.aclose_forcefully(late)
    if connected:
        return connected[0]
    raise failed[0] if failed else OSError("the name has no address")


async def _connect(address: str, port: int) -> trio.SocketStream:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = trio.socket.socket(family, socket.SOCK_STREAM)
    try:
        await sock.connect((address, port))
    except BaseException:
        sock.close()
        raise
    return trio.SocketStream(sock)
