"""The miniature protocol, parsed and as importable modules."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from bridge.cdp.generate import render, write
from bridge.cdp.model import Protocol, parse_protocol

MINI = Path(__file__).parents[3] / "fixtures" / "protocol" / "mini.json"


@pytest.fixture
def mini() -> Protocol:
    return parse_protocol(MINI.read_bytes())


@pytest.fixture
def mini_module(
    mini: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], ModuleType]:
    """Imports a rendered module of the miniature protocol as if it were one of ours."""
    write(render(mini), tmp_path)

    def load(name: str) -> ModuleType:
        full = f"bridge.cdp.generated.{name}"
        spec = importlib.util.spec_from_file_location(full, tmp_path / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, full, module)
        spec.loader.exec_module(module)
        return module

    return load
