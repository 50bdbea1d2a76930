"""What the server's half of the extension's link costs: `python -m tests.bench.bench_link`.

No browser: the other half is played in the same process, and its work is counted as ours, so the
truth is a little better than the table.
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from bridge.relay.server import open_relay
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import Sites
from tests.bench.table import Row, markdown
from tests.support.played_extension import Place, Played, dial, masked

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
_CALLS = 500
_EVENTS = 10_000
_ASK = b'{"id":1,"method":"Runtime.evaluate","params":{"expression":"1+1"},"sessionId":"t1"}'
_EVENT = b'{"method":"Network.dataReceived","params":{"requestId":"1000.1","dataLength":1024}}'


async def main() -> int:
    """Print the table; 1 if a goal is missed."""
    call = Row("small request and its answer", "ms", 0.3)
    event = Row("event", "ms", 0.15)
    big = Row("answer of 10 MB", "ms", 300)
    entry = Row("from dialling to a transport", "ms", 300)
    with TemporaryDirectory(prefix="cb-") as folder:
        async with open_relay(Path(folder) / "links", "bench", Sites(visited=["*"])) as relay:
            place = Place.read(relay.file)
            for turn in range(ROUNDS + 1):
                begun = time.perf_counter()
                async with dial(place.port) as played:
                    await played.enter(place.token, instanceId=f"i{turn}", label=f"i{turn}")
                    transport = await relay.wait_link(f"i{turn}")
                    samples = [time.perf_counter() - begun]
                    samples.append(await _calls(played, transport))
                    samples.append(await _flow(played, transport, masked(_EVENT) * 100, _EVENTS))
                    answer = masked(b'{"id":1,"result":"%b"}' % (b"x" * 10_000_000))
                    samples.append(await _flow(played, transport, answer, 1))
                if turn:  # the first warms up
                    for row, seconds in zip((entry, call, event, big), samples, strict=True):
                        row.ours.append(seconds * 1000)
    rows = [entry, call, event, big]
    sys.stdout.write(markdown(rows) + "\n")
    return 0 if all(row.met for row in rows) else 1


async def _calls(played: Played, transport: ExtensionTransport) -> float:
    """Seconds for one, one after another."""
    answer = masked(b'{"id":1,"sessionId":"t1","result":{"result":{"type":"number","value":2}}}')
    begun = time.perf_counter()
    for _ in range(_CALLS):
        await transport.send(_ASK)
        await played.stream.receive_some()
        await played.raw(answer)
        await transport.receive()
    return (time.perf_counter() - begun) / _CALLS


async def _flow(played: Played, transport: ExtensionTransport, data: bytes, messages: int) -> float:
    """Seconds for each message of a flood."""

    async def pour() -> None:
        for _ in range(max(1, messages // 100)):
            await played.raw(data)

    begun = time.perf_counter()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pour)
        left = messages
        while left > 0:
            left -= len(await transport.receive())
    return (time.perf_counter() - begun) / messages


if __name__ == "__main__":
    sys.exit(trio.run(main))
