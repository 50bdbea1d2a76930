"""Linux: packages in /opt and /usr, snaps, flatpaks, downloads, and the sandbox.

The real binary stands before the wrapper of the same browser: a wrapper costs a shell and adds the
distribution's own flags. What a wrapper does for good reasons (a small /dev/shm) is decided in
`flags` instead.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from launcher.platform.base import (
    ArgumentStyle,
    Candidate,
    Channel,
    Machine,
    candidates,
    newest_first,
)

# Real binaries first, then the wrappers and snaps.
_PLACES: dict[Channel, tuple[str, ...]] = {
    "stable": ("/opt/google/chrome/chrome", "/usr/bin/google-chrome-stable"),
    "chromium": (
        "/usr/lib/chromium/chromium",  # Debian, Arch
        "/usr/lib64/chromium-browser/chromium-browser",  # Fedora
        "/usr/lib64/chromium/chromium",  # openSUSE
        "/usr/lib/chromium-browser/chromium-browser",  # Raspberry Pi OS, older Ubuntu
        "/usr/bin/chromium",
        "/snap/bin/chromium",
        "/usr/bin/chromium-browser",
    ),
    "edge": ("/opt/microsoft/msedge/msedge",),
    "brave": ("/opt/brave.com/brave/brave", "/snap/bin/brave"),
    "beta": ("/opt/google/chrome-beta/chrome",),
    "dev": ("/opt/google/chrome-unstable/chrome",),
    "canary": ("/opt/google/chrome-canary/chrome",),
    "edge-beta": ("/opt/microsoft/msedge-beta/msedge",),
    "edge-dev": ("/opt/microsoft/msedge-dev/msedge",),
    "brave-beta": ("/opt/brave.com/brave-beta/brave",),
    "brave-nightly": ("/opt/brave.com/brave-nightly/brave",),
}
_COMMANDS: dict[Channel, tuple[str, ...]] = {
    "stable": ("google-chrome-stable", "google-chrome"),
    "chromium": ("chromium", "chromium-browser", "ungoogled-chromium"),
    "edge": ("microsoft-edge-stable", "microsoft-edge"),
    "brave": ("brave-browser-stable", "brave-browser", "brave"),
    "beta": ("google-chrome-beta",),
    "dev": ("google-chrome-unstable",),
    "canary": ("google-chrome-canary",),
    "edge-beta": ("microsoft-edge-beta",),
    "edge-dev": ("microsoft-edge-dev",),
    "brave-beta": ("brave-browser-beta",),
    "brave-nightly": ("brave-browser-nightly",),
}
_FLATPAKS: dict[Channel, str] = {
    "stable": "com.google.Chrome",
    "chromium": "org.chromium.Chromium",
    "edge": "com.microsoft.Edge",
    "brave": "com.brave.Browser",
    "dev": "com.google.ChromeDev",
}
_PROFILES: dict[Channel, str] = {
    "stable": "google-chrome",
    "chromium": "chromium",
    "chrome-for-testing": "google-chrome-for-testing",
    "edge": "microsoft-edge",
    "brave": "BraveSoftware/Brave-Browser",
    "beta": "google-chrome-beta",
    "dev": "google-chrome-unstable",
    "canary": "google-chrome-canary",
    "edge-beta": "microsoft-edge-beta",
    "edge-dev": "microsoft-edge-dev",
    "brave-beta": "BraveSoftware/Brave-Browser-Beta",
    "brave-nightly": "BraveSoftware/Brave-Browser-Nightly",
}
_INSTALL: dict[str, str] = {  # by ID or ID_LIKE of os-release, the first that matches
    "ubuntu": "snap install chromium",  # its apt package is an empty shell around the snap
    "debian": "apt-get install chromium",
    "fedora": "dnf install chromium",
    "arch": "pacman -S chromium",
    "suse": "zypper install chromium",
    "alpine": "apk add chromium",
}


@dataclass(frozen=True, slots=True)
class Linux:
    """A Linux machine."""

    machine: Machine

    @property
    def name(self) -> str:
        """`linux`."""
        return "linux"

    @property
    def install_hint(self) -> str:
        """The command of this distribution."""
        words = _os_release(self.machine)
        command = next((_INSTALL[word] for word in words if word in _INSTALL), "")
        if not command:
            return "Install Chromium with this system's package manager."
        return f"Run: {'' if self.machine.user_id == 0 else 'sudo '}{command}"

    def locate(self, native: str) -> Path:
        """Paths are written as they are."""
        return self.machine.locate(native)

    def browser_candidates(self) -> Sequence[Candidate]:
        """Packages, then what PATH offers, then flatpaks; downloads of test tools."""
        found: dict[Channel, list[Path]] = {
            channel: [self.locate(place) for place in places] for channel, places in _PLACES.items()
        }
        for channel, commands in _COMMANDS.items():
            found[channel] += self._on_path(commands)
        for channel, application in _FLATPAKS.items():
            found[channel] += self._flatpaks(application)
        found["chrome-for-testing"] = list(_downloads(self.machine))
        return candidates(found)

    def _on_path(self, commands: Sequence[str]) -> Iterator[Path]:
        folders = [f for f in self.machine.variable("PATH").split(":") if f.startswith("/")]
        for command in commands:
            for folder in folders:
                path = self.locate(folder) / command
                if os.path.lexists(path):  # absent ones would only lengthen the list of places
                    yield path

    def _flatpaks(self, application: str) -> Iterator[Path]:
        yield self.locate("/var/lib/flatpak/exports/bin") / application
        yield self.machine.in_home(".local/share/flatpak/exports/bin") / application

    def default_user_data_dirs(self) -> Sequence[tuple[str, Path]]:
        """Packages use the configuration folder; snaps and flatpaks have their own."""
        configured = self.machine.variable("CHROME_CONFIG_HOME") or self.machine.variable(
            "XDG_CONFIG_HOME"
        )
        config = self.locate(configured) if configured else self.machine.in_home(".config")
        roots: list[tuple[str, Path]] = [(c, config / name) for c, name in _PROFILES.items()]
        roots.append(("chromium", self.machine.in_home("snap/chromium/common/chromium")))
        # That of Brave keeps its profile with the version of the package, whose link is `current`.
        moving = self.machine.in_home("snap/brave/current/.config")
        roots.append(("brave", moving / _PROFILES["brave"]))
        for channel, application in _FLATPAKS.items():
            box = self.machine.in_home(f".var/app/{application}/config")
            roots.append((channel, box / _PROFILES[channel]))
        return roots

    def needs_no_sandbox(self, browser: Path | None = None) -> str | None:
        """Chrome exits at once when root starts it with the sandbox on."""
        if self.machine.user_id == 0:
            return "running as root, where Chrome refuses to start with its sandbox"
        return None

    def sandbox_problem(self, browser: Path | None = None) -> str | None:
        """Neither user namespaces nor the setuid helper; only reported, never acted upon.

        What a container's system-call filter forbids cannot be seen from here.
        """
        closed = _closed_namespaces(self.machine)
        if closed is None or self.machine.user_id == 0 or self._has_setuid_helper(browser):
            return None
        return f"Chrome's sandbox has no way to work here: {closed}, and no setuid chrome-sandbox."

    def _has_setuid_helper(self, browser: Path | None) -> bool:
        named = self.machine.variable("CHROME_DEVEL_SANDBOX")
        helpers = [self.locate(named)] if named else []
        if browser is not None:
            helpers += [browser.parent / "chrome-sandbox", browser.parent / "chrome_sandbox"]
        return any(_is_setuid(helper) for helper in helpers)

    def scarce_shared_memory(self) -> bool:
        """Containers start with 64 MB."""
        return self.machine.shared_memory_is_scarce()

    def memory_folder(self) -> Path | None:
        """/dev/shm, where it is large."""
        return self.machine.roomy_memory()

    def has_display(self) -> bool:
        """Only with X11 or Wayland."""
        return self.machine.has_display()

    def process_argument_style(self, browser: Path | None = None) -> ArgumentStyle:
        """A list of arguments, paths as they are."""
        return "posix"


def _downloads(machine: Machine) -> Iterator[Path]:
    puppeteer = machine.variable("PUPPETEER_CACHE_DIR")
    folder = machine.locate(puppeteer) if puppeteer else machine.in_home(".cache/puppeteer")
    yield from newest_first(folder / "chrome", "linux*/chrome-linux*/chrome")
    playwright = machine.variable("PLAYWRIGHT_BROWSERS_PATH")
    named = playwright not in ("", "0")  # 0 means: inside the package
    folder = machine.locate(playwright) if named else machine.in_home(".cache/ms-playwright")
    yield from newest_first(folder, "chromium-*/chrome-linux*/chrome")


def _os_release(machine: Machine) -> list[str]:
    words: dict[str, list[str]] = {}
    for line in machine.text_of("/etc/os-release").splitlines():
        key, _, value = line.partition("=")
        words[key] = value.strip("\"'").split()
    return words.get("ID", []) + words.get("ID_LIKE", [])


def _closed_namespaces(machine: Machine) -> str | None:
    if machine.text_of("/proc/sys/user/max_user_namespaces") == "0":
        return "user namespaces are switched off (user.max_user_namespaces is 0)"
    if machine.text_of("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "only root may make user namespaces (kernel.unprivileged_userns_clone is 0)"
    if machine.text_of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return "AppArmor allows user namespaces only to programs that have a profile"
    return None


def _is_setuid(path: Path) -> bool:
    try:
        status = path.stat()
    except OSError:
        return False
    return bool(status.st_mode & 0o4000) and status.st_uid == 0
