"""Which browser to start: the one named, the one of a channel, or the best that is here.

Looking costs no process: a browser is known by its place and its first bytes. Whether it really is
a Chrome shows when it is launched. A browser found by itself is started without its wrapper; one
that was named is taken at its word, unless the name is the distribution's own wrapper.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge.errors import LaunchError, UsageError
from launcher.platform import CHANNELS, NAMES, Candidate, Channel, Platform
from launcher.wrapper import Resolved, kind_of, resolve_wrapper

_ALIASES: dict[str, Channel] = {  # names that other tools use
    "chrome": "stable",
    "google-chrome": "stable",
    "chrome-stable": "stable",
    "chrome-beta": "beta",
    "chrome-dev": "dev",
    "unstable": "dev",
    "chrome-canary": "canary",
    "cft": "chrome-for-testing",
    "msedge": "edge",
    "msedge-beta": "edge-beta",
    "msedge-dev": "edge-dev",
    "msedge-canary": "edge-canary",
}
# Edge is counted in: nobody measured it here, and loading over CDP works in every build.
_BRANDED: frozenset[Channel] = frozenset(
    {"stable", "beta", "dev", "canary", "edge", "edge-beta", "edge-dev", "edge-canary"}
)
_SIGNS_OF_UNBRANDED = ("chromium", "testing", "chrome-linux", "chrome-mac", "chrome-win", "brave")
_VARIABLES = ("CHROME_BIN", "CHROME_PATH")  # what build machines and other tools set
_NAMED_PLACES = 8  # in a message; facts carry them all


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """A browser that can be started.

    `branded` builds ignore `--load-extension` since version 137. `note` is a sentence for the user
    about what this installation cannot do.
    """

    path: Path
    channel: str  # of `Channel`, or "custom"
    name: str
    branded: bool
    note: str = ""


def find_browser(
    *,
    executable: Path | None,
    channel: str | None,
    platform: Platform,
    environment: Mapping[str, str],
) -> Browser:
    """The browser asked for; without a wish CHROME_BIN or CHROME_PATH, then the best one here.

    Raises LaunchError LAUNCH_FAILED when there is none, UsageError BAD_ARGS on an unknown channel.
    """
    if executable is not None:
        return _named(executable, platform)
    if channel is not None:
        return _of_channel(parse_channel(channel), platform)
    looked_at: list[str] = []
    for variable in _VARIABLES:
        value = environment.get(variable)
        if value:
            try:
                return _named(platform.locate(value).absolute(), platform)
            except LaunchError as error:  # not our variable, so not our error; but say so below
                looked_at.append(f"{value} ({variable}: {error.message})")
    candidates = platform.browser_candidates()
    for browser in _installed(candidates, platform):
        return browser
    raise _nothing_found("No Chrome or Chromium was found", candidates, platform, looked_at)


def list_browsers(platform: Platform) -> list[Browser]:
    """Every installed browser, the preferred first, each program once."""
    found: dict[Path, Browser] = {}
    for browser in _installed(platform.browser_candidates(), platform):
        found.setdefault(browser.path, browser)
    return list(found.values())


def parse_channel(text: str) -> Channel:
    """The channel a user means; raises UsageError naming the nearest."""
    wanted = text.strip().lower()
    for channel in CHANNELS:
        if channel == wanted:
            return channel
    if wanted in _ALIASES:
        return _ALIASES[wanted]
    from difflib import get_close_matches

    near = get_close_matches(wanted, [*CHANNELS, *_ALIASES], n=1)
    raise UsageError(
        "BAD_ARGS",
        f"{text!r} is not a channel" + (f"; did you mean {near[0]}?" if near else "."),
        hint=f"Channels are: {', '.join(CHANNELS)}.",
        facts={"channel": text, "nearest": near[0] if near else None},
    )


def _of_channel(channel: Channel, platform: Platform) -> Browser:
    everything = platform.browser_candidates()
    wanted = [candidate for candidate in everything if candidate.channel == channel]
    for browser in _installed(wanted, platform):
        return browser
    if not wanted:
        raise LaunchError(
            "LAUNCH_FAILED",
            f"{NAMES[channel]} is not made for this system ({platform.name}).",
            hint=_installed_hint(everything, platform),
        )
    raise _nothing_found(f"{NAMES[channel]} was not found", wanted, platform, [])


def _installed(candidates: Sequence[Candidate], platform: Platform) -> Iterator[Browser]:
    for candidate in candidates:
        for path in candidate.paths:
            browser = _at(path, candidate, platform)
            if browser is not None:
                yield browser


def _at(path: Path, candidate: Candidate, platform: Platform) -> Browser | None:
    if _flaw(path) is not None:
        return None
    resolved = _resolve(path, platform)
    if resolved.missing:  # an empty package whose script asks to install something else
        return None
    return Browser(
        path=resolved.path,
        channel=candidate.channel,
        name=candidate.name,
        branded=candidate.channel in _BRANDED,
        note=resolved.note,
    )


def _resolve(path: Path, platform: Platform) -> Resolved:
    wrappers = platform.name in ("linux", "wsl") and path.suffix.lower() != ".exe"
    return resolve_wrapper(path, platform.locate) if wrappers else Resolved(path)


def _named(given: Path, platform: Platform) -> Browser:
    path = _program_of_bundle(given) if given.suffix == ".app" and given.is_dir() else given
    flaw = _flaw(path)
    if flaw is not None:
        hint = "Name the browser's own file with --executable-path, or leave the option out."
        raise LaunchError("LAUNCH_FAILED", flaw, hint=hint, facts={"path": str(path)})
    candidate = _candidate_of(path, platform.browser_candidates())
    if candidate is None:
        return _custom(path)
    browser = _at(path, candidate, platform)
    if browser is None:
        missing = _resolve(path, platform).missing
        raise LaunchError(
            "LAUNCH_FAILED",
            f"{path} is only a script that starts {missing}, which is not there.",
            hint=platform.install_hint,
            facts={"path": str(path)},
        )
    return browser


def _candidate_of(path: Path, candidates: Sequence[Candidate]) -> Candidate | None:
    """The row that has this very place, or else the same file behind a link."""
    for candidate in candidates:
        if path in candidate.paths:
            return candidate
    real = path.resolve()
    if real.name == "snap":  # all snaps are links to one program
        return None
    for candidate in candidates:
        if any(place.exists() and place.resolve() == real for place in candidate.paths):
            return candidate
    return None


def _custom(path: Path) -> Browser:
    """An unknown build counts as branded: loading extensions over CDP works in every build."""
    lower = str(path).lower()
    branded = not any(sign in lower for sign in _SIGNS_OF_UNBRANDED)
    return Browser(path=path, channel="custom", name=path.stem, branded=branded)


def _flaw(path: Path) -> str | None:
    """Why this cannot be started, in one sentence; None when it can."""
    try:
        path.lstat()
        if not path.exists():
            return f"{path} is a link to {path.readlink()}, which does not exist."
        if path.is_dir():
            return f"{path} is a folder, not a program."
        if not path.is_file():
            return f"{path} is not a regular file."
        if not os.access(path, os.X_OK):
            return f"{path} is not executable for this user."
        if kind_of(path) is None:
            return f"{path} is neither a program nor a script."
    except (FileNotFoundError, NotADirectoryError):
        return f"There is no file {path}."
    except (OSError, ValueError) as error:
        return f"{path} cannot be examined: {error}."
    return None


def _program_of_bundle(bundle: Path) -> Path:
    """The program inside a macOS application, by its own description or by being the only one."""
    import plistlib  # of use on a Mac alone, and 4 ms of everybody's first page

    folder = bundle / "Contents" / "MacOS"
    try:
        with (bundle / "Contents" / "Info.plist").open("rb") as file:
            described = plistlib.load(file).get("CFBundleExecutable")
    except (OSError, ValueError, plistlib.InvalidFileException, AttributeError):
        described = None
    if isinstance(described, str):
        return folder / described
    usual = folder / bundle.stem
    programs = [usual] if usual.exists() else sorted(folder.glob("*"))
    return programs[0] if len(programs) == 1 else bundle


def _nothing_found(
    what: str, candidates: Sequence[Candidate], platform: Platform, before: Sequence[str]
) -> LaunchError:
    places = [*before, *(str(path) for candidate in candidates for path in candidate.paths)]
    listed = ", ".join(places[:_NAMED_PLACES])
    more = len(places) - _NAMED_PLACES
    return LaunchError(
        "LAUNCH_FAILED",
        f"{what}; looked at {listed}" + (f" and {more} more places." if more > 0 else "."),
        hint=_installed_hint(platform.browser_candidates(), platform),
        facts={"looked_at": places},
    )


def _installed_hint(candidates: Sequence[Candidate], platform: Platform) -> str:
    here = dict.fromkeys(browser.channel for browser in _installed(candidates, platform))
    if here:
        return f"Installed here: {', '.join(here)}. Choose one with --channel, or leave it out."
    return f"{platform.install_hint}. Or name a browser with --executable-path.".replace("..", ".")
