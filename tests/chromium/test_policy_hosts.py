"""The policy's idea of an address, held against Chrome's own."""

import json

import pytest

from bridge.policy.hosts import parse_address
from tests.support.address_corpus import addresses
from tests.support.browsers import open_browser_at

pytestmark = pytest.mark.chromium

_READ = """
texts => texts.map(text => {
  try {
    const url = new URL(text);
    return [url.protocol.slice(0, -1), url.hostname, url.port, url.origin];
  } catch { return null; }
})
"""
_COMPARED = ("http", "https", "ws", "wss", "ftp")
_USUAL = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}


async def test_same_host_as_chrome(endpoint: str) -> None:
    """In every spelling our host is Chrome's host, or the address is refused."""
    texts = addresses()
    async with open_browser_at(endpoint, exclusive=False) as browser:
        tab = await browser.new_tab()
        seen = await tab.evaluate(f"({_READ})({json.dumps(texts)})")
    assert isinstance(seen, list)
    compared = refused = 0
    for text, theirs in zip(texts, seen, strict=True):
        ours = parse_address(text)
        if ours is None or theirs is None:
            refused += ours is None and theirs is not None
            continue
        scheme, host, port, origin = theirs
        assert ours.scheme == scheme, ascii(text)
        if scheme in _COMPARED:
            number = int(port) if port else _USUAL[scheme]
            assert (ours.host, ours.port, ours.origin) == (host, number, origin), ascii(text)
            compared += 1
    assert compared >= 200
    assert refused <= 30  # what a person could need is not among it: see bridge/policy/hosts.py
    assert len(texts) >= 600
