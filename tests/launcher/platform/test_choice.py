"""Which platform is chosen."""

import pytest

from launcher.platform import Machine, current


@pytest.mark.parametrize(
    ("system", "release", "name"),
    [
        ("win32", "10", "windows"),
        ("darwin", "24.0.0", "mac"),
        ("linux", "6.1.0-18-amd64", "linux"),
        ("linux", "5.15.90.1-microsoft-standard-WSL2", "wsl"),
        ("freebsd14", "14.0", "linux"),
    ],
)
def test_the_system_picks_the_platform(system: str, release: str, name: str) -> None:
    """Each system has its platform; an unknown one is treated like Linux."""
    machine = Machine(environment={}, home="/", release=release)
    assert current(machine, system=system).name == name


def test_this_machine_is_one_of_the_four() -> None:
    """Without arguments the real machine is described."""
    assert current().name in {"linux", "mac", "windows", "wsl"}
    assert current().locate("/") is not None
