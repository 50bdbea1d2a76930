"""What a caller may ask of the launcher."""

from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path


def default_data_dir() -> Path:
    """Where everything of ours lives."""
    return user_data_path("chrome-bridge", appauthor=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """Which browser, which profile, and how; the defaults suit a person's second profile."""

    headless: bool | None = None  # None: as it runs already, else with a window
    isolated: bool = False  # a fresh profile, removed at the end
    profile: str = "default"  # name of a profile in the data folder
    user_data_dir: Path | None = None  # a profile folder of the caller's own
    data_dir: Path = field(default_factory=default_data_dir)
    executable: Path | None = None
    channel: str | None = None
    cdp_endpoint: str | None = None  # http(s):// or ws:// of a browser somebody else runs
    auto_connect: bool = False  # the user's own Chrome, remote debugging switched on in it
    port: int = 0  # 0: Chrome picks a free one
    window_size: tuple[int, int] | None = None
    extensions: tuple[Path, ...] = ()
    chrome_args: tuple[str, ...] = ()
    keep_open: bool | None = None  # None: a window stays, a headless browser goes
