"""The library in real use: one block, a browser in it, nothing left after it."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from bridge import cdp, open_browser
from bridge.browser.contexts import open_context
from bridge.errors import LaunchError, PageError
from bridge.timeouts import Timeouts
from fixtures.site import Site
from tests.support.browsers import OFFLINE, until
from tests.support.conditions import limit
from tests.support.trees import wait_answers

pytestmark = pytest.mark.chromium

_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["pipe", "port"])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """A browser of its own for the test, over each way to speak to one."""
    isolated = request.param == "pipe"
    return {
        "headless": True,
        "isolated": isolated,
        "data_dir": str(tmp_path),
        "chrome_args": OFFLINE,
    }


def browsers(folder: Path) -> list[int]:
    """Processes with a profile below this folder."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(word.startswith(f"--user-data-dir={folder}") for word in words):
            found.append(process.pid)
    return found


@asynccontextmanager
async def leaves_nothing(folder: Path) -> AsyncIterator[None]:
    """No browser and no descriptor is left over by the block."""
    before = len(os.listdir("/proc/self/fd"))
    yield
    await until(lambda: browsers(folder) == [], "its last helper is gone")
    # One more may be there: that of the last watchdog, which ends just after its browser. And the
    # site, in this process too, takes a moment to see that its clients are gone.
    await until(lambda: len(os.listdir("/proc/self/fd")) <= before + 1, "descriptors are closed")


async def test_ten_lines(options: dict[str, Any], tmp_path: Path, site: Site) -> None:
    """Ten lines open a browser, read a page and leave nothing behind."""
    async with leaves_nothing(tmp_path), open_browser(**options) as browser:
        tab = await browser.new_tab(site.url("/form"))
        assert await tab.evaluate("document.title") == "Form"
        async with open_context(browser) as context:
            stranger = await browser.new_tab(site.url("/form"), context_id=context)
            assert await stranger.evaluate("document.cookie") == ""
        await tab.close()
        assert browser.tabs == [] or tab not in browser.tabs


async def test_tour(options: dict[str, Any], site: Site) -> None:
    """Pop-ups, foreign frames, workers and a crash do over a pipe what they do over a port."""
    async with open_browser(**options) as browser:
        browser.add_prelude(cdp.page.add_script_to_evaluate_on_new_document("early = 1"))
        tab = await browser.new_tab(site.url("/frames"))
        await until(lambda: len(tab.frames) == 7, "all frames are there")
        await wait_answers(tab)
        await tab.navigate(site.url("/popups"))
        for button in ("plain", "noopener", "foreign"):
            await tab.evaluate(f"document.getElementById('{button}').click()")
        named = ("=plain", "=noopener", "=foreign")
        await until(
            lambda: all(any(t.url.endswith(name) for t in browser.tabs) for name in named),
            "all pop-ups are ours",
        )
        if browser.exclusive:
            popups = [t for t in browser.tabs if t.url.endswith(named)]
            assert [await popup.evaluate("early") for popup in popups] == [1, 1, 1]
        with pytest.raises(PageError, match="crashed"):
            await tab.session.execute(cdp.page.crash())
        assert (await tab.reload()).title == "Popups"
        worker = "new Promise((r) => { new Worker('/worker.js').onmessage = (e) => r(e.data) })"
        arm = "Worker.prototype.postMessage"
        assert await tab.evaluate(f"typeof {arm}") == "function"
        started = worker.replace("new Worker('/worker.js')", "w = new Worker('/worker.js'), w")
        asked = started.replace("e.data) }", "e.data); w.postMessage(4) }")
        assert await tab.evaluate(asked) == "square 16"


