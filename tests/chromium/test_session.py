"""The session layer against a real Chromium, over the pipe and over the WebSocket alike."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from bridge import cdp
from bridge.errors import BridgeError
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from bridge.timeouts import Timeouts
from bridge.transport.websocket import open_websocket
from fixtures.site import Site
from tests.support.calling import Calling, call_in
from tests.support.conditions import halt
from tests.support.plugged import KINDS, Plugged, evaluate, load, open_plugged

if sys.platform == "win32":
    pytest.skip("stops and kills browsers with signals", allow_module_level=True)

pytestmark = pytest.mark.chromium

NEVER = "new Promise(() => {})"


@pytest.fixture(params=KINDS)
async def plugged(request: pytest.FixtureRequest) -> AsyncIterator[Plugged]:
    """A browser of the test's own."""
    async with open_plugged(request.param) as opened:
        yield opened


async def under_way(
    nursery: trio.Nursery, plugged: Plugged, page: Session, expression: str, **more: str
) -> Calling[object]:
    """A call of which Chrome has certainly begun the work."""
    calling = call_in(nursery, partial(evaluate, page, expression, **more))
    await trio.testing.wait_all_tasks_blocked()
    await plugged.connection.probe()
    return calling


async def test_calls(plugged: Plugged) -> None:
    """Fifty calls at once each get their own result; a refused one fails alone."""
    page = await plugged.open_page()
    async with trio.open_nursery() as nursery:
        callings = [
            call_in(nursery, partial(evaluate, page, f"{number} + 1")) for number in range(50)
        ]
        refused = call_in(
            nursery, partial(page.execute, cdp.dom.resolve_node(node_id=cdp.dom.NodeId(999)))
        )
        assert [await calling.result() for calling in callings] == list(range(1, 51))
        assert (await refused.error()).code == "CDP_ERROR"
    statistics = plugged.connection.statistics()
    assert (statistics.pending, statistics.noise) == (0, 0)


async def test_large(plugged: Plugged) -> None:
    """A result of 10 MB comes back unharmed, and a command of 2 MB arrives."""
    page = await plugged.open_page()
    assert await evaluate(page, "'x'.repeat(10_000_000)") == "x" * 10_000_000
    assert await evaluate(page, f"'{'ä' * 1_000_000}'.length") == 1_000_000


async def test_events(plugged: Plugged, site: Site) -> None:
    """Subscribed first, a navigation's events are all heard, in order and before later replies."""
    page = await plugged.open_page()
    kinds = cdp.page.DomContentEventFired, cdp.page.LoadEventFired
    with page.events(*kinds) as heard:
        await page.execute(cdp.page.navigate(site.url("/")))
        assert [type(await heard.receive()) for _ in range(2)] == list(kinds)
    await page.execute(cdp.runtime.enable())
    with page.events(cdp.runtime.ConsoleAPICalled) as lines:
        await evaluate(page, "for (let i = 0; i < 500; i += 1) console.log(i)")
        # The reply came after them, so all of them wait already.
        values = [lines.receive_nowait().args[0].value for _ in range(500)]
    assert values == list(range(500))


async def test_children(plugged: Plugged, site: Site) -> None:
    """Frames of another site and workers become sessions of their own, below the page's."""
    page = await plugged.open_page()
    attach = cdp.target.set_auto_attach(True, False, flatten=True)
    with page.events(cdp.target.AttachedToTarget) as attached:
        await page.execute(attach)
        await page.execute(cdp.page.navigate(site.url("/frames")))
        frame = await attached.first(lambda event: event.target_info.type == "iframe")
        await load(page, site.url("/workers"))
        await evaluate(page, "document.getElementById('dedicated').click()")
        worker = await attached.first(lambda event: event.target_info.type == "worker")
    child = plugged.connection.session(worker.session_id)
    assert child is not None
    assert child.parent is page
    assert await evaluate(child, "typeof document") == "undefined"
    assert plugged.connection.session(frame.session_id) is None, "it left with its page"


async def test_crash(plugged: Plugged) -> None:
    """A crash fails the call under way within 2 s; reloading makes the session whole."""
    page = await plugged.open_page("data:text/html,<title>alive</title>")
    async with trio.open_nursery() as nursery:
        calling = await under_way(nursery, plugged, page, NEVER)
        begun = trio.current_time()
        crash = call_in(nursery, partial(page.execute, cdp.page.crash()))
        error = await calling.error()
        assert trio.current_time() - begun < 2.0
        assert (await crash.error()).code == "PAGE_CRASHED"
    assert error.code == "PAGE_CRASHED"
    assert error.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
    sent = len(plugged.record.sent)
    assert (await call_in_now(page, "1")).code == "PAGE_CRASHED"
    assert len(plugged.record.sent) == sent
    with page.events(cdp.inspector.TargetReloadedAfterCrash, cdp.page.LoadEventFired) as heard:
        await page.execute(cdp.page.reload())
        await heard.receive()
        await heard.receive()
    assert await evaluate(page, "document.title") == "alive"


