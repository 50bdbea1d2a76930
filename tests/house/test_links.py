"""Links between documents lead somewhere."""

from pathlib import Path

import pytest

from tests.house import sources
from tests.house.links import broken


def test_links() -> None:
    """Every relative link of a tracked Markdown file resolves."""
    found = [place for name in sources.by_hand(".md") for place in broken(sources.ROOT, name)]
    assert found == []


@pytest.mark.parametrize(
    "target", ["gone.md", "other.md#gone", "#gone", "../outside.md", "folder/other.md"]
)
def test_broken_link(tmp_path: Path, target: str) -> None:
    """A missing file, a missing heading and a way out of the house are found."""
    house = tmp_path / "house"
    house.mkdir()
    (tmp_path / "outside.md").write_text("")
    (house / "other.md").write_text("# Here\n")
    (house / "page.md").write_text(f"# Top\n\nSee [this]({target}).\n")
    assert broken(house, "page.md") == [f"page.md: {target}"]


def test_good_links(tmp_path: Path) -> None:
    """Files, folders, headings, foreign addresses and quoted code are no complaint."""
    (tmp_path / "other.md").write_text("# Who can fix `it`?\n")
    (tmp_path / "page.md").write_text(
        "# Top\n[a](other.md) [b](other.md#who-can-fix-it) [c](#top) [d](.) [e](https://x.test/y)\n"
        "`[f](gone.md)`\n```\n[g](gone.md)\n```\n"
    )
    assert broken(tmp_path, "page.md") == []
