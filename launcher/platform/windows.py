"""Windows: the registry's App Paths, the program folders, and downloads of test tools.

All channels of a vendor register the same name (`chrome.exe`), the last installer wins; so an entry
counts for the channel whose folder it names, and for stable only when it names none.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

from launcher.platform.base import (
    ArgumentStyle,
    Candidate,
    Channel,
    Machine,
    candidates,
    newest_first,
)

APP_PATHS = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\App Paths\\"
_FOLDERS: dict[Channel, tuple[str, str]] = {  # vendor's folder, program
    "stable": ("Google\\Chrome", "chrome.exe"),
    "chromium": ("Chromium", "chrome.exe"),
    "chrome-for-testing": ("Google\\Chrome for Testing", "chrome.exe"),
    "edge": ("Microsoft\\Edge", "msedge.exe"),
    "brave": ("BraveSoftware\\Brave-Browser", "brave.exe"),
    "beta": ("Google\\Chrome Beta", "chrome.exe"),
    "dev": ("Google\\Chrome Dev", "chrome.exe"),
    "canary": ("Google\\Chrome SxS", "chrome.exe"),
    "edge-beta": ("Microsoft\\Edge Beta", "msedge.exe"),
    "edge-dev": ("Microsoft\\Edge Dev", "msedge.exe"),
    "edge-canary": ("Microsoft\\Edge SxS", "msedge.exe"),
    "brave-beta": ("BraveSoftware\\Brave-Browser-Beta", "brave.exe"),
    "brave-nightly": ("BraveSoftware\\Brave-Browser-Nightly", "brave.exe"),
}
_MAIN: dict[str, Channel] = {"chrome.exe": "stable", "msedge.exe": "edge", "brave.exe": "brave"}
_PROGRAMS = ("ProgramW6432", "PROGRAMFILES", "PROGRAMFILES(X86)")


def read_registry(key: str) -> str | None:
    """The default value of a key, the user's before the machine's; None elsewhere than Windows."""
    if sys.platform != "win32":
        return None
    import winreg

    for hive in (winreg.HKEY_CURRENT_USER, winreg.HKEY_LOCAL_MACHINE):
        try:
            value = winreg.QueryValue(hive, key)
        except OSError:
            continue
        if value:
            return value.strip('"')
    return None


@dataclass(frozen=True, slots=True)
class Windows:
    """A Windows machine; `local_app_data` names the folders of users that count."""

    machine: Machine
    local_app_data: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """`windows`."""
        return "windows"

    @property
    def install_hint(self) -> str:
        """The package manager of Windows, or the vendor's page."""
        return "Run: winget install Google.Chrome (or get it from google.com/chrome)"

    def locate(self, native: str) -> Path:
        """Paths are written with a drive letter."""
        return self.machine.locate(native)

    def browser_candidates(self) -> Sequence[Candidate]:
        """What the registry says, then the program folders; downloads of test tools."""
        registered = self._registered()
        found: dict[Channel, list[Path]] = {}
        for channel, (folder, program) in _FOLDERS.items():
            usual = [f"{base}\\{folder}\\Application\\{program}" for base in self._bases()]
            found[channel] = [self.locate(p) for p in registered.get(channel, []) + usual]
        found["chrome-for-testing"] += self._downloads()
        return candidates(found)

    def _registered(self) -> dict[Channel, list[str]]:
        found: dict[Channel, list[str]] = {}
        for program, main in _MAIN.items():
            value = self.machine.registry(APP_PATHS + program)
            if value:
                found.setdefault(_channel_of(value, main), []).append(value)
        return found

    def _bases(self) -> list[str]:
        programs = [self.machine.variable(name) for name in _PROGRAMS]
        return [base for base in dict.fromkeys([*programs, *self._local()]) if base]

    def _local(self) -> tuple[str, ...]:
        own = self.machine.variable("LOCALAPPDATA")
        return self.local_app_data or ((own,) if own else ())

    def default_user_data_dirs(self) -> Sequence[tuple[str, Path]]:
        """All below the local application data of the user."""
        return [
            (channel, self.locate(f"{base}\\{folder}\\User Data"))
            for base in self._local()
            for channel, (folder, _) in _FOLDERS.items()
        ]

    def needs_no_sandbox(self, browser: Path | None = None) -> str | None:
        """Never: the sandbox works for administrators too."""
        return None

    def sandbox_problem(self, browser: Path | None = None) -> str | None:
        """None is known."""
        return None

    def scarce_shared_memory(self) -> bool:
        """There is no /dev/shm."""
        return False

    def memory_folder(self) -> Path | None:
        """Nor anything like it."""
        return None

    def has_display(self) -> bool:
        """A session has one."""
        return True

    def process_argument_style(self, browser: Path | None = None) -> ArgumentStyle:
        """One line, Windows paths."""
        return "windows"

    def _downloads(self) -> Iterator[Path]:
        puppeteer = self.machine.variable("PUPPETEER_CACHE_DIR")
        profile = self.machine.variable("USERPROFILE")
        if puppeteer or profile:
            folder = self.locate(puppeteer or f"{profile}\\.cache\\puppeteer")
            yield from newest_first(folder / "chrome", "win*/chrome-win*/chrome.exe")
        playwright = self.machine.variable("PLAYWRIGHT_BROWSERS_PATH")
        named = playwright not in ("", "0")  # 0 means: inside the package
        for base in (playwright,) if named else tuple(f"{b}\\ms-playwright" for b in self._local()):
            yield from newest_first(self.locate(base), "chromium-*/chrome-win*/chrome.exe")


def _channel_of(program: str, main: Channel) -> Channel:
    parts = [part.lower() for part in PureWindowsPath(program).parts]
    for channel, (folder, _) in _FOLDERS.items():
        if folder.rpartition("\\")[2].lower() in parts:
            return channel
    return main
