"""Exceptions to a rule of the house: a list by name, which may only shrink.

Both directions are complaints. A new offender must mend its ways, and a listed one that has done so
must leave the list, or the list would shelter the next offence under the same name.
"""

from collections.abc import Collection


def verdict(offenders: Collection[str], known: Collection[str]) -> list[str]:
    """What is wrong with the offenders found, given the list of known ones."""
    fresh = [f"{name} breaks the rule" for name in sorted(set(offenders) - set(known))]
    mended = [
        f"{name} is no sinner any more: take it off the list"
        for name in sorted(set(known) - set(offenders))
    ]
    return fresh + mended
