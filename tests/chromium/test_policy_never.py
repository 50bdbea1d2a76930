"""Hosts that are never reached, where all others are: under whatever name a socket goes there."""

from typing import Any

import pytest
import trio

from bridge import cdp
from bridge.cdp.base import Command
from bridge.gate.fetch import blocked, socket_rules
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from tests.support.corpus_site import Page
from tests.support.plugged import short_folder
from tests.support.policy_yard import Yard, open_yard

pytestmark = [pytest.mark.chromium, pytest.mark.slow]

_NEVER = 'never = ["*.evil.test", "127.0.0.2"]\nact = ["*"]'
_HOSTS = (
    *("evil.test", "evil.test.", "sub.evil.test", "sub.evil.test.", "EVIL.test%2E", "evil.test。"),
    *("127.0.0.2", "127.0.0.2.", "0x7f000002", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]"),
)
_PAGE = (
    "<script>for (const host of {hosts}) {{ {deed} }} setTimeout(() => fetch('/done'), 700)"
    "</script>"
)
_DEEDS = {
    "socket": "new WebSocket(`ws://${host}:PORT/${host}`)",
    "request": "fetch(`http://${host}:PORT/${host}`, {mode: 'no-cors'}).catch(() => 0)",
}


async def _arrived(yard: Yard, deed: str, *commands: Command[Any]) -> int:
    """How often a page gets through to hosts that are never allowed."""
    page = Page(_PAGE.format(hosts=list(_HOSTS), deed=_DEEDS[deed]))
    yard.site.serve(yard.fill({f"/{deed}": page}))
    yard.site.arrived.clear()
    tab = await yard.browser.new_tab()
    await tab.session.execute_all(cdp.network.enable(), *commands)
    await tab.navigate(f"{yard.site.origin}/{deed}")
    with trio.move_on_after(10):
        await yard.site.wait_path("/done")
    return len(yard.site.leaks())


async def test_other_spellings() -> None:
    """With the root's dot behind it, or as IPv6, such a host is as little reached as plainly."""
    policy = Policy.from_options(PolicyOptions(), file=_NEVER)
    with short_folder() as folder:
        async with open_yard("open", folder) as yard:
            assert await _arrived(yard, "socket") >= len(_HOSTS)
            assert await _arrived(yard, "socket", socket_rules(policy)) == 0
            assert await _arrived(yard, "request") >= len(_HOSTS)
            assert await _arrived(yard, "request", blocked(policy)) == 0
