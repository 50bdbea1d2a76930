"""All modules with tools; importing this one declares them, in the order clients see."""

from bridge.tools import navigate, server, tabs
from bridge.tools.registry import TOOLS

__all__ = ["TOOLS", "navigate", "server", "tabs"]
