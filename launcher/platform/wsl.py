"""WSL: a Linux with a Windows beside it; two ways to write every path.

A Linux browser comes first: it shares loopback, signals and files with us. A Windows one is found
below the mounted drives and wants Windows paths on its command line; the registry is out of reach.
The two conversions are pure and know only forms that both sides can open.
"""

import configparser
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from bridge.errors import UsageError
from launcher.platform.base import ArgumentStyle, Candidate, Machine
from launcher.platform.linux import Linux
from launcher.platform.windows import Windows

_NOT_IN_WINDOWS_NAMES = re.compile(r'[\x00-\x1f<>:"|?*\\]|[. ]$')
_NOBODYS_HOMES = {"public", "default", "default user", "all users"}
_UNC = re.compile(r"[\\/]{2}(?:wsl\.localhost|wsl\$)[\\/]+([^\\/]+)(.*)", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"(?:[\\/]{2}\?[\\/])?([A-Za-z]):[\\/](.*)", re.DOTALL)


def to_windows_path(path: str, *, distribution: str, mount: str = "/mnt/") -> str:
    """`/mnt/c/x` as `C:\\x`, any other absolute path as `\\\\wsl.localhost\\<distribution>\\…`."""
    parts = PurePosixPath(path).parts
    if not parts or parts[0] not in ("/", "//") or ".." in parts:
        raise _refuse(path, "only an absolute path without '..' can be passed to Windows")
    if any(_NOT_IN_WINDOWS_NAMES.search(part) for part in parts[1:]):
        raise _refuse(path, "it contains a character that a Windows name cannot have there")
    below = PurePosixPath("/", *parts[1:])
    root = PurePosixPath(mount)
    if below.is_relative_to(root):
        drive, *rest = below.relative_to(root).parts or ("",)
        if re.fullmatch(r"[A-Za-z]", drive):
            return f"{drive.upper()}:\\" + "\\".join(rest)
    return "\\".join([f"\\\\wsl.localhost\\{distribution}", *below.parts[1:]])


def to_wsl_path(path: str, *, distribution: str, mount: str = "/mnt/") -> str:
    """`C:\\x` as `/mnt/c/x`, `\\\\wsl.localhost\\<distribution>\\x` as `/x`."""
    share = _UNC.fullmatch(path)
    if share is not None:
        if share[1].lower() != distribution.lower():
            raise _refuse(path, f"it belongs to the distribution {share[1]}, not {distribution}")
        return _joined("/", share[2], path)
    drive = _DRIVE.fullmatch(path)
    if drive is None:
        raise _refuse(path, "only a path with a drive, or inside this distribution, is seen here")
    return _joined(f"{mount.rstrip('/')}/{drive[1].lower()}", drive[2], path)


def _joined(root: str, rest: str, original: str) -> str:
    parts = [part for part in re.split(r"[\\/]+", rest) if part not in ("", ".")]
    if ".." in parts:
        raise _refuse(original, "a path with '..' means different places on the two sides")
    return str(PurePosixPath(root, *parts))


def _refuse(path: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"The path {path!r} cannot be shared between Linux and Windows: {why}",
        hint="Use a folder below /mnt/c or in the home of this distribution.",
    )


@dataclass(frozen=True, slots=True)
class _WindowsSide(Windows):
    """The Windows beside us, seen through the mounted drives."""

    mount: str = "/mnt/"

    def locate(self, native: str) -> Path:
        """Drives are folders here; Windows writes either slash."""
        return self.machine.locate(to_wsl_path(native, distribution="", mount=self.mount))


@dataclass(frozen=True, slots=True)
class Wsl:
    """A Linux under Windows."""

    machine: Machine

    @property
    def name(self) -> str:
        """`wsl`."""
        return "wsl"

    @property
    def install_hint(self) -> str:
        """As on any Linux."""
        return self._linux.install_hint

    @property
    def distribution(self) -> str:
        """Its name, as Windows writes it in network paths."""
        return self.machine.variable("WSL_DISTRO_NAME") or "Ubuntu"

    @property
    def mount(self) -> str:
        """Where the drives are, `/mnt/` unless wsl.conf says otherwise."""
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(self.machine.text_of("/etc/wsl.conf"))
            configured = parser.get("automount", "root", fallback="/mnt/").strip().strip('"')
        except configparser.Error:
            return "/mnt/"
        return configured.rstrip("/") + "/"

    @property
    def _linux(self) -> Linux:
        return Linux(self.machine)

    @property
    def _windows(self) -> _WindowsSide:
        users = self.machine.locate(f"{self.mount}c/Users")
        try:
            names = sorted(entry.name for entry in users.iterdir() if entry.is_dir())
        except OSError:
            names = []
        local = [rf"C:\Users\{n}\AppData\Local" for n in names if n.lower() not in _NOBODYS_HOMES]
        outside = replace(self.machine, environment=_WINDOWS_FOLDERS, registry=lambda key: None)
        return _WindowsSide(outside, tuple(local), self.mount)

    def locate(self, native: str) -> Path:
        """Paths are written as on Linux."""
        return self.machine.locate(native)

    def browser_candidates(self) -> Sequence[Candidate]:
        """Every Linux browser, then every Windows one."""
        return [*self._linux.browser_candidates(), *self._windows.browser_candidates()]

    def default_user_data_dirs(self) -> Sequence[tuple[str, Path]]:
        """Those of both sides."""
        return [*self._linux.default_user_data_dirs(), *self._windows.default_user_data_dirs()]

    def needs_no_sandbox(self, browser: Path | None = None) -> str | None:
        """As on Linux; a Windows browser does not care who we are here."""
        if self.process_argument_style(browser) == "windows":
            return None
        return self._linux.needs_no_sandbox(browser)

    def sandbox_problem(self, browser: Path | None = None) -> str | None:
        """As on Linux, for a Linux browser."""
        if self.process_argument_style(browser) == "windows":
            return None
        return self._linux.sandbox_problem(browser)

    def scarce_shared_memory(self) -> bool:
        """As on Linux."""
        return self._linux.scarce_shared_memory()

    def memory_folder(self) -> Path | None:
        """None: a browser of Windows would not get there."""
        return None

    def has_display(self) -> bool:
        """As Linux says; what Windows shows does not depend on it."""
        return self._linux.has_display()

    def process_argument_style(self, browser: Path | None = None) -> ArgumentStyle:
        """A program of Windows wants the paths of Windows."""
        windows = browser is not None and browser.suffix.lower() == ".exe"
        return "windows" if windows else "posix"


_WINDOWS_FOLDERS: Mapping[str, str] = {
    "PROGRAMFILES": str(PureWindowsPath("C:/Program Files")),
    "PROGRAMFILES(X86)": str(PureWindowsPath("C:/Program Files (x86)")),
}
