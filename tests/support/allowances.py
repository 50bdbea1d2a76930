"""Errors that a test allows, by their codes, where chance decides whether they come."""

from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import BridgeError


@contextmanager
def allowed(*codes: str) -> Iterator[list[BridgeError]]:
    """Swallow an error with one of these codes; whatever it was is in the list."""
    met: list[BridgeError] = []
    try:
        yield met
    except BridgeError as error:
        if error.code not in codes:
            raise
        met.append(error)
