"""Imports only go down, in every room."""

from pathlib import Path

from tests.house import sources, stairs

CONTRACT = """
[tool.importlinter]
root_packages = ["shop"]
[[tool.importlinter.contracts]]
name = "stairs"
type = "layers"
layers = ["shop.top", "shop.side | (shop.absent)", "shop.ground"]
"""


def test_contract_holds() -> None:
    """The house keeps its import contract."""
    kept, said = stairs.lint(sources.ROOT)
    assert kept, said


def test_contract_covers_every_room() -> None:
    """Every room on disk is named in the contract."""
    unnamed = stairs.rooms(sources.product_modules()) - stairs.layers(
        sources.read("pyproject.toml")
    )
    assert unnamed == set()


def test_import_upstairs(tmp_path: Path) -> None:
    """The linter refuses an import that goes up, and accepts the same rooms without it."""
    (tmp_path / "pyproject.toml").write_text(CONTRACT)
    shop = tmp_path / "shop"
    shop.mkdir()
    for room in ("__init__", "top", "side", "ground"):
        (shop / f"{room}.py").write_text("")
    assert stairs.lint(tmp_path)[0]
    (shop / "ground.py").write_text("import shop.top\n")
    kept, said = stairs.lint(tmp_path)
    assert not kept
    assert "shop.ground -> shop.top" in said


def test_layers() -> None:
    """Optional rooms and neighbours are named rooms."""
    assert stairs.layers(CONTRACT) == {"shop.top", "shop.side", "shop.absent", "shop.ground"}


def test_rooms() -> None:
    """A module or a package directly in the bridge is a room; the launcher is one."""
    modules = ["bridge/__init__.py", "bridge/a.py", "bridge/b/c/d.py", "launcher/x.py"]
    assert stairs.rooms(modules) == {"bridge.a", "bridge.b", "launcher"}
