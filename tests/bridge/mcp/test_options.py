"""How tools are served, as flags."""

from bridge import config
from bridge.mcp.options import ServeOptions


def test_flags() -> None:
    """The fields are flags, and without any of them standard input is served."""
    flags = {"http": "127.0.0.1:8000", "toolsets": ("dom", "state"), "tool_prefix": "browser_"}
    built = config.build(ServeOptions, flags, environment={})
    assert built == ServeOptions(
        http="127.0.0.1:8000", toolsets=("dom", "state"), tool_prefix="browser_"
    )
    assert ServeOptions().http is None
