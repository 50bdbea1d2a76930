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
from bridge.tools.registry import TOOLS, put_in_order

put_in_order(
    (
        *(navigate, read, input, forms, look, tabs),
        *(script, console, network, files, server),
        *(dom, state, page, batch),
    )
)

__all__ = ["TOOLS"]
