"""Whether a person's own Chrome is used, through the extension: flags of the command line."""

from dataclasses import dataclass
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
