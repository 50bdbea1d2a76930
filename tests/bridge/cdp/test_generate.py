"""From the pinned file to the files of the package, and whether those are fresh and complete."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from bridge.cdp.base import Command, Object, Sibling
from bridge.cdp.generate import find_stale, load, main, render, write
from bridge.cdp.generated import CHROMIUM, DOMAINS
from bridge.cdp.model import Domain, Member, Protocol
from bridge.cdp.naming import module_name, pascal, python_name

PROTOCOL = load()


@pytest.fixture(params=PROTOCOL.domains, ids=lambda domain: domain.domain)
def domain(request: pytest.FixtureRequest) -> Domain:
    found: Domain = request.param
    return found


def test_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    """The files in the package are what the generator would write."""
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == ""


def test_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--check names changed, missing and superfluous files, fails, and touches none of them."""
    write(render(PROTOCOL), tmp_path)
    (tmp_path / "page.py").write_text("edited")
    (tmp_path / "dom.py").unlink()
    (tmp_path / "gone.py").write_text("")
    assert main(["--check"], tmp_path) == 1
    names = [line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()]
    assert names == ["dom.py", "gone.py", "page.py"]
    assert (tmp_path / "page.py").read_text() == "edited"


def test_write(mini: Protocol, tmp_path: Path) -> None:
    """Writing leaves exactly the rendered files, and nothing to do the second time."""
    (tmp_path / "gone.py").write_text("")
    texts = render(mini)
    assert write(texts, tmp_path) == ["__init__.py", "gone.py", "mini_dom.py", "mini_page.py"]
    assert find_stale(texts, tmp_path) == []
    assert write(texts, tmp_path) == []


def test_main_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --check the files are written, and a second run finds nothing to do."""
    assert main([], tmp_path / "generated") == 0
    assert "written: generated/page.py" in capsys.readouterr().out
    assert main(["--check"], tmp_path / "generated") == 0


def test_counts() -> None:
    """The pinned protocol is the whole of Chromium 156, not a part of it."""
    domains = PROTOCOL.domains
    assert CHROMIUM == PROTOCOL.browser == "156.0.8078.79"
    assert len(domains) == len(DOMAINS) == 59
    assert sum(len(domain.commands) for domain in domains) == 674
    assert sum(len(domain.events) for domain in domains) == 232
    assert sum(len(domain.types) for domain in domains) == 610


def test_types(domain: Domain) -> None:
    """Every type of the protocol is in its module, objects with every field's wire name."""
    module = module_of(domain)
    for kind in domain.types:
        found = getattr(module, kind.id)
        if kind.properties:
            assert wire_names(found) == names(kind.properties)


def test_commands(domain: Domain) -> None:
    """Every command builds with all its parameters and knows every field of its result."""
    module = module_of(domain)
    for command in domain.commands:
        function = getattr(module, python_name(command.name, siblings(module)))
        given = {python_name(m.name, siblings(module)): "x" for m in command.parameters}
        built: Command[Object] = function(**given)
        assert built.method == f"{domain.domain}.{command.name}"
        sent = {m.name: "x" for m in command.parameters}
        assert msgspec.json.decode(built.encode_params()) == sent
        assert wire_names(built.result) == names(command.returns)


def test_events(domain: Domain) -> None:
    """Every event is in its module's table, with every field's wire name."""
    module = module_of(domain)
    methods = [f"{domain.domain}.{event.name}" for event in domain.events]
    assert list(module.EVENTS) == methods
    for event in domain.events:
        found = module.EVENTS[f"{domain.domain}.{event.name}"]
        assert found is getattr(module, pascal(event.name))
        assert wire_names(found) == names(event.parameters)


def test_decoders(domain: Domain) -> None:
    """Every annotation resolves: a decoder can be built for every type, result and event."""
    module = module_of(domain)
    kinds = [getattr(module, kind.id) for kind in domain.types]
    kinds += module.EVENTS.values()
    kinds += [value for name, value in vars(module).items() if name.endswith("Result")]
    for kind in kinds:
        msgspec.json.Decoder(kind)


def names(members: list[Member]) -> set[str]:
    return {member.name for member in members}


def module_of(domain: Domain) -> ModuleType:
    return import_module(f"bridge.cdp.generated.{module_name(domain.domain)}")


def siblings(module: ModuleType) -> set[str]:
    return {name for name, value in vars(module).items() if isinstance(value, Sibling)}


def wire_names(kind: type[Object]) -> set[str]:
    return set(kind.__struct_encode_fields__)
