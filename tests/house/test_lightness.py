"""Catching our errors costs nothing."""

from tests.house.lightness import loaded_by


def test_errors_are_light() -> None:
    """Importing bridge.errors loads itself, `bridge` and the standard library, nothing else."""
    assert loaded_by("bridge.errors") == {"bridge", "bridge.errors"}


def test_heavy_module() -> None:
    """A module that needs trio shows it."""
    assert {"trio", "bridge.timeouts"} <= loaded_by("bridge.timeouts")
