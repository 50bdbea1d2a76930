"""What a page or a caller can try to reach a host that is not allowed, and what arrives of it."""

from collections.abc import Sequence

import pytest

from tests.support.corpus_site import ALLOWED, MARKER
from tests.support.plugged import short_folder
from tests.support.policy_corpus import ADDRESSES, CHANNELS, CLICKS, EARLY, PAGES, Trick
from tests.support.policy_yard import Yard, open_yard

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(300)]

TRICKS = (*PAGES, *CLICKS, *CHANNELS, *EARLY)
# These show without HTTP: a datagram, a connection, a question to the resolver.
SILENT = {"webrtc", "preconnect", "dns prefetch"}
# Denied hosts the addresses lead to.
SPELT = {
    *("x.evil.test", "evil.test", "allowed.test.evil.test", "notallowed.test", "sub.allowed.test"),
    *("allowed.test.", "xn--llowed-2nf.test", "127.0.0.1", "localhost"),
}


async def play_everything(yard: Yard, tricks: Sequence[Trick] = TRICKS) -> str:
    """All addresses, past the policy, and all tricks; what could be read."""
    read = await yard.go_all([url for _, url in ADDRESSES])
    return read + await yard.play_all(tricks)


def hosts(tricks: list[Trick]) -> set[str]:
    return {trick.host for trick in tricks}


@pytest.mark.slow
async def test_the_tricks_work() -> None:
    """Without a gate, each of the tricks reaches a denied host, and denied text can be read."""
    with short_folder() as folder:
        async with open_yard("open", folder) as yard:
            await yard.play_all(TRICKS)
            over_http = yard.leaking_hosts()
            ways = {each.how for each in yard.site.leaks()}
            yard.site.arrived.clear()
            await yard.go_all([url for _, url in ADDRESSES])
            assert yard.leaking_hosts() >= SPELT
        expected = hosts([trick for trick in TRICKS if trick.name not in SILENT])
        assert expected <= over_http
        assert ways == {"http", "tcp", "udp"}
        assert yard.looked_up()


async def test_launched() -> None:
    """In a browser of our own nothing reaches a denied host: no request, packet or look-up."""
    with short_folder() as folder:
        async with open_yard("launched", folder) as yard:
            text = await play_everything(yard)
            assert yard.site.leaks() == []
            assert MARKER not in text
            assert "here" in await yard.go("http://allowed.test:PORT/plain")
            assert set(yard.dialled) == {ALLOWED}
            assert yard.gate is not None
            assert yard.gate.missing == ()
            assert yard.gate.refusals.total >= 50
        assert yard.looked_up() == []


@pytest.mark.slow
async def test_shared() -> None:
    """In a shared browser that we launched, the same, but for what the gate says it is late for."""
    with short_folder() as folder:
        async with open_yard("shared", folder) as yard:
            text = await play_everything(yard)
            assert yard.site.leaks() == []
            assert MARKER not in text
            assert "here" in await yard.go("http://allowed.test:PORT/plain")
            assert yard.gate is not None
            assert yard.gate.refusals.total >= 50
        assert yard.looked_up() == []


@pytest.mark.slow
async def test_attached() -> None:
    """In a browser of somebody else no request reaches a denied host, where the gate is in time."""
    with short_folder() as folder:
        async with open_yard("attached", folder) as yard:
            text = await play_everything(yard)
            assert yard.leaking_hosts() == set()
            assert not any(each.how == "udp" for each in yard.site.leaks())
            assert MARKER not in text
            assert "here" in await yard.go("http://allowed.test:PORT/plain")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["launched", "shared", "attached"])
async def test_private(kind: str) -> None:
    """In private windows everything is held as it is in others."""
    with short_folder() as folder:
        async with open_yard(kind, folder) as yard:
            yard.context_id = await yard.browser.contexts.make()
            # Chrome takes itself down where a private window is sent to its settings.
            text = await yard.go_all([url for _, url in ADDRESSES if "chrome:" not in url])
            text += await yard.play_all(TRICKS)
            assert yard.leaking_hosts() == set()
            assert not any(each.how == "udp" for each in yard.site.leaks())
            assert MARKER not in text
            assert "here" in await yard.go("http://allowed.test:PORT/plain")
            assert yard.gate is not None
            assert yard.gate.refusals.total >= 50
