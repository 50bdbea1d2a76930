"""Profile folders: names, identity, and whether they can be used."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import LaunchError, UsageError
from launcher.leases import STATE
from launcher.options import LaunchOptions
from launcher.profile import (
    check_writable,
    is_adopted,
    isolated_profiles,
    prepare,
    profile_folder,
    safe_name,
    same_folder,
)
from launcher.reaper import remove_isolated


@pytest.mark.parametrize("name", ["default", "Work 2", "a.b", "a-b_c", "ärger", "日本", "x" * 64])
def test_good_name(name: str) -> None:
    """Letters of any language, digits, dash, underscore, dot and space make a name."""
    assert safe_name(name) == name


HOSTILE = [
    "",
    ".",
    "..",
    "...",
    " ",
    ".hidden",
    "end.",
    " x",
    "x ",
    "../x",
    "a/b",
    "a\\b",
    "/etc",
    "C:x",
    "~",
    "a\0b",
    "a\nb",
    "$HOME",
    "a*",
    "x" * 65,
    "con",
    "NUL",
    "nul.txt",
    "Com1",
    "lpt9.x",
    "aux .x",
    "a\u202eb",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name(name: str) -> None:
    """What could lead elsewhere on any system is BAD_ARGS, with what to write instead."""
    with pytest.raises(UsageError) as caught:
        safe_name(name)
    assert caught.value.code == "BAD_ARGS"
    assert repr(name) in str(caught.value)
    assert "--user-data-dir" in caught.value.hint


@given(st.text(max_size=80))
def test_any_name(name: str) -> None:
    """Whatever is accepted is one segment below the folder of profiles."""
    parent = Path("/data/profiles")
    try:
        path = parent / safe_name(name)
    except UsageError:
        return
    assert path.parent == parent
    assert Path(os.path.normpath(path)) == path
    assert path != parent


def test_folders(tmp_path: Path) -> None:
    """A named profile stays in one place; each isolated one gets a place of its own."""
    named = LaunchOptions(data_dir=tmp_path, profile="work")
    assert profile_folder(named) == tmp_path / "profiles" / "work"
    isolated = LaunchOptions(data_dir=tmp_path, isolated=True, profile="work")
    one, two = profile_folder(isolated), profile_folder(isolated)
    assert one.parent == two.parent == tmp_path / "isolated"
    assert one != two


def test_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative folder is meant from where the program was started."""
    monkeypatch.chdir(tmp_path)
    here = Path(os.path.realpath(tmp_path))
    assert profile_folder(LaunchOptions(user_data_dir=Path("x"))) == here / "x"
    assert profile_folder(LaunchOptions(data_dir=Path("d"))) == here / "d" / "profiles" / "default"


def test_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tilde is the home folder; a user without one is BAD_ARGS, as a NUL is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    home = Path(os.path.realpath(tmp_path))
    assert profile_folder(LaunchOptions(user_data_dir=Path("~/x"))) == home / "x"
    for bad in ("~nobody-of-that-name/x", "a\0b"):
        with pytest.raises(UsageError) as caught:
            profile_folder(LaunchOptions(user_data_dir=Path(bad)))
        assert caught.value.code == "BAD_ARGS"


def test_links(tmp_path: Path) -> None:
    """A folder reached over a link is the same profile, and so shares its leases."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    real = LaunchOptions(user_data_dir=tmp_path / "real")
    link = LaunchOptions(user_data_dir=tmp_path / "link")
    assert profile_folder(link) == profile_folder(real)
    lease = prepare(profile_folder(real)).take("test")
    assert prepare(profile_folder(link)).holders() == [lease.name]
    lease.release()
    with pytest.raises(LaunchError, match=r"leads in a circle|something else is in its place"):
        prepare(profile_folder(LaunchOptions(user_data_dir=tmp_path / "loop")))


def test_adopted(tmp_path: Path) -> None:
    """A profile is adopted when a browser had filled it before we first came, and stays so."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "Local State").touch()
    assert not is_adopted(theirs)
    for _ in range(2):
        prepare(ours)
        prepare(theirs)
        assert (is_adopted(ours), is_adopted(theirs)) == (False, True)
        (ours / "Local State").touch()


