"""`doctor`: for each way to a browser, whether it is open here, why not, and the one next step."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bridge.app.extension import standing
from bridge.errors import BridgeError
from bridge.timeouts import Timeouts
from launcher import borrow, probe
from launcher import platform as platforms
from launcher.find import Browser, find_browser, list_browsers
from launcher.options import LaunchOptions
from launcher.profile import check_writable, profile_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to a browser."""

    name: str
    what: str
    available: bool
    why: str  # why not; or, if it is, what will be used
    step: str = ""  # the one thing to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything `doctor` found out."""

    ways: list[Way]
    browsers: list[dict[str, str]]
    notes: list[str]
    data_dir: str
    python: str
    platform: str


async def diagnose(
    options: LaunchOptions, timeouts: Timeouts, environment: Mapping[str, str] | None = None
) -> Diagnosis:
    """Look at this machine; starts nothing."""
    platform = platforms.current()
    environment = os.environ if environment is None else environment
    launch = _launch(options, platform, environment)
    browsers = list_browsers(platform)
    return Diagnosis(
        ways=[
            launch,
            _window(launch, platform, environment),
            _pipe(launch),
            await _endpoint(options, timeouts),
            _users_own(platform),
            _extension(options),
        ],
        browsers=[
            {"name": b.name, "channel": b.channel, "path": str(b.path), "note": b.note}
            for b in browsers
        ],
        notes=_notes(platform, browsers),
        data_dir=str(options.data_dir),
        python=sys.version.split()[0],
        platform=platform.name,
    )


def _launch(
    options: LaunchOptions, platform: platforms.Platform, environment: Mapping[str, str]
) -> Way:
    name, what = "launch", "a browser of our own, headless, on a profile that stays"
    try:
        browser = find_browser(
            executable=options.executable,
            channel=options.channel,
            platform=platform,
            environment=environment,
        )
        check_writable(profile_folder(options))
    except BridgeError as error:
        return Way(name=name, what=what, available=False, why=error.message, step=error.hint)
    return Way(name=name, what=what, available=True, why=f"{browser.name} at {browser.path}")


def _window(launch: Way, platform: platforms.Platform, environment: Mapping[str, str]) -> Way:
    name, what = "window", "the same with a window, for logging in"
    if not launch.available:
        return Way(name=name, what=what, available=False, why=launch.why, step=launch.step)
    display = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    if platform.name in ("linux", "wsl") and not display:
        return Way(
            name=name,
            what=what,
            available=False,
            why="this session has no display",
            step="Use --headless, or run it from a desktop session.",
        )
    return Way(name=name, what=what, available=True, why=launch.why)


def _pipe(launch: Way) -> Way:
    name, what = "pipe", "an exclusive browser without an open port (--isolated)"
    if not launch.available:
        return Way(name=name, what=what, available=False, why=launch.why, step=launch.step)
    if sys.platform == "win32":
        return Way(
            name=name,
            what=what,
            available=False,
            why="Windows hands no descriptors 3 and 4 to a program",
            step="Use --isolated all the same; it takes a port there.",
        )
    return Way(name=name, what=what, available=True, why=launch.why)


async def _endpoint(options: LaunchOptions, timeouts: Timeouts) -> Way:
    name, what = "endpoint", "a browser somebody else runs (--cdp-endpoint)"
    if options.cdp_endpoint is None:
        return Way(
            name=name,
            what=what,
            available=False,
            why="no address was given",
            step="Start a browser with --remote-debugging-port and give --cdp-endpoint.",
        )
    try:
        url = await probe.resolve(options.cdp_endpoint, timeouts)
        address = probe.parse_endpoint(url.replace("ws://", "http://", 1))
        assert isinstance(address, probe.HttpAddress)
        answer = await probe.ask(address, timeouts)
    except BridgeError as error:
        return Way(name=name, what=what, available=False, why=error.message, step=error.hint)
    return Way(name=name, what=what, available=True, why=answer.product)


def _users_own(platform: platforms.Platform) -> Way:
    name, what = "auto-connect", "your own Chrome, as you use it (--auto-connect)"
    try:
        found = borrow.users_own(platform)
    except BridgeError as error:
        return Way(name=name, what=what, available=False, why=error.message, step=error.hint)
    return Way(name=name, what=what, available=True, why=f"profile {found.profile}")


def _extension(options: LaunchOptions) -> Way:
    """Whether servers are found; whether the extension is loaded only a server can tell."""
    name, what = "extension", "your own Chrome, through our extension (--prefer extension)"
    host, browsers = standing(options)
    ready = [each.browser for each in browsers if each.state == "registered"]
    why, step = "", "Run: chrome-bridge extension install"
    if host != "ready":
        why = f"the native host is {'not installed' if host == 'absent' else 'out of date'}"
    elif not browsers:
        why, step = "no browser of yours was found", "Start it once, then run this again."
    elif not ready:
        why = "; ".join(each.line().removeprefix("--  ") for each in browsers)
        if all(each.state == "impossible" for each in browsers):
            step = "Run: chrome-bridge extension status --show-pairing"
    if why:
        return Way(name=name, what=what, available=False, why=why, step=step)
    return Way(name=name, what=what, available=True, why=f"servers are found by {', '.join(ready)}")


def _notes(platform: platforms.Platform, browsers: list[Browser]) -> list[str]:
    """Things that work, but not as they should."""
    first: Path | None = browsers[0].path if browsers else None
    found = [platform.needs_no_sandbox(first), platform.sandbox_problem(first)]
    if platform.scarce_shared_memory():
        found.append("/dev/shm is small; pages use the temporary folder instead")
    found += [f"{browser.name}: {browser.note}" for browser in browsers]
    return [note for note in found if note and not note.endswith(": ")]


def lines(found: Diagnosis) -> list[str]:
    """What a person reads."""
    told = []
    for way in found.ways:
        told.append(f"{'ok' if way.available else '--'}  {way.name:<13} {way.what}")
        told.append(f"    {way.why}" + (f". {way.step}" if way.step else ""))
    told += [f"note: {note}" for note in found.notes]
    return [*told, f"data folder: {found.data_dir}"]
