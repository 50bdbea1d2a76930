"""Where the endpoint is, as a flag."""

from bridge import config
from bridge.proxy.options import ProxyOptions


def test_flag() -> None:
    """Any port unless one is named."""
    assert ProxyOptions().endpoint_port == 0
    variable = {"CHROME_BRIDGE_ENDPOINT_PORT": "9300"}
    assert config.build(ProxyOptions, {}, environment=variable).endpoint_port == 9300
