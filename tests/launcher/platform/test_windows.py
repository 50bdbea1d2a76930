"""Windows: registry, program folders, profiles."""

from pathlib import Path

import pytest

from launcher.platform.base import CHANNELS, Machine
from launcher.platform.windows import APP_PATHS, Windows

_ENVIRONMENT = {
    "ProgramFiles": "C:\\Program Files",
    "ProgramFiles(x86)": "C:\\Program Files (x86)",
    "LOCALAPPDATA": "C:\\Users\\Ada\\AppData\\Local",
    "USERPROFILE": "C:\\Users\\Ada",
}


def _windows(root: Path, registry: dict[str, str] | None = None, **more: str) -> Windows:
    keys = {APP_PATHS + name: value for name, value in (registry or {}).items()}
    machine = Machine(
        environment={**_ENVIRONMENT, **more}, home="C:\\Users\\Ada", root=root, registry=keys.get
    )
    return Windows(machine)


def _paths(windows: Windows, channel: str) -> tuple[Path, ...]:
    return next(c.paths for c in windows.browser_candidates() if c.channel == channel)


@pytest.mark.parametrize(
    ("channel", "program"),
    [
        ("stable", "Google/Chrome/Application/chrome.exe"),
        ("beta", "Google/Chrome Beta/Application/chrome.exe"),
        ("dev", "Google/Chrome Dev/Application/chrome.exe"),
        ("canary", "Google/Chrome SxS/Application/chrome.exe"),
        ("chromium", "Chromium/Application/chrome.exe"),
        ("edge", "Microsoft/Edge/Application/msedge.exe"),
        ("edge-canary", "Microsoft/Edge SxS/Application/msedge.exe"),
        ("brave", "BraveSoftware/Brave-Browser/Application/brave.exe"),
    ],
)
def test_all_program_folders_are_looked_at(tmp_path: Path, channel: str, program: str) -> None:
    """Each channel is looked for in both program folders and in the user's own."""
    assert _paths(_windows(tmp_path), channel) == (
        tmp_path / "C/Program Files" / program,
        tmp_path / "C/Program Files (x86)" / program,
        tmp_path / "C/Users/Ada/AppData/Local" / program,
    )


def test_a_32_bit_python_sees_the_64_bit_folder(tmp_path: Path) -> None:
    """The folder of 64-bit programs is found although a 32-bit process is told the other one."""
    windows = _windows(
        tmp_path, ProgramFiles="C:\\Program Files (x86)", ProgramW6432="C:\\Program Files"
    )
    assert _paths(windows, "stable")[0].is_relative_to(tmp_path / "C/Program Files")


def test_the_registry_comes_first(tmp_path: Path) -> None:
    """A browser installed in an unusual folder is known from the registry."""
    windows = _windows(tmp_path, {"chrome.exe": "D:\\Apps\\chrome.exe"})
    assert _paths(windows, "stable")[0] == tmp_path / "D/Apps/chrome.exe"


def test_a_registered_beta_is_not_taken_for_stable(tmp_path: Path) -> None:
    """An entry under the common name belongs to the channel whose folder it names."""
    beta = "C:\\Program Files\\Google\\Chrome Beta\\Application\\chrome.exe"
    windows = _windows(tmp_path, {"chrome.exe": beta})
    assert _paths(windows, "beta")[0] == tmp_path / "C/Program Files/Google/Chrome Beta" / (
        "Application/chrome.exe"
    )
    assert all("Chrome Beta" not in path.parts for path in _paths(windows, "stable"))


def test_without_variables_nothing_is_looked_at(tmp_path: Path) -> None:
    """Unset variables make no half paths."""
    bare = Windows(Machine(environment={}, home="C:\\", root=tmp_path))
    assert bare.browser_candidates() == ()
    assert bare.default_user_data_dirs() == []


def test_profiles_lie_in_local_application_data(tmp_path: Path) -> None:
    """Every channel has a profile root of its own."""
    roots = _windows(tmp_path).default_user_data_dirs()
    assert {channel for channel, _ in roots} == set(CHANNELS)
    base = tmp_path / "C/Users/Ada/AppData/Local"
    assert ("stable", base / "Google/Chrome/User Data") in roots
    assert ("canary", base / "Google/Chrome SxS/User Data") in roots


def test_downloads_of_test_tools_are_found(tmp_path: Path) -> None:
    """Chrome for Testing is found in the caches of Puppeteer and Playwright."""
    places = (
        "C/Users/Ada/.cache/puppeteer/chrome/win64-140.0.1/chrome-win64/chrome.exe",
        "C/Users/Ada/AppData/Local/ms-playwright/chromium-1200/chrome-win/chrome.exe",
    )
    for place in places:
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    found = _paths(_windows(tmp_path), "chrome-for-testing")
    assert found[-2:] == tuple(tmp_path / place for place in places)


def test_windows_wants_windows_arguments(tmp_path: Path) -> None:
    """Arguments are Windows paths, and nothing of Linux is asked."""
    windows = _windows(tmp_path)
    assert windows.process_argument_style() == "windows"
    assert windows.needs_no_sandbox() is None
    assert windows.sandbox_problem() is None
    assert not windows.scarce_shared_memory()
    assert windows.memory_folder() is None
    assert windows.has_display()
