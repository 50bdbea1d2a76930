"""What a reading says of parts that were transparent when it was made, and are not in it.

Many pages show themselves part by part as they are scrolled. Nothing tells such a part from one
that stays hidden, so none is read out; but who heard nothing of them took the rest for the page.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bridge.page.quoting import counted


def veil_note(told: Iterable[Mapping[str, Any]]) -> str:
    """One sentence about those that the readings of several documents have met; "" for none."""
    found = list(told)
    count = sum(each["count"] for each in found)
    if not count:
        return ""
    refs = [ref for each in found for ref in each["refs"]][:3]
    named = f"{', '.join(refs)}{', …' if count > len(refs) else ''}"
    return (
        f"Left out: {counted(count, 'part')} further down ({named}), transparent or hidden for "
        "now. If the page shows itself as it is scrolled, scroll there and read again."
    )
