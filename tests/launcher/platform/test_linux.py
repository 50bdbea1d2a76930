"""Linux: places, profiles, distribution and sandbox."""

import getpass
from pathlib import Path

import pytest

from launcher.platform.base import CHANNELS, Machine
from launcher.platform.linux import Linux


def _linux(root: Path, user_id: int = 1000, **environment: str) -> Linux:
    return Linux(Machine(environment=environment, home="/home/ada", user_id=user_id, root=root))


def _write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _paths(linux: Linux, channel: str) -> tuple[Path, ...]:
    return next((c.paths for c in linux.browser_candidates() if c.channel == channel), ())


@pytest.mark.parametrize(
    ("channel", "place"),
    [
        ("stable", "opt/google/chrome/chrome"),
        ("beta", "opt/google/chrome-beta/chrome"),
        ("dev", "opt/google/chrome-unstable/chrome"),
        ("canary", "opt/google/chrome-canary/chrome"),
        ("chromium", "usr/lib/chromium/chromium"),
        ("edge", "opt/microsoft/msedge/msedge"),
        ("edge-beta", "opt/microsoft/msedge-beta/msedge"),
        ("edge-dev", "opt/microsoft/msedge-dev/msedge"),
        ("brave", "opt/brave.com/brave/brave"),
        ("brave-beta", "opt/brave.com/brave-beta/brave"),
        ("brave-nightly", "opt/brave.com/brave-nightly/brave"),
    ],
)
def test_the_real_binary_comes_first(tmp_path: Path, channel: str, place: str) -> None:
    """The first place of a channel is the binary of its package, not the wrapper."""
    assert _paths(_linux(tmp_path), channel)[0] == tmp_path / place


def test_edge_canary_is_not_made_for_linux(tmp_path: Path) -> None:
    """A channel that a vendor does not ship here has no row."""
    assert _paths(_linux(tmp_path), "edge-canary") == ()


def test_a_command_on_the_path_is_a_place(tmp_path: Path) -> None:
    """A browser that only PATH knows is found, and entries that are not absolute are skipped."""
    command = _write(tmp_path / "nix/bin/chromium")
    linux = _linux(tmp_path, PATH="relative:/nowhere:/nix/bin")
    assert command in _paths(linux, "chromium")
    assert all(p.is_absolute() and "nowhere" not in p.parts for p in _paths(linux, "chromium"))


def test_snap_and_flatpak_are_places(tmp_path: Path) -> None:
    """A snap and the flatpaks of the system and of the user are looked for."""
    linux = _linux(tmp_path)
    assert tmp_path / "snap/bin/chromium" in _paths(linux, "chromium")
    exported = "flatpak/exports/bin/com.google.Chrome"
    assert tmp_path / "var/lib" / exported in _paths(linux, "stable")
    assert tmp_path / "home/ada/.local/share" / exported in _paths(linux, "stable")


def test_downloads_of_test_tools_are_found_newest_first(tmp_path: Path) -> None:
    """Chrome for Testing is found in the caches of Puppeteer and Playwright."""
    cache = tmp_path / "home/ada/.cache"
    old = _write(cache / "puppeteer/chrome/linux-99.0.1/chrome-linux64/chrome")
    new = _write(cache / "puppeteer/chrome/linux-140.0.2/chrome-linux64/chrome")
    other = _write(cache / "ms-playwright/chromium-1200/chrome-linux/chrome")
    assert _paths(_linux(tmp_path), "chrome-for-testing") == (new, old, other)


def test_variables_move_the_downloads(tmp_path: Path) -> None:
    """The folders of the test tools follow their variables; Playwright's 0 means none."""
    moved = _write(tmp_path / "pup/chrome/linux-1/chrome-linux64/chrome")
    played = _write(tmp_path / "play/chromium-1/chrome-linux64/chrome")
    both = _linux(tmp_path, PUPPETEER_CACHE_DIR="/pup", PLAYWRIGHT_BROWSERS_PATH="/play")
    assert _paths(both, "chrome-for-testing") == (moved, played)
    none = _linux(tmp_path, PUPPETEER_CACHE_DIR="/pup", PLAYWRIGHT_BROWSERS_PATH="0")
    assert _paths(none, "chrome-for-testing") == (moved,)


def test_every_channel_with_a_browser_has_a_profile_root(tmp_path: Path) -> None:
    """Whatever can be found has a profile that can be protected."""
    linux = _linux(tmp_path)
    found = {c.channel for c in linux.browser_candidates()}
    assert found <= {channel for channel, _ in linux.default_user_data_dirs()} <= set(CHANNELS)


