"""WSL: two ways to write a path, and the browsers of two systems."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import UsageError
from launcher.platform.base import Machine, is_wsl
from launcher.platform.wsl import Wsl, to_windows_path, to_wsl_path

_NAME = st.text(
    st.characters(exclude_characters='/\\<>:"|?*', exclude_categories=("Cc", "Cs")), min_size=1
).filter(lambda name: name not in (".", "..") and name[-1] not in ". ")
_NAMES = st.lists(_NAME, max_size=5)
_DRIVES = st.sampled_from("cdxz")


def _machine(root: Path, user_id: int = 1000, **environment: str) -> Machine:
    environment = {"WSL_DISTRO_NAME": "Debian", **environment}
    return Machine(environment=environment, home="/home/ada", user_id=user_id, root=root)


@pytest.mark.parametrize(
    ("linux", "windows"),
    [
        ("/mnt/c/Program Files/x", "C:\\Program Files\\x"),
        ("/mnt/d", "D:\\"),
        ("/home/ada/profile", "\\\\wsl.localhost\\Debian\\home\\ada\\profile"),
        ("/", "\\\\wsl.localhost\\Debian"),
        ("/mnt", "\\\\wsl.localhost\\Debian\\mnt"),
        ("/mnt/wsl/x", "\\\\wsl.localhost\\Debian\\mnt\\wsl\\x"),
        ("/mntc/x", "\\\\wsl.localhost\\Debian\\mntc\\x"),
    ],
)
def test_a_linux_path_as_windows_writes_it(linux: str, windows: str) -> None:
    """Drives become drives again, everything else goes through the network name."""
    assert to_windows_path(linux, distribution="Debian") == windows
    assert to_wsl_path(windows, distribution="Debian") == linux


@pytest.mark.parametrize(
    ("windows", "linux"),
    [
        ("c:/x/y", "/mnt/c/x/y"),
        ("\\\\?\\C:\\x", "/mnt/c/x"),
        ("C:\\x\\\\y\\.\\", "/mnt/c/x/y"),
        ("\\\\WSL$\\debian\\home\\ada", "/home/ada"),
        ("//wsl.localhost/Debian/home", "/home"),
    ],
)
def test_windows_writes_a_path_in_many_ways(windows: str, linux: str) -> None:
    """Both slashes, the long form and the old network name are understood."""
    assert to_wsl_path(windows, distribution="Debian") == linux


@pytest.mark.parametrize(
    "path",
    ["x\\y", "C:x", "C:", "\\\\server\\share", "\\\\wsl.localhost\\Other\\x", "C:\\a\\..\\b", ""],
)
def test_a_windows_path_that_is_not_seen_here_is_refused(path: str) -> None:
    """Relative paths, other machines and other distributions are errors, not guesses."""
    with pytest.raises(UsageError) as caught:
        to_wsl_path(path, distribution="Debian")
    assert caught.value.code == "BAD_ARGS"


@pytest.mark.parametrize("path", ["", "relative", "/a/../b", "/home/a:b", "/home/a\\b", "/home/a."])
def test_a_linux_path_without_a_windows_form_is_refused(path: str) -> None:
    """A name that Windows cannot write is an error, not another file."""
    with pytest.raises(UsageError):
        to_windows_path(path, distribution="Debian")


@given(_DRIVES, _NAMES)
def test_a_drive_survives_the_round_trip(drive: str, names: list[str]) -> None:
    """A path on a drive comes back as it was."""
    path = "/".join(["/mnt", drive, *names])
    there = to_windows_path(path, distribution="Debian")
    assert there.startswith(f"{drive.upper()}:\\")
    assert to_wsl_path(there, distribution="Debian") == path


@given(
    _NAMES.filter(lambda names: names[:1] != ["mnt"]), st.sampled_from(["Debian", "Ubuntu-24.04"])
)
def test_the_distribution_survives_the_round_trip(names: list[str], distribution: str) -> None:
    """A path inside the distribution comes back as it was."""
    path = "/" + "/".join(names)
    there = to_windows_path(path, distribution=distribution)
    assert to_wsl_path(there, distribution=distribution) == path


@given(_DRIVES, _NAMES)
def test_drives_may_be_mounted_elsewhere(drive: str, names: list[str]) -> None:
    """With drives at the root the round trip holds as well."""
    path = "/" + "/".join([drive, *names])
    there = to_windows_path(path, distribution="Debian", mount="/")
    assert there.startswith(f"{drive.upper()}:\\")
    assert to_wsl_path(there, distribution="Debian", mount="/") == path


@pytest.mark.parametrize(
    ("release", "environment", "expected"),
    [
        ("5.15.90.1-microsoft-standard-WSL2", {}, True),
        ("4.4.0-19041-Microsoft", {}, True),
        ("6.1.0-18-amd64", {}, False),
        ("6.6.0-custom", {"WSL_DISTRO_NAME": "Debian"}, True),
    ],
)
def test_wsl_is_known_by_kernel_or_variable(
    release: str, environment: dict[str, str], expected: bool
) -> None:
    """A kernel of Microsoft or the variable of WSL tells it from another Linux."""
    machine = Machine(environment=environment, home="/", release=release)
    assert is_wsl(machine) is expected


def test_linux_browsers_come_before_windows_ones(tmp_path: Path) -> None:
    """Every Linux place stands before the first Windows one."""
    (tmp_path / "mnt/c/Users/Ada").mkdir(parents=True)
    rows = Wsl(_machine(tmp_path)).browser_candidates()
    windows = [i for i, row in enumerate(rows) if row.paths[0].suffix == ".exe"]
    linux = [i for i, row in enumerate(rows) if row.paths[0].suffix != ".exe"]
    assert windows
    assert linux
    assert max(linux) < min(windows)


def test_windows_browsers_are_found_on_the_mounted_drive(tmp_path: Path) -> None:
    """Program folders and every person's own folder are looked at, nobody's homes are not."""
    for user in ("Ada", "Public", "Default"):
        (tmp_path / "mnt/c/Users" / user).mkdir(parents=True)
    rows = Wsl(_machine(tmp_path)).browser_candidates()
    stable = [p for row in rows if row.channel == "stable" for p in row.paths if p.suffix == ".exe"]
    inside = "Google/Chrome/Application/chrome.exe"
    assert stable == [
        tmp_path / "mnt/c/Program Files" / inside,
        tmp_path / "mnt/c/Program Files (x86)" / inside,
        tmp_path / "mnt/c/Users/Ada/AppData/Local" / inside,
    ]


@pytest.mark.parametrize(
    ("text", "mount"),
    [
        ("", "/mnt/"),
        ("[automount]\nroot = /\n", "/"),
        ("[automount]\nroot = /windows\noptions = x\n", "/windows/"),
        ("no section", "/mnt/"),
    ],
)
def test_the_mount_follows_wsl_conf(tmp_path: Path, text: str, mount: str) -> None:
    """The drives are where wsl.conf puts them, and in the usual place when it says nothing."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/wsl.conf").write_text(text)
    assert Wsl(_machine(tmp_path)).mount == mount


def test_profiles_of_both_sides_are_known(tmp_path: Path) -> None:
    """The user's profiles in Linux and in Windows are both protected."""
    (tmp_path / "mnt/c/Users/Ada").mkdir(parents=True)
    roots = Wsl(_machine(tmp_path)).default_user_data_dirs()
    assert ("stable", tmp_path / "home/ada/.config/google-chrome") in roots
    windows = tmp_path / "mnt/c/Users/Ada/AppData/Local/Google/Chrome/User Data"
    assert ("stable", windows) in roots


def test_the_sandbox_is_a_matter_of_the_browser(tmp_path: Path) -> None:
    """Root has to switch the sandbox off for a Linux browser, not for a Windows one."""
    wsl = Wsl(_machine(tmp_path, user_id=0))
    windows, linux = Path("/mnt/c/x/chrome.exe"), Path("/usr/lib/chromium/chromium")
    assert wsl.needs_no_sandbox(linux) is not None
    assert wsl.needs_no_sandbox(windows) is None
    assert wsl.process_argument_style(windows) == "windows"
    assert wsl.process_argument_style(linux) == "posix"
