"""The generated pages of docs/ are fresh and complete, and the README tells what is there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from bridge import cli, config, errors
from bridge.app.clients import CLIENTS, block
from bridge.tools.catalogue import TOOLS
from docs import generate
from tests.house import sources

_README = sources.read("README.md")


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


def test_readme_is_fresh() -> None:
    """The table of tools in the README is what the generator would write."""
    assert generate.readme(_README) == _README


def test_readme_without_a_place() -> None:
    """A README that lost its marks stops the generator instead of losing the table."""
    with pytest.raises(SystemExit, match="no place"):
        generate.readme("# Something else")


def test_every_tool_is_documented() -> None:
    """docs/tools.md has a heading for each tool and a row for each of its own arguments."""
    page = sources.read("docs/tools.md")
    for tool in TOOLS.values():
        told = page.partition(f"\n### {tool.name}\n")[2].partition("\n### ")[0]
        assert generate.prose(tool.summary) in told
        for name in tool.arguments.fields:
            assert (f"| `{name}` |" in told) == (name != "tabId" or not tool.tab)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer", "maximum": 9}, "integer up to 9"),
        ({"type": "integer"}, "integer"),
        ({"enum": ["a", 1]}, '`"a"`, `1`'),
        ({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, "boolean or string"),
        ({"type": "array", "items": {"type": "string"}}, "list of string"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object of string"),
        ({"type": "object", "additionalProperties": False}, "object"),
        ({}, "anything"),
    ],
)
def test_type(schema: dict[str, object], words: str) -> None:
    """A schema reads as a person would say it."""
    assert generate.type_of(schema) == words


def test_prose() -> None:
    """What looks like an element in a sentence is shown, and not made one."""
    assert generate.prose("Options of a <select>.") == "Options of a &lt;select>."


def test_readme_is_short() -> None:
    """A newcomer reads it to the end."""
    assert len(_README.splitlines()) < 200


def test_readme_block() -> None:
    """The block to paste is what `install` would print."""
    argv = ["/path/to/.venv/bin/chrome-bridge", "serve"]
    argv += ["--allow-domain", "example.com", "--enable-mutations"]
    pasted = _README.partition("```json\n")[2].partition("```")[0]
    assert json.loads(pasted) == json.loads(block(CLIENTS["cursor"], argv))


def test_readme_names_all() -> None:
    """Every client that can be installed into, and every command, is named."""
    assert [key for key in CLIENTS if f"`{key}`" not in _README] == []
    assert [name for name in cli.main.commands if f"`chrome-bridge {name}" not in _README] == []


@pytest.mark.parametrize("page", ["README.md", "docs/security.md", "docs/architecture.md"])
def test_flags_exist(page: str) -> None:
    """What a page calls a flag of ours is one, or a switch of Chrome's that is explained."""
    ours = {f"--{o.flag}" for kind in config.KINDS for o in config.options_of(kind)}
    chrome = sources.read("docs/chrome-flags.md")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", sources.read(page)))
    unknown = [flag for flag in named - ours if flag not in chrome]
    assert [flag for flag in unknown if not _is_of_a_command(flag)] == []


def test_places_exist() -> None:
    """Every file that docs/architecture.md sends a reader to is there, and every room is named."""
    page = sources.read("docs/architecture.md")
    missing = []
    for row in re.findall(r"^\|.*\| (.*) \|$", page.partition("## Where to look")[2], re.MULTILINE):
        folder = ""
        for named in re.findall(r"`([\w./-]+)`", row):
            place = named if "/" in named else folder + named
            folder = place[: place.rindex("/") + 1]
            missing += [place] if not (sources.ROOT / place).exists() else []
    assert missing == []
    rooms = [each.parent for each in (sources.ROOT / "bridge").glob("*/__init__.py")]
    assert [each.name for each in rooms if f"{each.name}/" not in page] == []


def _is_of_a_command(flag: str) -> bool:
    return any(flag in option.opts for c in _commands(cli.main) for option in c.params)


def _commands(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield command
        if isinstance(command, click.Group):
            yield from _commands(command)
