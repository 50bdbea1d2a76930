"""The console of a real page: all that it says, and nothing kept for it."""

import re

import pytest

from bridge import cdp
from bridge.browser.tab import Tab
from fixtures.site import Site
from tests.support.browsers import until
from tests.support.logged import OpenLogged, open_page

pytestmark = [pytest.mark.chromium, pytest.mark.contract]


async def _say(tab: Tab, script: str, lines: int) -> None:
    """Run it and wait for so many lines more."""
    before = tab.console.count
    await tab.evaluate(f"{script}; 0")
    await tab.console.catch_up()
    await until(lambda: tab.console.count >= before + lines, f"{lines} lines came")


async def test_everything_a_page_says(logged: OpenLogged, site: Site) -> None:
    """Lines of every level, values, exceptions, rejections and failed requests are told."""
    async with logged() as door:
        tab = await open_page(door, site.url("/console?levels"))
        for button, lines in (("values", 4), ("throw", 1), ("reject", 1), ("surrogate", 1)):
            await _say(tab, f"setTimeout(() => document.getElementById('{button}').click())", lines)
        await _say(tab, "document.getElementById('missing').click()", 1)
        told = await door.text("console_messages", level="debug")
    for line in (
        "[debug] a debug line (",
        "[info] a log line (",
        "[warning] a warning line (",
        "[error] an error line (",
        "[error] Assertion failed: an assertion line (",
        "text 42 -0 10n null undefined true Symbol(mark)",
        '{a: Object} [1, "two"] Map(1) {k => v} body',
        "formatted is 7",
        "[error] Uncaught TypeError: thrown on purpose (",
        "[error] Uncaught (in promise) RangeError: rejected on purpose (",
        "lone \ufffd surrogate",
        "[error] Failed to load resource: the server responded with a status of 404",
    ):
        assert line in told


async def test_errors_of_an_action(logged: OpenLogged, site: Site) -> None:
    """What was clicked says that errors came of it, and where; what came before is not its."""
    async with logged() as door:
        tab = await open_page(door, site.url("/console?levels"))
        await until(lambda: tab.console.count > 0, "the page has said its lines")
        thrown = await door.text("click", selector="#throw")
        where = re.search(r"The console got 1 error: console_messages, since: (\d+)\.", thrown)
        assert where is not None, thrown
        told = await door.text("console_messages", since=int(where[1]))
        assert re.findall(r"^\[.*", told, re.MULTILINE)[0].startswith(
            "[error] Uncaught TypeError: thrown on purpose ("
        )
        assert "The console got" not in await door.text("click", selector="#values")


async def test_frames_and_workers(logged: OpenLogged, site: Site) -> None:
    """Frames in other processes, and workers, are heard as well."""
    async with logged() as door:
        tab = await open_page(door, site.url("/frames"))
        await until(lambda: any(frame.remote for frame in tab.frames), "a frame moved out")
        frame = next(frame for frame in tab.frames if frame.remote)
        await frame.session.execute(cdp.runtime.evaluate("console.log('from the frame')"))
        worker = "new Worker(URL.createObjectURL(new Blob(['console.log(`from the worker`)'])))"
        await _say(tab, worker, 1)
        await until(lambda: tab.console.count >= 2, "both spoke")
        told = await door.text("console_messages")
    assert "from the frame" in told
    assert "from the worker" in told


@pytest.mark.differs("Profiles of memory and of the processor are not offered.")
async def test_objects_do_not_pile_up(logged: OpenLogged, site: Site) -> None:
    """Objects that a page logs are not kept alive for us, beyond what Chrome keeps anyway."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        for _ in range(10):
            await _say(
                tab, "for (let i = 0; i < 500; i++) console.log({a: Array(1000).fill(i)})", 500
            )
        await until(lambda: not tab.console._held, "they were released")
        await tab.session.execute(cdp.heap_profiler.collect_garbage())
        heap = await tab.session.execute(cdp.runtime.get_heap_usage())
    assert heap.used_size < 15_000_000  # 5,000 arrays of 8 KB are 40 MB


async def test_flood(logged: OpenLogged, site: Site) -> None:
    """A flood is counted, bounded and folded, and the tool still answers."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        await _say(tab, "for (let i = 0; i < 20000; i++) console.log('again')", 20_000)
        told = await door.text("console_messages")
    assert "[info] again ×1000" in told
    assert "19000 older ones are no longer kept." in told
    assert tab.console.size < 1_000_000


_FLOOD = """window.n = 0;
window.flood = setInterval(() => { for (let i = 0; i < 500; i++) console.log('line', ++n) }, 50);
0"""


async def test_endless_flood(logged: OpenLogged, site: Site) -> None:
    """Of a page that says far too much the newest lines are told, each once, and what follows."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        shown = await door.text("snapshot")
        await tab.evaluate(_FLOOD)
        await until(lambda: tab.console.uncounted > 0, "lines were left out", seconds=15)
        said = await tab.evaluate("n")
        assert isinstance(said, int)
        told = await door.text("console_messages", limit=5)
        assert max(int(number) for number in re.findall(r"line (\d+)", told)) >= said
        assert "too fast to be counted" in told
        known = re.findall(r"\[ref=\w+\]", shown)
        assert re.findall(r"\[ref=\w+\]", await door.text("snapshot")) == known
        assert tab.console.count < said
        await tab.evaluate("clearInterval(flood); console.log('it is over'); 0")
        last = await door.text("console_messages")
        assert "it is over" in last
        numbers = [int(number) for number in re.findall(r"line (\d+)", last)]
        assert numbers == sorted(set(numbers))
        dams = tab.console._dams.values()
        await until(lambda: not any(dam._newest for dam in dams), "it is listened to again")
        await _say(tab, "console.log('afterwards')", 1)
        assert tab.console.count == max(each.number for each in tab.console.said())
        await tab.reload()
        await _say(tab, "console.log('on the next page')", 1)
        assert "[info] on the next page" in await door.text("console_messages")


_BURST = "for (let i = 0; i < 3000; i++) console.log('line', i); setTimeout(() => {{ {} }}, 500); 0"


async def _is_held(tab: Tab) -> None:
    (dam,) = tab.console._dams.values()
    await until(lambda: not dam._told.is_set(), "nobody listens any more")


async def test_flood_before_another_page(logged: OpenLogged, site: Site) -> None:
    """What a page that was not listened to said before it went cannot be heard; that is told."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        await tab.evaluate(
            _BURST.format(f"console.log('last words'); location = '{site.url('/')}'")
        )
        await _is_held(tab)
        await until(lambda: tab.url == site.url("/"), "the next page is there")
        told = await door.text("console_messages", since=0)
        assert "last words" not in told
        assert "nor are more that came too fast to be counted" in told
        assert "too fast" not in await door.text("console_messages")


async def test_flood_before_a_dialog(logged: OpenLogged, site: Site) -> None:
    """Behind a dialog a page cannot say what it said last; that is told, and it comes later."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        await tab.evaluate(_BURST.format("console.log('last words'); alert('well?')"))
        await _is_held(tab)
        await until(lambda: tab.dialogs.current is not None, "it asks")
        told = await door.text("console_messages")
        assert "last words" not in told
        assert "What the page said last is still to come" in told
        await door.text("handle_dialog", action="accept")
        assert "last words" in await door.text("console_messages")
