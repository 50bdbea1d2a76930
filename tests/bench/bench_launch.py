"""From nothing to a first answer, and what holding a browser costs:
`python -m tests.bench.bench_launch`.
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from bridge.api import open_browser
from tests.bench.table import Row, markdown

assert sys.platform != "win32"  # there is no pipe to measure

from tests.bench.raw import Kind, RawBrowser  # noqa: E402 -- not there, then

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
_ROOT = Path(__file__).parents[2]
_HOLD = """
import sys, trio
from bridge import open_browser
async def main():
    async with open_browser(headless=True, data_dir=sys.argv[1]) as browser:
        tab = await browser.new_tab()
        assert await tab.evaluate("1 + 1") == 2
        with open("/proc/self/status") as file:
            print(next(line for line in file if line.startswith("VmRSS")).split()[1])
trio.run(main)
"""


async def main() -> int:
    """Print the table; 1 if a goal is missed."""
    rows = [await _spawn("pipe"), await _spawn("websocket"), *await _attach()]
    sys.stdout.write(markdown(rows) + "\n")
    return 0 if all(row.met for row in rows) else 1


async def _spawn(kind: Kind) -> Row:
    row = Row(f"spawn → first evaluate, {kind}", "ms", 1.15)
    for turn in range(ROUNDS + 1):
        if turn % 2:
            floor, ours = _raw_spawn(kind), await _our_spawn(kind)
        else:
            ours, floor = await _our_spawn(kind), _raw_spawn(kind)
        if turn:
            row.floor.append(floor)
            row.ours.append(ours)
    return row


def _raw_spawn(kind: Kind) -> float:
    start = time.perf_counter()
    raw = RawBrowser(kind)
    try:
        assert raw.evaluate("1+1") == 2
        return (time.perf_counter() - start) * 1e3
    finally:
        raw.close()


async def _our_spawn(kind: Kind) -> float:
    with TemporaryDirectory(prefix="cb-") as folder:
        start = time.perf_counter()
        async with open_browser(headless=True, isolated=kind == "pipe", data_dir=folder) as browser:
            tab = await browser.new_tab()
            assert await tab.evaluate("1+1") == 2
            return (time.perf_counter() - start) * 1e3


async def _attach() -> list[Row]:
    """A second user of a browser that runs: in this process, and as a process of its own."""
    inside = Row("attach to a running profile → first evaluate", "ms", 300)
    outside = Row("the same as a new process, Python's start included", "ms", 1000)
    memory = Row("RSS of a process that holds one session", "MB", 45)
    with TemporaryDirectory(prefix="cb-") as folder:
        async with open_browser(headless=True, data_dir=folder):
            for _ in range(ROUNDS):
                inside.ours.append(await _our_attach(folder))
                start = time.perf_counter()
                done = await trio.run_process(
                    [sys.executable, "-c", _HOLD, folder],
                    cwd=_ROOT,
                    capture_stdout=True,
                    capture_stderr=True,
                )
                outside.ours.append((time.perf_counter() - start) * 1e3)
                memory.ours.append(int(done.stdout) / 1024)
    return [inside, outside, memory]


async def _our_attach(folder: str) -> float:
    start = time.perf_counter()
    async with open_browser(headless=True, data_dir=folder) as browser:
        tab = await browser.new_tab()
        assert await tab.evaluate("1+1") == 2
        return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    sys.exit(trio.run(main))
