"""Relative links of Markdown files: the file exists, and so does the heading after `#`."""

import re
from pathlib import Path

_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)


def broken(root: Path, name: str) -> list[str]:
    """The links of a Markdown file that lead nowhere, or out of the house: `file: target`."""
    page = root / name
    targets = _LINK.findall(re.sub(r"`[^`\n]*`", "", _prose(page)))
    return [
        f"{name}: {target}"
        for target in targets
        if not re.match(r"[a-z][a-z+.-]*:", target) and not _resolves(root, page, target)
    ]


def _prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def _resolves(root: Path, page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    goal = (page.parent / path).resolve() if path else page
    if not goal.exists() or not goal.is_relative_to(root.resolve()):
        return False
    return not anchor or (goal.suffix == ".md" and anchor in _anchors(goal))


def _anchors(page: Path) -> set[str]:
    """The anchors code hosts derive from headings: lower case, no punctuation, spaces dashed."""
    headings = _HEADING.findall(_prose(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}
