"""macOS: application bundles for everybody and for one user, and downloads of test tools.

Nothing here resolves links: a bundle started through another path is another application to macOS.
"""

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

_BUNDLES: dict[Channel, str] = {  # the program inside has the name of its bundle
    "stable": "Google Chrome",
    "chromium": "Chromium",
    "chrome-for-testing": "Google Chrome for Testing",
    "edge": "Microsoft Edge",
    "brave": "Brave Browser",
    "beta": "Google Chrome Beta",
    "dev": "Google Chrome Dev",
    "canary": "Google Chrome Canary",
    "edge-beta": "Microsoft Edge Beta",
    "edge-dev": "Microsoft Edge Dev",
    "edge-canary": "Microsoft Edge Canary",
    "brave-beta": "Brave Browser Beta",
    "brave-nightly": "Brave Browser Nightly",
}
_PROFILES: dict[Channel, str] = {
    "stable": "Google/Chrome",
    "chromium": "Chromium",
    "chrome-for-testing": "Google/Chrome for Testing",
    "edge": "Microsoft Edge",
    "brave": "BraveSoftware/Brave-Browser",
    "beta": "Google/Chrome Beta",
    "dev": "Google/Chrome Dev",
    "canary": "Google/Chrome Canary",
    "edge-beta": "Microsoft Edge Beta",
    "edge-dev": "Microsoft Edge Dev",
    "edge-canary": "Microsoft Edge Canary",
    "brave-beta": "BraveSoftware/Brave-Browser-Beta",
    "brave-nightly": "BraveSoftware/Brave-Browser-Nightly",
}


@dataclass(frozen=True, slots=True)
class Mac:
    """A macOS machine."""

    machine: Machine

    @property
    def name(self) -> str:
        """`mac`."""
        return "mac"

    @property
    def install_hint(self) -> str:
        """Homebrew, or the vendor's page."""
        return "Run: brew install --cask google-chrome (or get it from google.com/chrome)"

    def locate(self, native: str) -> Path:
        """Paths are written as they are."""
        return self.machine.locate(native)

    def browser_candidates(self) -> Sequence[Candidate]:
        """Bundles in /Applications, then in the user's own; downloads of test tools."""
        folders = (self.locate("/Applications"), self.machine.in_home("Applications"))
        found: dict[Channel, list[Path]] = {
            channel: [folder / f"{name}.app/Contents/MacOS/{name}" for folder in folders]
            for channel, name in _BUNDLES.items()
        }
        found["chrome-for-testing"] += _downloads(self.machine)
        return candidates(found)

    def default_user_data_dirs(self) -> Sequence[tuple[str, Path]]:
        """All below Application Support."""
        support = self.machine.in_home("Library/Application Support")
        return [(channel, support / name) for channel, name in _PROFILES.items()]

    def needs_no_sandbox(self, browser: Path | None = None) -> str | None:
        """Never: the sandbox of macOS works for root too."""
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
        """A list of arguments, paths as they are."""
        return "posix"


def _downloads(machine: Machine) -> Iterator[Path]:
    puppeteer = machine.variable("PUPPETEER_CACHE_DIR")
    folder = machine.locate(puppeteer) if puppeteer else machine.in_home(".cache/puppeteer")
    inside = "Contents/MacOS"
    tested = f"Google Chrome for Testing.app/{inside}/Google Chrome for Testing"
    yield from newest_first(folder / "chrome", f"mac*/chrome-mac*/{tested}")
    playwright = machine.variable("PLAYWRIGHT_BROWSERS_PATH")
    named = playwright not in ("", "0")  # 0 means: inside the package
    folder = (
        machine.locate(playwright) if named else machine.in_home("Library/Caches/ms-playwright")
    )
    yield from newest_first(folder, f"chromium-*/chrome-mac*/{tested}")
    yield from newest_first(folder, f"chromium-*/chrome-mac*/Chromium.app/{inside}/Chromium")
