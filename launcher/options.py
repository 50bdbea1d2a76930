"""What a caller may ask of the launcher: the fields are the command line's flags as well."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated

from platformdirs import user_data_path

SIZE = (1280, 720)  # of a page without a window; what clients expect, and models have seen


def default_data_dir() -> Path:
    """Where everything of ours lives."""
    return user_data_path("chrome-bridge", appauthor=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """Which browser, which profile, and how; the defaults suit a person's second profile."""

    headless: Annotated[
        bool | None,
        "Without a window. Left open: as the profile runs already, else with one, given a display.",
    ] = None
    isolated: Annotated[
        bool, "A fresh profile that is removed at the end; in memory, where there is room."
    ] = False
    profile: Annotated[str, "Name of a profile in the data folder."] = "default"
    user_data_dir: Annotated[Path | None, "A profile folder of your own choice."] = None
    data_dir: Annotated[Path, "Where profiles and everything else of ours live."] = field(
        default_factory=default_data_dir
    )
    executable: Annotated[Path | None, "The browser to start."] = None
    channel: Annotated[
        str | None, "The kind of browser to start: stable, beta, chromium, edge, brave, …"
    ] = None
    cdp_endpoint: Annotated[
        str | None, "Use the browser that listens at this http:// or ws:// address."
    ] = None
    auto_connect: Annotated[
        bool, "Use your own Chrome, after you allowed it in chrome://inspect."
    ] = False
    port: Annotated[int, "A fixed debugging port; 0 lets the browser choose a free one."] = 0
    window_size: Annotated[tuple[int, int] | None, "Width and height of the window, 1280x720."] = (
        None
    )
    extensions: Annotated[tuple[Path, ...], "An unpacked extension to load; repeatable."] = ()
    chrome_args: Annotated[tuple[str, ...], "A further switch for the browser; repeatable."] = ()
    keep_open: Annotated[
        bool | None, "Leave the browser open at the end. Left open: a window stays, headless goes."
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FencedOptions(LaunchOptions):
    """The same with what a policy adds to a browser we launch; nobody types these."""

    proxy_server: str | None = None  # everything goes through it, loopback addresses too


def fence(options: LaunchOptions, *, proxy_server: str | None = None) -> FencedOptions:
    """Options for a browser that reaches the network only as a policy allows.

    WebRTC goes around nothing there, and nothing is looked up or connected to ahead of a request.
    """
    given = {each.name: getattr(options, each.name) for each in fields(LaunchOptions)}
    return FencedOptions(**given, proxy_server=proxy_server)


def sized(options: LaunchOptions) -> LaunchOptions:
    """The same, with a size for pages without a window where none was named."""
    if not options.headless:
        return options
    return replace(options, window_size=options.window_size or SIZE)
