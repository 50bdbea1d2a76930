"""Whether a person's own Chrome is used, through the extension: flags of the command line."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

Prefer = Literal["cdp", "extension"]
PREFER = ("cdp", "extension")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """Which of the two ways to a browser, asked at every call."""

    prefer: Annotated[
        Prefer, "Your own Chrome through the extension, or a browser over CDP: extension or cdp."
    ] = "cdp"
    fallback: Annotated[
        bool, "Use a browser over CDP where the extension is preferred and not there."
    ] = True
    browser_label: Annotated[
        str | None, "Of several browsers with the extension, the one of this name."
    ] = None
    link_port: Annotated[
        int, "The port the extension dials, so that a browser paired by hand stays so; 0: any."
    ] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingLink(LinkOptions):
    """With a token that outlives the server: no flag, for everybody can read a command line."""

    token: str = field(repr=False)
