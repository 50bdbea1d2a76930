"""macOS: bundles and profiles."""

from pathlib import Path

import pytest

from launcher.platform.base import CHANNELS, Machine
from launcher.platform.mac import Mac


def _mac(root: Path, **environment: str) -> Mac:
    return Mac(Machine(environment=environment, home="/Users/ada", user_id=501, root=root))


def _paths(mac: Mac, channel: str) -> tuple[Path, ...]:
    return next(c.paths for c in mac.browser_candidates() if c.channel == channel)


@pytest.mark.parametrize(
    ("channel", "name"),
    [
        ("stable", "Google Chrome"),
        ("canary", "Google Chrome Canary"),
        ("chrome-for-testing", "Google Chrome for Testing"),
        ("edge-dev", "Microsoft Edge Dev"),
        ("brave", "Brave Browser"),
        ("chromium", "Chromium"),
    ],
)
def test_bundles_of_all_users_come_before_own_ones(tmp_path: Path, channel: str, name: str) -> None:
    """The program of a bundle is looked for in /Applications, then in the user's Applications."""
    inside = f"Applications/{name}.app/Contents/MacOS/{name}"
    assert _paths(_mac(tmp_path), channel)[:2] == (
        tmp_path / inside,
        tmp_path / "Users/ada" / inside,
    )


def test_every_channel_has_a_bundle_and_a_profile(tmp_path: Path) -> None:
    """All channels exist on macOS, and each has a profile of its own."""
    mac = _mac(tmp_path)
    assert tuple(c.channel for c in mac.browser_candidates()) == CHANNELS
    roots = mac.default_user_data_dirs()
    assert {channel for channel, _ in roots} == set(CHANNELS)
    assert len({path for _, path in roots}) == len(CHANNELS)
    assert ("stable", tmp_path / "Users/ada/Library/Application Support/Google/Chrome") in roots


def test_downloads_of_test_tools_are_found(tmp_path: Path) -> None:
    """Chrome for Testing is found in the caches of Puppeteer and Playwright."""
    program = "Google Chrome for Testing"
    inside = f"{program}.app/Contents/MacOS/{program}"
    folders = (
        f"Users/ada/.cache/puppeteer/chrome/mac_arm-140.0.1/chrome-mac-arm64/{inside}",
        f"Users/ada/Library/Caches/ms-playwright/chromium-1200/chrome-mac-arm64/{inside}",
        "Users/ada/Library/Caches/ms-playwright/chromium-900/chrome-mac/Chromium.app/Contents/"
        "MacOS/Chromium",
    )
    for folder in folders:
        (tmp_path / folder).parent.mkdir(parents=True)
        (tmp_path / folder).touch()
    found = _paths(_mac(tmp_path), "chrome-for-testing")
    assert found[2:] == tuple(tmp_path / folder for folder in folders)


def test_the_sandbox_always_works(tmp_path: Path) -> None:
    """macOS never asks for a run without sandbox, not even for root."""
    mac = Mac(Machine(environment={}, home="/var/root", user_id=0, root=tmp_path))
    assert mac.needs_no_sandbox() is None
    assert mac.sandbox_problem() is None
    assert not mac.scarce_shared_memory()
    assert mac.memory_folder() is None
    assert mac.has_display()
    assert mac.process_argument_style() == "posix"
