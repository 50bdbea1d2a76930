"""The machine that is looked at."""

from pathlib import Path

import pytest

from launcher.platform.base import CHANNELS, NAMES, Machine, candidates, newest_first


def _machine(root: Path | None, **environment: str) -> Machine:
    return Machine(environment=environment, home="/home/ada", root=root)


@pytest.mark.parametrize(
    ("native", "inside"),
    [
        ("/opt/google/chrome", "opt/google/chrome"),
        ("C:\\Program Files\\x.exe", "C/Program Files/x.exe"),
        ("d:/x", "D/x"),
    ],
)
def test_places_lie_below_the_root(tmp_path: Path, native: str, inside: str) -> None:
    """A place in either notation is found below the folder that stands for the root."""
    assert _machine(tmp_path).locate(native) == tmp_path / inside


def test_without_a_root_places_are_real() -> None:
    """Without a root a place is itself."""
    assert _machine(None).locate("/opt/x") == Path("/opt/x")


def test_variables_are_found_in_any_case() -> None:
    """An environment variable is found whatever the case of its name."""
    machine = _machine(None, ProgramFiles="here")
    assert machine.variable("PROGRAMFILES") == "here"
    assert machine.variable("ABSENT") == ""


def test_the_exact_name_of_a_variable_wins() -> None:
    """Two variables that differ in case are told apart where the name matches exactly."""
    assert _machine(None, Path="a", PATH="b").variable("PATH") == "b"


def test_the_environment_stays_out_of_logs() -> None:
    """The text form of a machine does not show the environment."""
    assert "hunter2" not in repr(_machine(None, TOKEN="hunter2"))


@pytest.mark.parametrize(("free", "scarce"), [(64 << 20, True), (4 << 30, False)])
def test_a_small_dev_shm_is_scarce(tmp_path: Path, free: int, scarce: bool) -> None:
    """Shared memory is scarce when little of /dev/shm is free."""
    machine = Machine(environment={}, home="/", root=tmp_path, free_bytes=lambda path: free)
    assert machine.shared_memory_is_scarce() is scarce


def test_no_dev_shm_is_not_scarce(tmp_path: Path) -> None:
    """A machine without /dev/shm is not short of it."""
    assert not _machine(tmp_path).shared_memory_is_scarce()


def test_versions_are_ordered_as_numbers(tmp_path: Path) -> None:
    """Version 100 is newer than version 99."""
    for version in ("99.0.1", "100.0.0", "9.5"):
        (tmp_path / f"linux-{version}").mkdir()
    found = newest_first(tmp_path, "linux-*")
    assert [path.name for path in found] == ["linux-100.0.0", "linux-99.0.1", "linux-9.5"]


def test_an_absent_folder_has_no_versions(tmp_path: Path) -> None:
    """Nothing is found in a folder that is not there."""
    assert newest_first(tmp_path / "absent", "*") == ()


def test_candidates_come_in_order_of_preference() -> None:
    """Rows are ordered, empty ones left out, repeated places dropped."""
    a, b = Path("/a"), Path("/b")
    rows = candidates({"canary": [a], "beta": [], "stable": [b, a, b]})
    assert [(row.channel, row.paths) for row in rows] == [("stable", (b, a)), ("canary", (a,))]


def test_every_channel_has_its_own_name() -> None:
    """No two channels are called the same, and none is nameless."""
    assert len({NAMES[channel] for channel in CHANNELS}) == len(CHANNELS)


@pytest.mark.parametrize(
    ("environment", "shows"),
    [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True)],
)
def test_display(environment: dict[str, str], shows: bool) -> None:
    """X11 and Wayland are told by their variables."""
    assert Machine(environment=environment, home="/home/somebody").has_display() is shows


@pytest.mark.parametrize(("free", "roomy"), [(1 << 30, False), (4 << 30, True)])
def test_memory_with_room(tmp_path: Path, free: int, roomy: bool) -> None:
    """A profile goes into memory only where that is large."""
    machine = Machine(environment={}, home="/", root=tmp_path, free_bytes=lambda path: free)
    assert machine.roomy_memory() == (tmp_path / "dev/shm" if roomy else None)


def test_no_memory(tmp_path: Path) -> None:
    """Without /dev/shm there is no such place."""
    assert _machine(tmp_path).roomy_memory() is None
