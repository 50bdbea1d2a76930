"""Connects to where a name leads, unless it leads back into this machine by a detour.

Whoever owns a name decides where it points, also to 127.0.0.1 (that is how pages reach services
that trust their own machine), and to a cloud's metadata service. An allowed name is no permission
for those: such an address has to be allowed itself.
"""

import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import trio

from bridge.timeouts import Timeouts

Allowed = Callable[[str, int], bool]
"""Whether a canonical host (IPv6 in brackets) and port may be reached."""

Dial = Callable[[str, int], Awaitable[trio.SocketStream]]
"""Connects to a host; raises OSError where that fails."""

_LOOPBACK = ("127.0.0.1", "::1")
_Address = IPv4Address | IPv6Address


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
    fit = [text for text in found if not _is_inward(text) or allowed(_as_host(text), port)]
    if found and not fit:
        raise InwardError(f"{host} leads to {found[0]}, which is not allowed itself")
    return fit


def _is_inward(text: str) -> bool:
    address: _Address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_link_local or address.is_unspecified


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
