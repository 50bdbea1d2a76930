"""What every page is told first."""

import msgspec

from bridge.browser.prelude import PRELUDE


def test_bounds_its_buffers() -> None:
    """No page may keep bodies without limit for us."""
    (network,) = (each for each in PRELUDE if each.method == "Network.enable")
    told = msgspec.json.decode(network.encode_params())
    assert set(told) == {"maxTotalBufferSize", "maxResourceBufferSize", "maxPostDataSize"}
    assert told["maxResourceBufferSize"] < told["maxTotalBufferSize"] <= 16 * 1024 * 1024
