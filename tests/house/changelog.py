"""CHANGELOG.md keeps the form of Keep a Changelog: the next upgrade on top, releases dated."""

import re

KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
_RELEASE = re.compile(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}")


def complaints(text: str) -> list[str]:
    """What is wrong with the form of a changelog."""
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    found = [] if sections[:1] == ["[Unreleased]"] else ["the first section is not [Unreleased]"]
    found += [f"not a release: {name}" for name in sections[1:] if not _RELEASE.fullmatch(name)]
    kinds = re.findall(r"^### (.*)$", text, re.MULTILINE)
    return found + [f"not a kind of change: {kind}" for kind in kinds if kind not in KINDS]
