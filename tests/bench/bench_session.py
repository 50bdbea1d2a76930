"""Calls through a session against the floor: `python -m tests.bench.bench_session`.

Four browsers at once (floor and ours, on each transport) take turns within a round, so that a busy
machine slows all of them; the ratio is taken per round.
"""

import os
import statistics
import subprocess
import sys
import time
from tempfile import TemporaryDirectory

import trio

from bridge.api import open_browser
from bridge.browser.tab import Tab
from bridge.cdp import runtime
from bridge.session.connection import open_connection
from bridge.transport.pipe import open_pipe
from tests.bench.table import Row, markdown

assert sys.platform != "win32"  # there is no pipe to measure

from tests.bench.raw import Kind, RawBrowser  # noqa: E402 -- not there, then

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
_CALLS = 200
_BIG = "'x'.repeat(10_000_000)"
_EVENTS = 100_000
_WRITER = """
import os
event = b'{"method":"Network.dataReceived","params":{"requestId":"1000.1","timestamp":1234.5,'
event += b'"dataLength":1024,"encodedDataLength":512},"sessionId":""}' + bytes(1)
for _ in range(%d):
    os.write(1, event * 100)
os.read(0, 1)
"""


async def main() -> int:
    """Print the table; 1 if a goal is missed."""
    rows: list[Row] = []
    for kind in ("websocket", "pipe"):
        rows += await _transport(kind)
    rows.append(await _unheard())
    sys.stdout.write(markdown(rows) + "\n")
    return 0 if all(row.met for row in rows) else 1


async def _transport(kind: Kind) -> list[Row]:
    small = Row(f"evaluate 1+1, {kind}", "µs", 1.5)
    many = Row(f"50 at once, per call, {kind}", "µs", 1.5)
    big = Row(f"10 MB result, {kind}", "ms", 1.3)
    raw = RawBrowser(kind)
    try:
        with TemporaryDirectory(prefix="cb-") as folder:
            async with open_browser(
                headless=True, isolated=kind == "pipe", data_dir=folder
            ) as browser:
                tab = await browser.new_tab()
                for turn in range(ROUNDS + 1):
                    await _round(raw, tab, turn, small, many, big)
    finally:
        raw.close()
    return [small, many, big]


async def _round(raw: RawBrowser, tab: Tab, turn: int, small: Row, many: Row, big: Row) -> None:
    pairs = [
        (small, _raw_small, _our_small),
        (many, _raw_many, _our_many),
        (big, _raw_big, _our_big),
    ]
    for row, floor, ours in pairs:
        if turn % 2:
            first = floor(raw)
            second = await ours(tab)
        else:
            second = await ours(tab)
            first = floor(raw)
        if turn:  # the first round warms everything
            row.floor.append(first)
            row.ours.append(second)


def _raw_small(raw: RawBrowser) -> float:
    samples = []
    for _ in range(_CALLS):
        start = time.perf_counter()
        raw.evaluate("1+1")
        samples.append(time.perf_counter() - start)
    return statistics.median(samples) * 1e6


async def _our_small(tab: Tab) -> float:
    samples = []
    for _ in range(_CALLS):
        start = time.perf_counter()
        await _evaluate(tab, "1+1")
        samples.append(time.perf_counter() - start)
    return statistics.median(samples) * 1e6


def _raw_many(raw: RawBrowser) -> float:
    def once() -> float:
        start = time.perf_counter()
        numbers = [
            raw.post("Runtime.evaluate", expression="1+1", returnByValue=True) for _ in range(50)
        ]
        for number in numbers:
            raw.answer(number)
        return (time.perf_counter() - start) / 50 * 1e6

    return statistics.median(once() for _ in range(9))


async def _our_many(tab: Tab) -> float:
    async def once() -> float:
        start = time.perf_counter()
        async with trio.open_nursery() as nursery:
            for _ in range(50):
                nursery.start_soon(_evaluate, tab, "1+1")
        return (time.perf_counter() - start) / 50 * 1e6

    return statistics.median([await once() for _ in range(9)])


def _raw_big(raw: RawBrowser) -> float:
    start = time.perf_counter()
    assert len(raw.evaluate(_BIG)) == 10_000_000
    return (time.perf_counter() - start) * 1e3


async def _our_big(tab: Tab) -> float:
    start = time.perf_counter()
    value = await _evaluate(tab, _BIG)
    assert isinstance(value, str)
    assert len(value) == 10_000_000
    return (time.perf_counter() - start) * 1e3


async def _evaluate(tab: Tab, expression: str) -> object:
    result = await tab.session.execute(runtime.evaluate(expression, return_by_value=True))
    return result.result.value


async def _unheard() -> Row:
    """CPU time of this process per event that nobody listens to."""
    row = Row("event nobody hears, CPU", "µs", 1.0)
    for _ in range(ROUNDS // 3 + 1):
        row.ours.append(await _flood())
    return row


async def _flood() -> float:
    code = _WRITER % (_EVENTS // 100)
    reader, theirs = os.pipe()
    sink = os.open(os.devnull, os.O_WRONLY)
    writer = await trio.lowlevel.open_process(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=theirs
    )
    os.close(theirs)
    assert writer.stdin is not None
    async with open_pipe(reader, sink) as transport:
        before = time.process_time()
        async with open_connection(transport) as connection:
            while connection.statistics().unheard < _EVENTS:  # noqa: ASYNC110 -- the thing measured
                await trio.sleep(0.01)
            spent = time.process_time() - before
    await writer.stdin.aclose()
    await writer.wait()
    return spent / _EVENTS * 1e6


if __name__ == "__main__":
    sys.exit(trio.run(main))
