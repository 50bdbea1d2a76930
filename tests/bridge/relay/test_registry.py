"""The registry: there is none but on Windows."""

import sys

import pytest

from bridge.relay import registry

_KEY = "Software\\chrome-bridge test\\NativeMessagingHosts\\com.chrome_bridge.test"


@pytest.mark.skipif(sys.platform != "win32", reason="the registry of Windows")
def test_value() -> None:
    """What is written is read, and gone once it was deleted."""
    registry.write_value(_KEY, "C:\\a path\\host.json")
    assert registry.read_value(_KEY) == "C:\\a path\\host.json"
    registry.delete_value(_KEY)
    assert registry.read_value(_KEY) is None


@pytest.mark.skipif(sys.platform == "win32", reason="elsewhere than on Windows")
def test_elsewhere() -> None:
    """Elsewhere nothing is found, and nothing pretends to have been written."""
    assert registry.read_value(_KEY) is None
    with pytest.raises(OSError, match="no registry"):
        registry.write_value(_KEY, "")
    with pytest.raises(OSError, match="no registry"):
        registry.delete_value(_KEY)
