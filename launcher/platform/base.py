"""What every operating system has to answer, and the machine it may look at to answer it.

`Machine` carries everything that is looked at: the environment, the user, the folder that stands
for the root of the file system. A platform never reads a global, so each one is tested on any other
with a tree of empty files. Places are written in the platform's own notation and become a `Path`
only in `Machine.locate`.
"""

import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Literal, Protocol, get_args

Channel = Literal[
    "stable",
    "chromium",
    "chrome-for-testing",
    "edge",
    "brave",
    "beta",
    "dev",
    "canary",
    "edge-beta",
    "edge-dev",
    "edge-canary",
    "brave-beta",
    "brave-nightly",
]
CHANNELS: tuple[Channel, ...] = get_args(Channel)  # in the order of preference without a wish

NAMES: dict[Channel, str] = {
    "stable": "Google Chrome",
    "chromium": "Chromium",
    "chrome-for-testing": "Chrome for Testing",
    "edge": "Microsoft Edge",
    "brave": "Brave",
    "beta": "Google Chrome Beta",
    "dev": "Google Chrome Dev",
    "canary": "Google Chrome Canary",
    "edge-beta": "Microsoft Edge Beta",
    "edge-dev": "Microsoft Edge Dev",
    "edge-canary": "Microsoft Edge Canary",
    "brave-beta": "Brave Beta",
    "brave-nightly": "Brave Nightly",
}

ArgumentStyle = Literal["posix", "windows"]
_ROOM_FOR_A_PROFILE = 2 * 1024 * 1024 * 1024  # one with its cache has a few hundred MB at most
_ENOUGH_SHARED_MEMORY = 512 * 1024 * 1024  # containers start with 64 MB, desktops with half the RAM


@dataclass(frozen=True, slots=True)
class Candidate:
    """A browser that may be installed, and the places where it would be, best first."""

    channel: Channel
    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        """What people call it."""
        return NAMES[self.channel]


class Platform(Protocol):
    """One operating system, as far as finding and starting a browser is concerned."""

    @property
    def name(self) -> str:
        """`linux`, `mac`, `windows` or `wsl`."""

    @property
    def install_hint(self) -> str:
        """One sentence: how to get a browser here."""

    def locate(self, native: str) -> Path:
        """The path of a place written in this platform's notation."""

    def browser_candidates(self) -> Sequence[Candidate]:
        """Every browser that could be here, the preferred first."""

    def default_user_data_dirs(self) -> Sequence[tuple[str, Path]]:
        """Where each channel keeps the user's own profiles, whether or not they exist."""

    def needs_no_sandbox(self, browser: Path | None = None) -> str | None:
        """Why the sandbox must be off for the browser to start at all; None when it need not."""

    def sandbox_problem(self, browser: Path | None = None) -> str | None:
        """Why the sandbox will probably not work here, in one sentence for the user."""

    def scarce_shared_memory(self) -> bool:
        """Whether /dev/shm is too small for a browser, as in a container."""

    def memory_folder(self) -> Path | None:
        """Where files lie in memory, with room for a profile; None where there is no such place."""

    def has_display(self) -> bool:
        """Whether a window could be shown in this session."""

    def process_argument_style(self, browser: Path | None = None) -> ArgumentStyle:
        """`windows` when paths on the browser's command line must be Windows paths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What may be looked at: environment, user, and the folder that stands for the root."""

    environment: Mapping[str, str] = field(repr=False)  # it may hold secrets
    home: str
    user_id: int | None = None  # None where there is no such thing
    root: Path | None = None  # None: the real one
    release: str = ""
    registry: Callable[[str], str | None] = lambda key: None  # default value of a registry key
    free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free

    def locate(self, native: str) -> Path:
        """The path of a place written like `/opt/x` or `C:\\x`."""
        if self.root is None:
            return Path(native)
        if re.match(r"[A-Za-z]:[\\/]", native):
            windows = PureWindowsPath(native)
            return self.root.joinpath(windows.drive[0].upper(), *windows.parts[1:])
        return self.root / native.lstrip("/")

    def in_home(self, rest: str) -> Path:
        """A place below the user's home."""
        return self.locate(self.home) / rest

    def variable(self, name: str) -> str:
        """An environment variable, empty when unset; Windows does not mind the case of its name."""
        if name in self.environment:
            return self.environment[name]
        wanted = name.upper()
        return next((v for k, v in self.environment.items() if k.upper() == wanted), "")

    def has_display(self) -> bool:
        """Whether X11 or Wayland is within reach."""
        return bool(self.variable("DISPLAY") or self.variable("WAYLAND_DISPLAY"))

    def text_of(self, native: str) -> str:
        """A small system file's text, empty when it cannot be read."""
        try:
            return self.locate(native).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def shared_memory_is_scarce(self) -> bool:
        """Whether /dev/shm exists and is small."""
        try:
            return self.free_bytes(self.locate("/dev/shm")) < _ENOUGH_SHARED_MEMORY
        except OSError:
            return False

    def roomy_memory(self) -> Path | None:
        """The folder whose files lie in memory, if a profile fits in."""
        place = self.locate("/dev/shm")
        try:
            return place if self.free_bytes(place) >= _ROOM_FOR_A_PROFILE else None
        except OSError:
            return None


def this_machine() -> Machine:
    """The machine this process runs on."""
    from launcher.platform.windows import read_registry  # it needs the types of this module

    return Machine(
        environment=dict(os.environ),
        home=str(Path.home()),
        user_id=_user_id(),
        release=platform.release(),
        registry=read_registry,
    )


def _user_id() -> int | None:
    if sys.platform == "win32":
        return None
    return os.geteuid()


def candidates(found: Mapping[Channel, Iterable[Path]]) -> tuple[Candidate, ...]:
    """The table in order of preference, without repeated places and without empty rows."""
    rows = ((channel, tuple(dict.fromkeys(found.get(channel, ())))) for channel in CHANNELS)
    return tuple(Candidate(channel, paths) for channel, paths in rows if paths)


def newest_first(folder: Path, pattern: str) -> tuple[Path, ...]:
    """What matches in a folder of versions, the highest version first."""
    try:
        found = list(folder.glob(pattern))
    except OSError:
        return ()
    return tuple(sorted(found, key=lambda path: _version(path, folder), reverse=True))


def _version(path: Path, folder: Path) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", path.relative_to(folder).parts[0]))


def is_wsl(machine: Machine) -> bool:
    """Whether this Linux runs beside a Windows."""
    return "microsoft" in machine.release.lower() or bool(machine.variable("WSL_DISTRO_NAME"))
