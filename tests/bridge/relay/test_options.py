"""Which way to a browser, as flags."""

import pytest

from bridge import config
from bridge.errors import UsageError
from bridge.relay.options import LinkOptions


def test_flags() -> None:
    """Without a flag CDP is used; with one the extension, and CDP only where that is wanted."""
    assert LinkOptions() == LinkOptions(prefer="cdp", fallback=True, browser_label=None)
    given = {"prefer": "extension", "fallback": False, "browser_label": "Work"}
    built = config.build(LinkOptions, given, environment={})
    assert built == LinkOptions(prefer="extension", fallback=False, browser_label="Work")


def test_no_third_way() -> None:
    """What is neither of both is an error that names the flag."""
    with pytest.raises(UsageError) as caught:
        config.build(LinkOptions, {"prefer": "firefox"}, environment={})
    assert "--prefer" in caught.value.message
