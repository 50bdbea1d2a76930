"""What a call means by an element: a ref or a selector, in one frame.

A ref was given out by the walker of that frame's document. A selector may match several elements;
which of them is meant is decided in the page, where they can be looked at.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bridge.errors import BridgeError
from bridge.page.frames import Frame

HINTS = {
    "REF_EXPIRED": "Look at the page again: its elements have other refs now.",
    "SELECTOR_NOT_FOUND": "Look at the page again, or wait for the element.",
    "NOT_ACTIONABLE": "Look at the page; something may have to be closed or chosen first.",
    "BAD_ARGS": "Give a CSS selector, or a ref from a snapshot.",
}


@dataclass(frozen=True, slots=True)
class Target:
    """`wanted` is what the library in the page takes: `{"ref": 12}` or `{"selector": "css"}`."""

    frame: Frame
    wanted: dict[str, int | str]
    name: str  # how messages call it

    @property
    def is_ref(self) -> bool:
        return "ref" in self.wanted

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors of the block that are about the element say which one."""
        try:
            yield
        except BridgeError as error:
            hint = HINTS.get(error.code)
            if hint is None:
                raise
            raise type(error)(
                error.code,
                f"{self.name}: {error.message}",
                hint=error.hint or hint,
                retryable=error.retryable,
                facts={**error.facts, "target": self.name},
            ) from error