@pytest.mark.parametrize(
    ("environment", "config"),
    [
        ({}, "home/ada/.config"),
        ({"XDG_CONFIG_HOME": "/conf"}, "conf"),
        ({"XDG_CONFIG_HOME": "/conf", "CHROME_CONFIG_HOME": "/chrome"}, "chrome"),
    ],
)
def test_profiles_follow_the_configuration_folder(
    tmp_path: Path, environment: dict[str, str], config: str
) -> None:
    """Chrome's variable wins over the desktop's, which wins over the default."""
    roots = _linux(tmp_path, 1000, **environment).default_user_data_dirs()
    assert ("stable", tmp_path / config / "google-chrome") in roots
    assert ("chromium", tmp_path / "home/ada/snap/chromium/common/chromium") in roots
    brave = tmp_path / "home/ada/snap/brave/current/.config/BraveSoftware/Brave-Browser"
    assert ("brave", brave) in roots
    box = tmp_path / "home/ada/.var/app/com.google.Chrome/config/google-chrome"
    assert ("stable", box) in roots


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian", "sudo apt-get install chromium"),
        ("ID=ubuntu\nID_LIKE=debian", "sudo snap install chromium"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"', "sudo snap install chromium"),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"', "sudo zypper install chromium"),
        ("ID=fedora", "sudo dnf install chromium"),
    ],
)
def test_the_hint_is_the_command_of_the_distribution(
    tmp_path: Path, release: str, command: str
) -> None:
    """The install hint can be pasted into a shell of this distribution."""
    _write(tmp_path / "etc/os-release", release)
    assert _linux(tmp_path).install_hint == f"Run: {command}"


def test_an_unknown_distribution_gets_a_general_hint(tmp_path: Path) -> None:
    """Without a known distribution the hint names no command."""
    assert "package manager" in _linux(tmp_path).install_hint


def test_root_needs_no_sudo_and_no_sandbox(tmp_path: Path) -> None:
    """For root the hint leaves sudo out and the sandbox has to be off."""
    _write(tmp_path / "etc/os-release", "ID=debian")
    root = _linux(tmp_path, user_id=0)
    assert root.install_hint == "Run: apt-get install chromium"
    assert "root" in (root.needs_no_sandbox() or "")
    assert root.sandbox_problem() is None
    assert _linux(tmp_path).needs_no_sandbox() is None


@pytest.mark.parametrize(
    ("switch", "value", "named"),
    [
        ("user/max_user_namespaces", "0\n", "max_user_namespaces"),
        ("kernel/unprivileged_userns_clone", "0\n", "unprivileged_userns_clone"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1\n", "AppArmor"),
    ],
)
def test_closed_namespaces_are_a_problem_but_change_nothing(
    tmp_path: Path, switch: str, value: str, named: str
) -> None:
    """Without user namespaces and helper the problem is named, and the sandbox stays asked for."""
    _write(tmp_path / "proc/sys" / switch, value)
    linux = _linux(tmp_path)
    assert named in (linux.sandbox_problem(tmp_path / "opt/x/chrome") or "")
    assert _linux(tmp_path, user_id=0).sandbox_problem() is None  # root runs without it anyway
    assert linux.needs_no_sandbox() is None


def test_open_namespaces_are_no_problem(tmp_path: Path) -> None:
    """A kernel that allows user namespaces gives no reason to complain."""
    _write(tmp_path / "proc/sys/user/max_user_namespaces", "96365\n")
    assert _linux(tmp_path).sandbox_problem() is None


@pytest.mark.skipif(getpass.getuser() != "root", reason="only root can make root's file")
def test_a_setuid_helper_solves_the_problem(tmp_path: Path) -> None:
    """A setuid helper of root beside the browser, or named by its variable, is enough."""
    _write(tmp_path / "proc/sys/user/max_user_namespaces", "0")
    helper = _write(tmp_path / "opt/x/chrome-sandbox")
    browser = tmp_path / "opt/x/chrome"
    assert _linux(tmp_path).sandbox_problem(browser) is not None
    helper.chmod(0o4755)
    assert _linux(tmp_path).sandbox_problem(browser) is None
    named = _linux(tmp_path, CHROME_DEVEL_SANDBOX="/opt/x/chrome-sandbox")
    assert named.sandbox_problem() is None
