"""How tools are served: the fields are the command line's flags as well."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

SETS = ("core", "dom", "state", "page")
"""Sets of tools, known before the tools are loaded: a client is greeted sooner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Over what, and which tools."""

    http: Annotated[
        str | None,
        "Serve HTTP at this HOST:PORT of this machine instead of standard input. "
        "Each of its clients has tabs of its own. CHROME_BRIDGE_HTTP_TOKEN may set their token.",
    ] = None
    toolsets: Annotated[
        tuple[str, ...], "Sets of tools on offer from the start, or all; repeatable."
    ] = ()
    tool_prefix: Annotated[str, "What the names of all tools begin with, e.g. browser_."] = ""
    rate_limit: Annotated[
        int, "How many calls may begin in 60 seconds, those of a batch counted; 0: any number."
    ] = 0
    secrets: Annotated[
        Path | None, "A file of NAME=value lines that only you can read; {{NAME}} types the value."
    ] = None
