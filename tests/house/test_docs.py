"""The generated pages of docs/ are fresh and complete."""

from pathlib import Path

import pytest

from bridge import errors
from docs import generate
from tests.house import sources


def test_fresh() -> None:
    """What stands in docs/ is what the generator would write."""
    assert generate.stale(generate.DOCS) == {}


def test_stale(tmp_path: Path) -> None:
    """A page that is missing or was edited is stale, and only that one."""
    assert set(generate.stale(tmp_path)) == set(generate.PAGES)
    for name, text in generate.stale(tmp_path).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert generate.stale(tmp_path) == {}
    (tmp_path / "errors.md").write_text("edited", encoding="utf-8")
    assert set(generate.stale(tmp_path)) == {"errors.md"}


def test_every_code_is_documented() -> None:
    """docs/errors.md has one row for each code of each family."""
    page = sources.read("docs/errors.md")
    for family in errors.FAMILIES:
        for code in family.codes:
            assert page.count(f"| `{code}` | `{family.__name__}` |") == 1


def test_code_without_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A code nobody explained stops the generator by name."""
    monkeypatch.setattr(errors.PolicyDenied, "codes", frozenset({"POLICY_DENIED", "NEW_CODE"}))
    with pytest.raises(SystemExit, match="NEW_CODE"):
        generate.errors_page()


def test_family_missing_from_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """A family the tree of errors.py does not draw stops the generator by name."""
    drawing = (errors.__doc__ or "").replace("├ ChatError", "├ Other")
    monkeypatch.setattr(errors, "__doc__", drawing)
    with pytest.raises(SystemExit, match="ChatError"):
        generate.errors_page()
