"""What is different over the extension is told to the people who use it."""

import re
from pathlib import Path

from tests.house.sources import ROOT

_MARK = re.compile(r"mark\.differs\(\s*(\"[^\"]+\"|\w+)\s*\)")


def _sentence(given: str, source: str) -> str:
    if given.startswith('"'):
        return given.strip('"')
    named = re.search(rf'^{given} = "(.+)"$', source, re.MULTILINE)
    assert named is not None, given
    return named[1]


def _sentences(file: Path) -> set[str]:
    source = file.read_text(encoding="utf-8")
    return {_sentence(given, source) for given in _MARK.findall(source)}


def test_differences_are_told() -> None:
    """Every reason a test is not carried out over the extension stands in its page."""
    told = (ROOT / "docs" / "extension.md").read_text(encoding="utf-8")
    found = set().union(*map(_sentences, (ROOT / "tests").rglob("test_*.py")))
    assert found
    assert not [sentence for sentence in found if sentence not in told]
