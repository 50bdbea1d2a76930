"""Both ends around a proxy, played by the test: its clients, and the sites it connects to."""

from dataclasses import dataclass, field

import trio


@dataclass(slots=True)
class Met:
    """One connection of the proxy, by the name it wanted."""

    host: str
    port: int
    stream: trio.SocketStream

    async def read_until(self, mark: bytes) -> bytes:
        """What came, once this is in it."""
        return await read_until(self.stream, mark)


@dataclass(slots=True)
class FarSide:
    """`dial` is for the proxy, `meet` for the test."""

    error: OSError | None = None
    dialled: list[tuple[str, int]] = field(default_factory=list)
    _met: list[Met] = field(default_factory=list)
    _some: trio.Event = field(default_factory=trio.Event)
    _open: list[trio.SocketStream] = field(default_factory=list)

    async def connect(self, port: int) -> trio.SocketStream:
        """A client of the proxy that listens there."""
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        self._open.append(stream)
        return stream

    def close(self) -> None:
        """Close whatever the test has left open."""
        for stream in self._open:
            stream.socket.close()

    async def dial(self, host: str, port: int) -> trio.SocketStream:
        await trio.lowlevel.checkpoint()
        self.dialled.append((host, port))
        if self.error is not None:
            raise self.error
        ours, theirs = trio.socket.socketpair()
        self._met.append(Met(host, port, trio.SocketStream(theirs)))
        self._open.append(self._met[-1].stream)
        self._some.set()
        return trio.SocketStream(ours)

    async def meet(self) -> Met:
        """The next connection, in the order they were made."""
        while not self._met:
            self._some = trio.Event()
            await self._some.wait()
        return self._met.pop(0)


async def read_until(stream: trio.SocketStream, mark: bytes) -> bytes:
    """What came, once this is in it; all there was, if it ends before."""
    data = b""
    while mark not in data:
        more = await stream.receive_some()
        if not more:
            return data
        data += more
    return data


async def read_all(stream: trio.SocketStream) -> bytes:
    """What comes until the end, also an abrupt one."""
    data = b""
    try:
        while more := await stream.receive_some():
            data += more
    except trio.BrokenResourceError:
        return data
    return data