async def call_in_now(page: Session, expression: str) -> BridgeError:
    """The error of a call that is made now."""
    with pytest.raises(BridgeError) as caught:
        await evaluate(page, expression)
    return caught.value


@asynccontextmanager
async def open_second(plugged: Plugged) -> AsyncIterator[Connection]:
    """Another client of the same browser."""
    async with (
        open_websocket(plugged.chrome.url, Timeouts()) as transport,
        open_connection(transport) as connection,
    ):
        yield connection


async def test_closed_by_another() -> None:
    """A target that another client closes fails the call under way as TARGET_GONE, at once."""
    async with open_plugged("websocket") as plugged, open_second(plugged) as second:
        page = await plugged.open_page()
        targets = await second.root.execute(cdp.target.get_targets())
        async with trio.open_nursery() as nursery:
            calling = await under_way(nursery, plugged, page, NEVER)
            begun = trio.current_time()
            for info in targets.target_infos:
                if info.type == "page":
                    await second.root.execute(cdp.target.close_target(info.target_id))
            error = await calling.error()
            assert trio.current_time() - begun < 2.0
        assert error.code == "TARGET_GONE"
        assert error.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
        assert plugged.connection.session(page.key) is None


async def test_closed_by_us() -> None:
    """A target closed from the browser's session fails calls in its own; others go on."""
    async with open_plugged("pipe") as plugged:
        page, other = await plugged.open_page(), await plugged.open_page()
        info = await page.execute(cdp.target.get_target_info())
        async with trio.open_nursery() as nursery:
            calling = await under_way(nursery, plugged, page, NEVER)
            close = cdp.target.close_target(info.target_info.target_id)
            await plugged.connection.root.execute(close)
            assert (await calling.error()).code == "TARGET_GONE"
        assert await evaluate(other, "1 + 1") == 2


async def test_endless_loop() -> None:
    """While one tab loops for ever another answers, and a call to the first ends by its field."""
    async with open_plugged("pipe") as plugged:
        page, other = await plugged.open_page(), await plugged.open_page()
        loop = cdp.runtime.evaluate("while (true);")
        async with trio.open_nursery() as nursery:
            looping = call_in(nursery, partial(page.execute, loop))
            await trio.testing.wait_all_tasks_blocked()
            for number in range(20):
                assert await evaluate(other, str(number)) == number
            waiting = call_in(nursery, partial(evaluate, page, "1", timeout="terminate"))
            error = await waiting.error()
            assert (error.code, error.facts["timeout"]) == ("TIMEOUT", "terminate")
            assert not looping.ended
            await page.execute(cdp.runtime.terminate_execution())
            assert await evaluate(page, "'free'") == "free"


async def test_killed(plugged: Plugged) -> None:
    """A browser that is killed fails every call under way within 2 s, and refuses later ones."""
    page = await plugged.open_page()
    async with trio.open_nursery() as nursery:
        calling = await under_way(nursery, plugged, page, NEVER)
        begun = trio.current_time()
        os.kill(plugged.chrome.pid, signal.SIGKILL)
        error = await calling.error()
        assert trio.current_time() - begun < 2.0
    assert error.code == "BROWSER_GONE"
    assert error.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
    assert (await call_in_now(page, "1")).code == "BROWSER_GONE"


@pytest.mark.slow
async def test_stopped() -> None:
    """A browser that is stopped is found hung within 10 s of a call, by the product's timeouts."""
    async with trio.open_nursery() as nursery:
        for kind in KINDS:
            nursery.start_soon(stop_and_find, kind)


async def stop_and_find(kind: str) -> None:
    async with open_plugged(kind) as plugged:
        page = await plugged.open_page()
        async with trio.open_nursery() as nursery:
            calling = await under_way(nursery, plugged, page, NEVER)
            await halt(plugged.chrome.pid)
            try:
                begun = trio.current_time()
                error = await calling.error()
                assert trio.current_time() - begun < 10.0
            finally:
                os.kill(plugged.chrome.pid, signal.SIGCONT)
        assert error.code == "BROWSER_HUNG"
        assert error.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
        # Stopped is not gone: once it goes on, so does the connection.
        assert await evaluate(page, "1 + 1") == 2
