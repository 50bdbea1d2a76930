"""The changelog is ready for the next release."""

import pytest

from tests.house import sources
from tests.house.changelog import complaints


def test_changelog() -> None:
    """CHANGELOG.md has an Unreleased section on top and keeps its form."""
    assert complaints(sources.read("CHANGELOG.md")) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# Changelog\n", "the first section is not [Unreleased]"),
        ("## [1.0.0] - 2026-01-02\n", "the first section is not [Unreleased]"),
        ("## [Unreleased]\n## 1.0\n", "not a release: 1.0"),
        ("## [Unreleased]\n### New\n", "not a kind of change: New"),
    ],
)
def test_bad_changelog(text: str, complaint: str) -> None:
    """A missing section, an undated release and an unknown kind are found."""
    assert complaints(text) == [complaint]


def test_good_changelog() -> None:
    """Unreleased changes above dated releases are no complaint."""
    assert complaints("## [Unreleased]\n### Fixed\n## [1.0.0] - 2026-01-02\n### Added\n") == []
