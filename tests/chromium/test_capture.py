"""Everything a busy Chromium says is understood: thousands of messages, none lost, none strange."""

from collections import Counter

import pytest

from bridge import cdp
from bridge.cdp.generated import DOMAINS
from bridge.cdp.text import scrub
from bridge.session import wire
from bridge.session.events import RawEvent, Subscription, decode
from bridge.session.session import Session
from fixtures.site import Site
from tests.support.plugged import KINDS, Plugged, evaluate, load, open_plugged

pytestmark = pytest.mark.chromium

LINES = 1_500
FETCHES = 300
BUSY = f"""Promise.all(Array.from({{length: {FETCHES}}}, (_, n) => Promise.all([
    fetch(`/status?code=${{n % 7 ? 200 : 404}}&n=${{n}}`),
    n % 10 ? null : fetch('/echo', {{method: 'POST', body: `half \\ud83d ${{n}}`}}),
]))).then((all) => all.length)"""


async def enable_everything(page: Session) -> None:
    """All domains that talk by themselves."""
    await page.execute_all(
        cdp.network.enable(),
        cdp.runtime.enable(),
        cdp.dom.enable(),
        cdp.css.enable(),
        cdp.log.enable(),
        cdp.accessibility.enable(),
        cdp.audits.enable(),
        cdp.security.enable(),
        cdp.performance.enable(),
        cdp.debugger.enable(),
        cdp.service_worker.enable(),
        cdp.dom_storage.enable(),
        cdp.media.enable(),
        cdp.animation.enable(),
        cdp.page.set_lifecycle_events_enabled(True),
        cdp.target.set_auto_attach(True, False, flatten=True),
    )


async def read_everything(page: Session) -> None:
    """The large answers, typed."""
    await page.execute(cdp.dom.get_document(depth=-1, pierce=True))
    tree = await page.execute(cdp.accessibility.get_full_ax_tree())
    assert len(tree.nodes) > 5
    await page.execute(cdp.dom_snapshot.capture_snapshot(["color"], include_paint_order=True))
    await page.execute(cdp.page.get_frame_tree())


async def be_busy(page: Session, site: Site) -> None:
    """Visit what makes Chrome talk."""
    await load(page, site.url("/surrogates"))
    await evaluate(page, "document.getElementById('press').click()")
    await read_everything(page)
    await load(page, site.url("/network"))
    assert await evaluate(page, BUSY) == FETCHES
    await load(page, site.url("/workers"))
    await evaluate(page, "navigator.serviceWorker.register('/service-worker.js').then(() => 1)")
    await evaluate(page, "document.getElementById('dedicated').click()")
    await load(page, site.url("/frames"))
    await read_everything(page)
    await load(page, site.url(f"/console?levels&n={LINES}"))
    await evaluate(page, "document.getElementById('surrogate').click()")


@pytest.mark.parametrize("kind", KINDS)
async def test_capture(kind: str, site: Site) -> None:
    """Every message of a busy browser is a reply or a known event; all are delivered, once."""
    async with open_plugged(kind) as plugged:
        await plugged.connection.root.execute(cdp.target.set_discover_targets(True))
        page = await plugged.open_page()
        await enable_everything(page)
        with page.events(cdp.runtime.ConsoleAPICalled, keep=10_000) as lines:
            await be_busy(page, site)
            await plugged.connection.probe()
        assert lines.lost == 0
        examine_messages(plugged)
        examine_delivery(plugged, page, lines)


def examine_messages(plugged: Plugged) -> None:
    """Nothing strange; lone surrogates mended, not refused."""
    messages = plugged.record.heard
    parsed = [wire.parse(message) for message in messages]
    events = [one for one in parsed if isinstance(one, wire.Event)]
    ids = sorted(one.id for one in parsed if isinstance(one, wire.Reply))
    assert len(messages) >= 3_000
    assert len(ids) + len(events) == len(messages), "some are noise"
    assert plugged.connection.statistics().noise == 0
    assert ids == list(range(1, len(plugged.record.sent) + 1)), "some command was not answered"
    raw = Counter(event.method for event in events if is_strange(event))
    assert raw == Counter()
    assert len({event.method for event in events}) > 30
    cut = [wire.parse(message) for message in messages if scrub(message) != message]
    assert "Runtime.consoleAPICalled" in {one.method for one in cut if isinstance(one, wire.Event)}
    assert any(isinstance(one, wire.Reply) for one in cut)


def is_strange(event: wire.Event) -> bool:
    known = event.method.partition(".")[0] in DOMAINS
    return known and isinstance(decode(event), RawEvent)


def examine_delivery(
    plugged: Plugged, page: Session, lines: Subscription[cdp.runtime.ConsoleAPICalled]
) -> None:
    """A subscription has received exactly what came, in order."""
    came = [
        decode(one)
        for one in map(wire.parse, plugged.record.heard)
        if isinstance(one, wire.Event)
        and (one.method, one.session) == ("Runtime.consoleAPICalled", page.key)
    ]
    heard = [lines.receive_nowait() for _ in came]
    assert heard == came
    with pytest.raises(IndexError):
        lines.receive_nowait()
    texts = [event.args[0].value for event in heard]
    assert [text for text in texts if str(text).startswith("flood")] == [
        f"flood {number}" for number in range(LINES)
    ]
    assert texts[0] == "pressed half an emoji \ufffd"
    assert texts[-1] == "lone \ufffd surrogate"
