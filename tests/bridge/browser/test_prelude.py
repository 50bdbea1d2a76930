"""What every page is told first."""

import msgspec
import pytest

from bridge.browser.prelude import PRELUDE, SIZE, sized
from launcher.options import LaunchOptions


def test_bounds_its_buffers() -> None:
    """No page may keep bodies without limit for us."""
    (network,) = (each for each in PRELUDE if each.method == "Network.enable")
    told = msgspec.json.decode(network.encode_params())
    assert set(told) == {"maxTotalBufferSize", "maxResourceBufferSize", "maxPostDataSize"}
    assert told["maxResourceBufferSize"] < told["maxTotalBufferSize"] <= 16 * 1024 * 1024


@pytest.mark.parametrize(
    ("headless", "named", "size"),
    [(True, None, SIZE), (True, (800, 600), (800, 600)), (False, None, None)],
)
def test_size(headless: bool, named: tuple[int, int] | None, size: tuple[int, int] | None) -> None:
    """Pages without a window have our size unless another was named; a window has Chrome's."""
    launch = LaunchOptions(headless=headless, window_size=named)
    assert sized(launch).window_size == size
