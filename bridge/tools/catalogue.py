"""All modules with tools; importing this one declares them, in the order clients see."""

from bridge.tools import (
    batch,
    console,
    dom,
    files,
    forms,
    input,
    look,
    navigate,
    network,
    page,
    read,
    script,
    server,
    state,
    tabs,
)
from bridge.tools.registry import TOOLS

__all__ = [
    "TOOLS",
    "batch",
    "console",
    "dom",
    "files",
    "forms",
    "input",
    "look",
    "navigate",
    "network",
    "page",
    "read",
    "script",
    "server",
    "state",
    "tabs",
]
