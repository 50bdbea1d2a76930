"""chrome-bridge: drive a real, logged-in Chrome.

Only names live here, loaded on first use: importing a ground-floor module loads nothing else, not
even `typing`, whose 7 ms would be the longest part of what comes before the command line.
"""

__version__ = "0.1.0"
TYPE_CHECKING = False

if TYPE_CHECKING:
    from bridge.api import open_browser as open_browser
    from bridge.errors import BridgeError as BridgeError

_HOMES = {"open_browser": "bridge.api", "BridgeError": "bridge.errors"}
__all__ = ["BridgeError", "__version__", "open_browser"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'bridge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
