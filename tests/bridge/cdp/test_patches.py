"""Corrections to the protocol's description."""

import msgspec
import pytest

from bridge.cdp.generate import PINNED
from bridge.cdp.generated import network, page, target
from bridge.cdp.model import Protocol, parse_protocol
from bridge.cdp.patches import PATCHES, Patch


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.__name__)
def test_needed(patch: Patch) -> None:
    """Every patch still changes what the browser says, and gives its reason."""
    before, after = (parse_protocol(PINNED.read_bytes()) for _ in range(2))
    patch(after)
    assert after != before
    assert patch.__doc__


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.__name__)
def test_target_gone(patch: Patch, mini: Protocol) -> None:
    """A patch whose target has gone says so."""
    with pytest.raises(KeyError):
        patch(mini)


def test_headers() -> None:
    """Headers are read as text by name."""
    headers = msgspec.json.decode(b'{"A":"b"}', type=network.Headers)
    assert headers == {"A": "b"}


def test_enums_stay_open() -> None:
    """A target type and a lifecycle name nobody has heard of are kept as text."""
    raw = (
        b'{"targetId":"T","type":"hologram","title":"","url":"",'
        b'"attached":false,"canAccessOpener":false}'
    )
    assert msgspec.json.decode(raw, type=target.TargetInfo).type == "hologram"
    raw = b'{"frameId":"F","loaderId":"L","name":"enlightenment","timestamp":1}'
    assert page.LifecycleEvent.read(raw).name == "enlightenment"
