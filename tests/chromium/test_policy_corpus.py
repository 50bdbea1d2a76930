"""What a page or a caller can try to reach a host that is not allowed, and what arrives of it."""

import pytest

from tests.support.corpus_site import ALLOWED, MARKER
from tests.support.plugged import short_folder
from tests.support.policy_corpus import ADDRESSES, CHANNELS, CLICKS, PAGES, Trick
from tests.support.policy_yard import Yard, open_yard

pytestmark = [pytest.mark.chromium, pytest.mark.slow, pytest.mark.timeout(300)]

TRICKS = (*PAGES, *CLICKS, *CHANNELS)
# What a gate in a shared browser is too late for; `Gate.missing` says so.
LATE = {"window open", "blank target", "form post", "noopener", "shared worker"}
# These show without HTTP: a datagram, a connection, a question to the resolver.
SILENT = {"webrtc", "preconnect", "dns prefetch"}


async def play_everything(yard: Yard) -> str:
    """All addresses, past the policy, and all tricks; what could be read."""
    texts = []
    for _, url in ADDRESSES:
        texts.append(await yard.go(url))
        await yard.sweep()
    return "\n".join([*texts, await yard.play_all(TRICKS)])


def hosts(tricks: list[Trick]) -> set[str]:
    return {trick.host for trick in tricks}


async def test_the_tricks_work() -> None:
    """Without a gate, each of the tricks reaches a denied host, and denied text can be read."""
    with short_folder() as folder:
        async with open_yard("open", folder) as yard:
            await yard.play_all(TRICKS)
            over_http = yard.leaking_hosts()
            ways = {each.how for each in yard.site.leaks()}
            reached = set()
            for name, url in ADDRESSES:
                yard.site.arrived.clear()
                await yard.go(url)
                if yard.leaking_hosts():
                    reached.add(name)
                await yard.sweep()
        expected = hosts([trick for trick in TRICKS if trick.name not in SILENT])
        assert expected <= over_http
        assert ways == {"http", "tcp", "udp"}
        assert yard.looked_up()
        assert len(reached) >= 30, reached


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


async def test_attached() -> None:
    """In a shared browser only what the gate says it misses reaches a denied host, unread."""
    with short_folder() as folder:
        async with open_yard("attached", folder) as yard:
            text = await play_everything(yard)
            late = hosts([trick for trick in TRICKS if trick.name in LATE])
            assert yard.leaking_hosts() <= late
            assert not any(each.how == "udp" for each in yard.site.leaks())
            assert MARKER not in text
            assert "here" in await yard.go("http://allowed.test:PORT/plain")
            assert yard.gate is not None
            assert len(yard.gate.missing) == 3
