"""Tracked files name no machine, no registry and no unfinished business."""

import pytest

from tests.house import sources
from tests.house.litter import litter


def test_clean() -> None:
    """No tracked file written by hand holds litter."""
    found = [place for name in sources.by_hand("") for place in litter(name, sources.read(name))]
    assert found == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("see /ro" + "ot/notes.md", "machine path"),
        ('Path("/wo' + 'rk/main")', "machine path"),
        ("https://py" + "pi.org/simple", "registry host"),
        ("https://registry.n" + "pmjs.org", "registry host"),
        ("# TO" + "DO later", "mark"),
        ("# FIX" + "ME(x): later", "mark"),
    ],
)
def test_litter(line: str, kind: str) -> None:
    """Each kind of litter is found with its line."""
    assert litter("a.py", f"fine\n{line}\n") == [f"a.py:2 {kind}"]


@pytest.mark.parametrize(
    "line",
    ["mktemp cb.XXXXXX", "docs/work/x", "https://example.com/root/a", "~/.config/x", "/root"],
)
def test_no_litter(line: str) -> None:
    """What merely resembles litter is left alone."""
    assert litter("a.py", line) == []
