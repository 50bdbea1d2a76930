"""All modules with tools; importing this one declares them, in the order clients see."""

from bridge.tools import (
    console,
    dom,
    files,
    forms,
    input,
    look,
    navigate,
    network,
    read,
    script,
    server,
    tabs,
)
from bridge.tools.registry import TOOLS

__all__ = [
    "TOOLS",
    "console",
    "dom",
    "files",
    "forms",
    "input",
    "look",
    "navigate",
    "network",
    "read",
    "script",
    "server",
    "tabs",
]
