"""Starts a browser: the command line, the descriptors, the watchdog, and the wait for readiness."""

import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import trio

from bridge import log
from bridge.errors import LaunchError
from bridge.timeouts import Timeouts
from launcher import memory, record
from launcher import platform as platforms
from launcher.chrome_args import name_of
from launcher.errand import Errand, start_watchdog
from launcher.find import Browser, find_browser
from launcher.flags import FlagRequest, build_flags, loads_extensions_by_flag
from launcher.hosts import place_hosts
from launcher.job import Job
from launcher.options import FencedOptions, LaunchOptions, sized
from launcher.preferences import RESTRICTED, set_preferences
from launcher.profile import is_adopted, unusable
from launcher.reaper import evict, find_unrecorded

_log = log.get("launcher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A browser that is up (port), or about to answer (pipe)."""

    url: str
    pipe: tuple[int, int] | None
    pid: int
    headless: bool
    executable: str
    errand: Errand
    extensions: tuple[Path, ...] = ()  # still to be loaded, over CDP


async def start(
    options: LaunchOptions, profile: Path, timeouts: Timeouts, begun: list[Errand]
) -> Started:
    """Launch on this profile; when it fails, nothing of it is left but what `begun` has to tell."""
    options, platform = _anchored(options), platforms.current()
    if options.headless is None and not _could_show(options, platform):
        _log.info("there is no display, so the browser starts without a window")
        options = sized(replace(options, headless=True))
    browser = find_browser(
        executable=options.executable,
        channel=options.channel,
        platform=platform,
        environment=os.environ,
    )
    check_port(options.port)
    headless = bool(options.headless)
    ours, theirs = _pipes() if options.isolated else ((), ())
    try:
        argv = _arrange(options, profile, browser, platform, pipe=bool(ours))
        errand = await start_watchdog(_job(options, profile, argv, theirs, timeouts))
        begun.append(errand)
    except BaseException:
        _close(ours)
        memory.clear(str(profile))
        raise
    finally:
        _close(theirs)
    try:
        started = await _ready(errand, ours, headless, browser)
    except BaseException:
        _close(ours)
        with trio.move_on_after(timeouts.farewell, shield=True):
            await _undo(errand, argv, profile, timeouts)
        raise
    over_cdp = () if loads_extensions_by_flag(browser) else options.extensions
    return replace(started, extensions=over_cdp)


def _anchored(options: LaunchOptions) -> LaunchOptions:
    """With whole paths: the browser starts in another folder than we did."""
    program = options.executable and options.executable.absolute()
    extensions = tuple(Path(each).absolute() for each in options.extensions)
    return replace(options, executable=program, extensions=extensions)


def _arrange(
    options: LaunchOptions,
    profile: Path,
    browser: Browser,
    platform: platforms.Platform,
    *,
    pipe: bool,
) -> list[str]:
    """Prepare the profile; the command line for it."""
    in_memory = lodged(options, profile, browser, platform)
    _furnish(options, profile)
    request = _request(options, profile, browser, platform, pipe=pipe)
    return [str(browser.path), *build_flags(replace(request, in_memory=in_memory))]


def lodged(
    options: LaunchOptions, profile: Path, browser: Browser, platform: platforms.Platform
) -> bool:
    """Have the files of a throwaway profile in memory; a snap or a flatpak does not get there."""
    place = platform.memory_folder() if options.isolated and not browser.note else None
    return place is not None and memory.lodge(str(profile), str(place))


def _furnish(options: LaunchOptions, profile: Path) -> None:
    try:
        if isinstance(options, FencedOptions):
            set_preferences(profile, RESTRICTED, named=_named(options.chrome_args))
    except OSError as error:
        raise unusable(profile, error) from error
    try:
        place_hosts(options.data_dir, profile)
    except OSError as error:  # only an extension misses them
        _log.warning("the native-messaging hosts were not put into the profile: %s", error)


def _named(switches: Iterable[str]) -> str:
    """Which of the profiles in the folder is to be opened; empty if that is left to Chrome."""
    names = [s.partition("=")[2] for s in switches if name_of(s) == "profile-directory"]
    return names[-1] if names else ""


async def _undo(errand: Errand, argv: list[str], profile: Path, timeouts: Timeouts) -> None:
    try:
        await errand.cancel()
        left = record.read(profile) or record.read_dead(profile) or find_unrecorded(argv)
        if left is not None and not left.watched:  # its watchdog was killed
            await evict(profile, left, politely=False, timeouts=timeouts)
    finally:
        await errand.aclose()


async def _ready(
    errand: Errand, pipe: tuple[int, ...], headless: bool, browser: Browser
) -> Started:
    begun = await errand.until("started")
    pid = begun.get("pid")
    url = "" if pipe else str((await errand.until("listening"))["url"])
    if url and urlsplit(url).hostname != "127.0.0.1":
        raise LaunchError(
            "LAUNCH_FAILED",
            f"the debugging port was taken by another program, so the browser listens at {url}",
            hint="Leave --port out: the browser picks a free one.",
        )
    return Started(
        url=url,
        pipe=(pipe[0], pipe[1]) if pipe else None,
        pid=pid if isinstance(pid, int) else 0,
        headless=headless,
        executable=str(browser.path),
        errand=errand,
    )


def _could_show(options: LaunchOptions, platform: platforms.Platform) -> bool:
    """Whether a window could appear; somebody may have chosen what draws it by hand."""
    chosen = any(arg.startswith("--ozone-platform") for arg in options.chrome_args)
    return chosen or platform.has_display()


def _request(
    options: LaunchOptions,
    profile: Path,
    browser: Browser,
    platform: platforms.Platform,
    *,
    pipe: bool,
) -> FlagRequest:
    if browser.note:
        _log.warning("%s: %s", browser.name, browser.note)
    root = platform.needs_no_sandbox(browser.path)
    if root is not None:
        _log.warning("the browser's sandbox is off: %s", root)
    fence = options if isinstance(options, FencedOptions) else None
    return FlagRequest(
        profile=profile,
        headless=bool(options.headless),
        pipe=pipe,
        port=options.port,
        no_sandbox=root is not None,
        throwaway=options.isolated,
        system_keyring=is_adopted(profile),
        scarce_shared_memory=platform.scarce_shared_memory(),
        window_size=options.window_size,
        extensions=options.extensions,
        extensions_over_cdp=not loads_extensions_by_flag(browser),
        extra=options.chrome_args,
        proxy_server=fence.proxy_server if fence else None,
        fenced=fence is not None,
    )


def _job(
    options: LaunchOptions,
    profile: Path,
    argv: list[str],
    pipes: tuple[int, ...],
    timeouts: Timeouts,
) -> Job:
    headless = bool(options.headless)
    keep = not headless if options.keep_open is None else options.keep_open
    return Job(
        argv=argv,
        profile=str(profile),
        headless=headless,
        pipes=list(pipes),
        keep_open=keep and not options.isolated,
        remove_profile=options.isolated,
        close=timeouts.close,
        terminate=timeouts.terminate,
    )


def check_port(port: int) -> None:
    """A fixed port has to be free: Chrome would quietly listen on [::1] instead."""
    if port == 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise LaunchError(
                "LAUNCH_FAILED",
                f"the debugging port {port} cannot be used: {error}",
                hint="Choose another --port, or leave it out: the browser picks a free one.",
                facts={"port": port},
            ) from error


def _pipes() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Our ends (read, write) and Chrome's (its 3 to read, its 4 to write)."""
    if os.name != "posix":
        return (), ()  # a port there: descriptors 3 and 4 do not exist
    opened: list[int] = []
    try:
        for _ in range(2):
            opened += os.pipe()
    except OSError as error:
        _close(tuple(opened))
        raise LaunchError(
            "LAUNCH_FAILED",
            f"no pipe to the browser could be made: {error.strerror}",
            hint="End what keeps files open here, or allow more of them (ulimit -n).",
        ) from error
    their_read, our_write, our_read, their_write = opened
    return (our_read, our_write), (their_read, their_write)


def _close(fds: tuple[int, ...]) -> None:
    for fd in fds:
        os.close(fd)
