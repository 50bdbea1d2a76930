"""What a browser can do beside requests, and all the places an address can hide in."""

import pytest

from tests.support.corpus_site import ALLOWED, MARKER
from tests.support.plugged import short_folder
from tests.support.policy_corpus_wide import SILENT, UNHELD, WIDE
from tests.support.policy_yard import open_yard

pytestmark = [pytest.mark.chromium, pytest.mark.slow, pytest.mark.timeout(300)]

HELD = tuple(trick for trick in WIDE if trick.name not in UNHELD)


async def test_the_tricks_work() -> None:
    """Without a gate each reaches a denied host: a request, or a connection or packet."""
    with short_folder() as folder:
        async with open_yard("open", folder) as yard:
            await yard.play_all([trick for trick in WIDE if trick.name not in SILENT])
            expected = {trick.host for trick in WIDE if trick.name not in SILENT}
            assert expected <= yard.leaking_hosts()
            for trick in WIDE:
                if trick.name in SILENT:
                    await yard.sweep()
                    yard.site.arrived.clear()
                    await yard.play(trick)
                    assert yard.site.leaks(), trick.name


async def test_launched() -> None:
    """In a browser of our own nothing reaches a denied host: no request, packet or look-up."""
    with short_folder() as folder:
        async with open_yard("launched", folder) as yard:
            text = await yard.play_all(WIDE)
            assert yard.site.leaks() == []
            assert MARKER not in text
            assert set(yard.dialled) == {ALLOWED}
            assert yard.gate is not None
            assert yard.gate.missing == ()
            assert yard.gate.refusals.total >= 30
        assert yard.looked_up() == []


async def test_shared() -> None:
    """In a shared browser that we launched, the same of all that status does not except."""
    with short_folder() as folder:
        async with open_yard("shared", folder) as yard:
            text = await yard.play_all(HELD)
            assert yard.site.leaks() == []
            assert MARKER not in text
            assert yard.gate is not None
            assert any("WebTransport" in each for each in yard.gate.missing)
        assert yard.looked_up() == []


async def test_attached() -> None:
    """In a browser of somebody else neither request nor packet reaches a denied host."""
    with short_folder() as folder:
        async with open_yard("attached", folder) as yard:
            text = await yard.play_all(HELD)
            assert yard.leaking_hosts() == set()
            assert not any(each.how == "udp" for each in yard.site.leaks())
            assert MARKER not in text
