"""What reading a page takes, and how much there is to read: `python -m tests.bench.bench_snapshot`.

Whole calls of the library, from the program to the page and back, with the pages of `fixtures/`.
"""

import os
import sys
import time

import trio

from bridge.api import open_browser
from bridge.browser.tab import Tab
from fixtures.site import open_site
from tests.bench.table import Row, markdown

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
WARM = 3
PAGES = {  # path -> goals: milliseconds complete, kilobytes complete
    "/form": (4, 2),
    "/table?rows=72": (15, 15),
    "/big?n=5000": (50, 100),
    "/big?n=50000": (500, 1_000),
}
DEFAULT = ("/big?n=50000", 400, 16)


async def main() -> int:
    """Print the table; 1 if a goal is missed."""
    rows: list[Row] = []
    async with open_site() as site, open_browser(headless=True, isolated=True) as browser:
        tab = await browser.new_tab()
        for path, (milliseconds, kilobytes) in PAGES.items():
            await tab.navigate(site.url(path))
            rows += await _measure(tab, f"{path}, complete", milliseconds, kilobytes, 0)
        path, milliseconds, kilobytes = DEFAULT
        rows += await _measure(tab, f"{path}, by default", milliseconds, kilobytes, 16_000)
    sys.stdout.write(markdown(rows) + "\n")
    return 0 if all(row.met for row in rows) else 1


async def _measure(
    tab: Tab, name: str, milliseconds: float, kilobytes: float, max_bytes: int
) -> list[Row]:
    took = Row(name, "ms", milliseconds)
    size = Row(name, "KB", kilobytes)
    for number in range(WARM + ROUNDS):
        start = time.perf_counter()
        shown = await tab.snapshots.take(max_bytes=max_bytes)
        if number >= WARM:
            took.ours.append((time.perf_counter() - start) * 1000)
    size.ours.append(len(shown.text.encode()) / 1000)
    return [took, size]


if __name__ == "__main__":
    sys.exit(trio.run(main))