async def test_tabs_in_the_background(options: dict[str, Any], site: Site) -> None:
    """A tab behind another one is drawn, has the usual size, and tells what it asked for."""
    async with open_browser(**options) as browser:
        hidden, _ = await browser.new_tab(site.url("/form")), await browser.new_tab()
        with limit(5):  # one that is not drawn never gets there
            frames = (
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            await hidden.evaluate(frames)
        assert await hidden.evaluate("[innerWidth, innerHeight]") == [1280, 720]
        assert [request.url for request in hidden.network][:1] == [site.url("/form")]


async def test_size_without_a_display(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no window could be shown, and nobody said so, pages have the same size."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with open_browser(**{**options, "headless": None}) as browser:
        tab = await browser.new_tab()
        assert await tab.evaluate("[innerWidth, innerHeight]") == [1280, 720]


async def test_last_tab_of_all(options: dict[str, Any], site: Site) -> None:
    """A browser without any tab left opens the next one."""
    async with open_browser(**options) as browser:
        root = browser.connection.root
        known = await root.execute(cdp.target.get_targets())
        for info in known.target_infos:
            if info.type == "page":
                await root.execute(cdp.target.close_target(info.target_id))
        await until(lambda: not browser.targets.pages(), "all tabs are gone")
        assert (await browser.new_tab(site.url("/form"))).url == site.url("/form")


async def test_first_address_after_another(options: dict[str, Any], site: Site) -> None:
    """Whoever opens a tab right after the first address has failed gets that one tab, and goes."""
    async with open_browser(**options) as browser:
        for _ in range(3):
            with pytest.raises(PageError, match="ERR_UNSAFE_PORT"):
                await browser.new_tab("http://127.0.0.1:1/")
        tab = await browser.new_tab(site.url("/"))
        assert tab.url == site.url("/")
        assert browser.tabs == [tab]


async def test_errors_come_out_as_they_are(options: dict[str, Any], tmp_path: Path) -> None:
    """An error of the block, or of the launch, leaves unwrapped; the browser is closed."""
    async with leaves_nothing(tmp_path):
        with pytest.raises(PageError) as thrown:
            async with open_browser(**options) as browser:
                await (await browser.new_tab()).evaluate("throw 5")
        assert thrown.value.code == "EVAL_THREW"
        with pytest.raises(KeyboardInterrupt):
            async with open_browser(**options):
                raise KeyboardInterrupt
        with pytest.raises(LaunchError) as failed:
            async with open_browser(**{**options, "executable": "/bin/false"}):
                raise AssertionError("unreachable")
        assert failed.value.code == "LAUNCH_FAILED"


@pytest.mark.parametrize("wait", ["new_tab", "forever"])
async def test_cancelled(options: dict[str, Any], tmp_path: Path, site: Site, wait: str) -> None:
    """A block that is cancelled, wherever it waits, closes its browser."""
    async with leaves_nothing(tmp_path), trio.open_nursery() as nursery:
        ready = trio.Event()

        async def work() -> None:
            async with open_browser(**options) as browser:
                waits: dict[str, Callable[[], Any]] = {
                    "new_tab": lambda: browser.new_tab(site.url("/never")),
                    "forever": trio.sleep_forever,
                }
                await browser.new_tab()
                ready.set()
                await waits[wait]()

        nursery.start_soon(work)
        await ready.wait()
        if wait == "new_tab":
            await site.wait_request("/never")
        nursery.cancel_scope.cancel()


async def test_ids_do_not_outlive_the_browser(options: dict[str, Any]) -> None:
    """An id from before a restart of the browser is stale, whatever is open now."""
    async with open_browser(**options) as browser:
        old = (await browser.new_tab()).id
    async with open_browser(**options) as browser:
        for _ in range(3):
            await browser.new_tab()
        with pytest.raises(Exception, match="does not exist in this browser") as stale:
            browser.tab(old)
        assert getattr(stale.value, "code", "") == "STALE_TAB"


async def test_several_in_a_row(options: dict[str, Any], tmp_path: Path) -> None:
    """Browsers one after the other leave no descriptor, no process and no task."""
    async with open_browser(**options):
        pass  # what is opened once and kept, is
    tasks = trio.lowlevel.current_statistics().tasks_living
    async with leaves_nothing(tmp_path):
        for _ in range(3):
            async with open_browser(**options) as browser:
                await (await browser.new_tab()).evaluate("1")
    assert trio.lowlevel.current_statistics().tasks_living == tasks


async def test_interrupt(options: dict[str, Any], tmp_path: Path) -> None:
    """Ctrl-C in a script that uses the library closes the browser and ends the script."""
    script = f"""
import trio
from bridge import open_browser

async def main():
    async with open_browser(**{options!r}) as browser:
        await browser.new_tab()
        print("ready", flush=True)
        await trio.sleep_forever()

trio.run(main)
"""

    process = await trio.lowlevel.open_process(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=_ROOT
    )
    assert process.stdout is not None
    assert process.stderr is not None
    async with process.stdout, process.stderr:
        assert (await process.stdout.receive_some(5)) == b"ready"
        process.send_signal(2)
        await process.wait()
        said = b"".join([chunk async for chunk in process.stderr])
    assert said.rstrip().endswith(b"KeyboardInterrupt")
    await until(lambda: browsers(tmp_path) == [], "its last helper is gone")


async def test_patience_of_the_caller(options: dict[str, Any], site: Site) -> None:
    """The caller's own deadlines are used."""
    async with open_browser(**options, timeouts=Timeouts(navigation=0.3)) as browser:
        tab = await browser.new_tab()
        with pytest.raises(Exception, match=r"longer than 0\.3 s"):
            await tab.navigate(site.url("/never"))