@pytest.fixture
def users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where this user's Chrome keeps its profiles."""
    if sys.platform != "linux":
        pytest.skip("its place there is fixed")
    monkeypatch.delenv("CHROME_CONFIG_HOME", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "google-chrome"
    (folder / "Default").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    "place", [".", "Default", "new/one", "../link", "../GOOGLE/../google-chrome"]
)
def test_users_own(place: str, users_own: Path) -> None:
    """The profile of the user's own Chrome, or a folder in it, is refused however it is spelt."""
    (users_own.parent / "link").symlink_to(users_own / "Default")
    options = LaunchOptions(user_data_dir=users_own / place)
    with pytest.raises(UsageError, match="browser you use yourself") as caught:
        profile_folder(options)
    assert caught.value.code == "BAD_ARGS"
    assert "--auto-connect" in caught.value.hint
    assert caught.value.facts["channel"] == "stable"


def test_beside_users_own(users_own: Path) -> None:
    """A folder beside it, also one whose name begins the same, is anybody's."""
    beside = users_own.with_name("google-chrome-ours")
    assert profile_folder(LaunchOptions(user_data_dir=beside)) == Path(os.path.realpath(beside))
    with pytest.raises(UsageError, match="browser you use yourself"):
        profile_folder(LaunchOptions(data_dir=users_own))


def test_same_folder(tmp_path: Path) -> None:
    """Folders are compared by what they are; those that do not exist, by their names."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert same_folder(tmp_path / "real", tmp_path / "link")
    assert same_folder(tmp_path / "none", tmp_path / "none")
    assert not same_folder(tmp_path / "real", tmp_path / "none")
    assert not same_folder(Path("a\0b"), tmp_path)


def test_prepare(tmp_path: Path) -> None:
    """What it makes is for its owner alone; what was there keeps its mode."""
    folder = tmp_path / "data" / "new" / "x"
    prepare(folder)
    for made in (folder.parent.parent, folder.parent, folder, folder / STATE):
        assert made.stat().st_mode & 0o777 == 0o700
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    prepare(shared)
    assert shared.stat().st_mode & 0o777 == 0o755


def test_taken_while_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that somebody cleans away before it has a holder is made anew; but not for ever."""
    folder = isolated_profiles(tmp_path) / "x"
    touch, cleaned = os.utime, 0

    def clean_first(path: Path) -> None:
        nonlocal cleaned
        if cleaned < times:
            cleaned += 1
            remove_isolated(folder)
        touch(path)

    monkeypatch.setattr(os, "utime", clean_first)
    times = 2
    assert prepare(folder).holders() == []
    assert cleaned == times
    times = 100
    with pytest.raises(LaunchError, match="No such file"):
        prepare(folder)


@pytest.mark.parametrize("place", ["x", "x/y", f"x/{STATE}"])
def test_file_in_place(place: str, tmp_path: Path) -> None:
    """A file where a folder has to be is named as the reason, with what to do."""
    folder = tmp_path / place
    file = folder if place == "x" else tmp_path / place
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    target = file.parent if place.endswith(STATE) else folder
    with pytest.raises(LaunchError, match="something else is in its place") as caught:
        prepare(target)
    assert (caught.value.code, "--user-data-dir" in caught.value.hint) == ("LAUNCH_FAILED", True)
    assert caught.value.facts["profile"] == str(target)
    with pytest.raises(LaunchError, match=r"is a file|something else is in its place"):
        prepare(file / "below")


def test_read_only(mount: Path) -> None:
    """A read-only file system is the stated cause, for an old profile and for a new one."""
    prepare(mount / "old")
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    for folder in (mount / "old", mount / "new"):
        with pytest.raises(LaunchError, match="the file system is read-only") as caught:
            prepare(folder)
        assert caught.value.facts["errno"] == errno.EROFS
        with pytest.raises(LaunchError, match=r"the file system is read-only|permission denied"):
            check_writable(folder)


def test_full(mount: Path) -> None:
    """A full disk is no reason not to use a profile that is there."""
    prepare(mount / "old")
    with pytest.raises(OSError, match="No space left"):
        (mount / "filler").write_bytes(b"x" * 100_000)
    leases = prepare(mount / "old")
    lease = leases.take("test")
    assert leases.holders() == [lease.name]
    lease.release()


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EACCES, "permission denied"),
        (errno.ENOSPC, "the disk is full"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_reason(number: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's reason is passed on in words."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", fail)
        with pytest.raises(LaunchError, match=why):
            prepare(tmp_path / "x")


def test_check_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds what `prepare` would meet, and makes nothing."""
    check_writable(tmp_path / "a" / "b")
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(LaunchError, match="is a file"):
        check_writable(tmp_path / "file" / "x")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(LaunchError, match="permission denied"):
        check_writable(tmp_path / "a")
