"""Catching our errors costs nothing."""

from tests.house.lightness import loaded_by


def test_errors_are_light() -> None:
    """Importing bridge.errors loads itself, `bridge` and the standard library, nothing else."""
    assert loaded_by("bridge.errors") == {"bridge", "bridge.errors"}


def test_commands_are_light() -> None:
    """No command loads the protocol's SDK before it serves, nor the web server at all."""
    heavy = {"mcp", "mcp_types", "pydantic", "hypercorn", "starlette", "bridge.browser.browser"}
    assert not heavy & loaded_by("bridge.cli")
    assert not heavy & loaded_by("bridge.app.serving")


def test_servers_are_light() -> None:
    """What one kind of server alone needs is not loaded for the others: first calls wait."""
    loaded = loaded_by("bridge.app.workshop")
    assert {"bridge.app.ways", "bridge.tools.call"} <= loaded
    assert not {"h11", "bridge.relay.server", "bridge.gate.proxy", "mcp", "markdownify"} & loaded


def test_browsers_start_first() -> None:
    """What is needed only once there is a browser is loaded while it starts."""
    late = {"bridge.tools.call", "bridge.browser.browser", "bridge.page.snapshot"}
    assert not late & loaded_by("bridge.app.door")


def test_heavy_module() -> None:
    """A module that needs trio shows it."""
    assert {"trio", "bridge.timeouts"} <= loaded_by("bridge.timeouts")
