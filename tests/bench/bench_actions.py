"""A click and twenty typed characters against the floor: `python -m tests.bench.bench_actions`.

Ours is a whole call of the tool, from its arguments to the text of its answer: wait until the
element gets the press, press, see what came of it. The floor knows the point beforehand, sends the
input and asks for the effect once. Two browsers take turns within a round, so that a busy machine
slows both; the ratio is taken per round.
"""

import json
import os
import statistics
import sys
import time

import trio

from bridge.api import open_browser
from bridge.browser.prelude import PRELUDE
from fixtures.site import open_site
from tests.bench.table import Row, markdown
from tests.support.door import OpenDoor, open_door

assert sys.platform != "win32"  # there is no pipe to measure

from tests.bench.raw import RawBrowser  # noqa: E402 -- not there, then

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "40"))
WARM = 5
TEXT = "twenty characters ok"
_PAGE = """<!doctype html><title>Bench</title><style>#b, #i { position: absolute; left: 20px;
width: 200px; height: 30px } #b { top: 20px } #i { top: 80px }</style><button id=b>Press</button>
<input id=i aria-label=Name><output id=o>0</output>
<script>b.onclick = () => { o.textContent = Number(o.textContent) + 1 }</script>"""
_WRITE = f"document.open(); document.write({json.dumps(_PAGE)}); document.close(); 1"
_BUTTON = {"x": 120, "y": 35, "button": "left", "clickCount": 1}
_FIELD = {**_BUTTON, "y": 95}


async def main() -> int:
    """Print the table; 1 if a goal is missed."""
    rows = [Row("click, effect seen", "ms", 3), Row("type 20 characters, seen", "ms", 3)]
    raw = RawBrowser("pipe")
    try:
        raw.evaluate(_WRITE)
        async with open_site() as site, open_browser(headless=True, isolated=True) as browser:
            browser.add_prelude(*PRELUDE)
            async with open_door(browser) as door:
                await door.text("navigate", url=site.url("/stage"))
                assert door.desk.current is not None
                await door.desk.current.evaluate(_WRITE)
                for number in range(WARM + ROUNDS):
                    await _round(raw, door, rows if number >= WARM else None)
    finally:
        raw.close()
    sys.stdout.write(markdown(rows) + "\n")
    for row in rows:
        slowest = sorted(row.ours)[-max(len(row.ours) // 20, 1)]
        line = f"{row.name}: {statistics.median(row.ours):.2f} ms, 95 %: {slowest:.2f} ms\n"
        sys.stdout.write(line)
    return 0 if all(row.met for row in rows) else 1


async def _round(raw: RawBrowser, door: OpenDoor, rows: list[Row] | None) -> None:
    samples = [
        (_raw_click(raw), await _our_click(door)),
        (_raw_type(raw), await _our_type(door)),
    ]
    for row, (floor, ours) in zip(rows or (), samples, strict=bool(rows)):
        row.floor.append(floor)
        row.ours.append(ours)


def _raw_click(raw: RawBrowser) -> float:
    before = raw.evaluate("o.textContent")
    start = time.perf_counter()
    _press(raw, _BUTTON)
    while raw.evaluate("o.textContent") == before:
        pass
    return (time.perf_counter() - start) * 1000


def _raw_type(raw: RawBrowser) -> float:
    raw.evaluate("i.value = ''")
    start = time.perf_counter()
    _press(raw, _FIELD)
    raw.command("Input.insertText", text=TEXT)
    while raw.evaluate("i.value") != TEXT:
        pass
    return (time.perf_counter() - start) * 1000


def _press(raw: RawBrowser, at: dict[str, object]) -> None:
    """Both halves at once; the browser keeps their order."""
    numbers = [
        raw.post("Input.dispatchMouseEvent", type=kind, **at)
        for kind in ("mousePressed", "mouseReleased")
    ]
    for number in numbers:
        raw.answer(number)


async def _our_click(door: OpenDoor) -> float:
    start = time.perf_counter()
    said = await door.text("click", selector="#b")
    took = (time.perf_counter() - start) * 1000
    assert "~ - status" in said, said
    return took


async def _our_type(door: OpenDoor) -> float:
    start = time.perf_counter()
    said = await door.text("type", selector="#i", text=TEXT, clear=True)
    took = (time.perf_counter() - start) * 1000
    assert said.startswith("Typed into"), said
    return took


if __name__ == "__main__":
    sys.exit(trio.run(main))
