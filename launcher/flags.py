"""The switches Chrome is started with, each with its reason.

They are chosen for quiet and for pages that keep working in the background, not for speed: beside
a list without any care the endpoint came after 0.96 of the time, which is noise (11 interleaved
starts of Chromium 156). What touches a profile that a person logged into is treated with care: a
switch that changes how cookies are encrypted must be the same in every run of a profile, headless
or not, or the logins are gone. What protects a person (Safe Browsing lists, revoked certificates)
is only switched off where no person looks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from bridge.errors import UsageError
from launcher.chrome_args import PROXY, WEBRTC, check_extra, merge
from launcher.find import Browser


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRequest:
    """What a launch needs of the command line."""

    profile: PurePath  # for a Windows browser under WSL a Windows path
    headless: bool = True
    pipe: bool = False
    port: int = 0  # a fixed one that is taken makes Chrome listen on [::1] instead, silently
    no_sandbox: bool = False
    throwaway: bool = False  # the profile is deleted afterwards, nobody ever logs in
    in_memory: bool = False  # the files of such a profile are not on a disk
    system_keyring: bool = False  # the profile was filled by another program, with the keyring
    scarce_shared_memory: bool = False
    window_size: tuple[int, int] | None = None  # None: Chrome's own
    extensions: tuple[PurePath, ...] = ()
    extensions_over_cdp: bool = False  # load them with Extensions.loadUnpacked after the start
    proxy_server: str | None = None
    proxy_bypass: tuple[str, ...] = ("<-loopback>",)  # even loopback goes through the proxy
    fenced: bool = False  # the policy restricts hosts
    extra: tuple[str, ...] = ()
    start_url: str | None = "about:blank"
    no_startup_window: bool = False


Condition = Callable[[FlagRequest], bool]


@dataclass(frozen=True, slots=True)
class Flag:
    """One switch, why it is there, and when; `{…}` in it are computed from the request."""

    switch: str
    reason: str
    only: str = ""  # for people: the condition in words
    when: Condition = lambda request: True


def _headless(switch: str, reason: str) -> Flag:
    return Flag(switch, reason, "headless", lambda request: request.headless)


FLAGS: tuple[Flag, ...] = (
    _headless("--headless=new", "The real browser without a window; the old mode was another one."),
    Flag(
        "--remote-debugging-pipe",
        "Commands over inherited descriptors: no open port, and Chrome leaves when we do.",
        "exclusive profile",
        lambda request: request.pipe,
    ),
    Flag(
        "--remote-debugging-port={port}",
        "Commands over loopback, so that further programs can attach; 0 lets Chrome choose.",
        "shared profile",
        lambda request: not request.pipe,
    ),
    Flag("--user-data-dir={profile}", "Never the user's own profile: Chrome 136+ refuses that."),
    Flag(
        "--no-sandbox",
        "Chrome does not start as root with its sandbox on.",
        "asked for, or running as root",
        lambda request: request.no_sandbox,
    ),
    Flag("--no-first-run", "No welcome page in place of the first tab."),
    Flag("--no-default-browser-check", "No question whether to become the default browser."),
    Flag("--disable-search-engine-choice-screen", "No question which search engine to use."),
    Flag("--hide-crash-restore-bubble", "No 'Restore pages?' over the page after a killed run."),
    Flag("--disable-breakpad", "No crash reports are sent; they could hold pieces of pages."),
    Flag("--disable-domain-reliability", "No reports about failed requests are sent to Google."),
    Flag(
        "--disable-features={disabled_features}",
        "No translation bar over the page, no search for casting devices in the local network, no "
        "page hints fetched from Google; headless, no time fetched from Google either, no pages "
        "for suggestions under an address bar that nobody sees (half of the processor time of a "
        "start), and no page held back after a click until it is painted, which nobody watches; "
        "for unpacked extensions, the feature that would ignore them; where the policy restricts "
        "hosts, the reports Chrome sends to wherever a page says, by nobody's request.",
    ),
    Flag(
        "--disable-blink-features=BackgroundFetch,FetchLaterAPI",
        "What Chrome fetches when the page is gone, no gate of a session would see.",
        "the policy restricts hosts",
        lambda request: request.fenced,
    ),
    Flag("--disable-renderer-backgrounding", "A tab in the background works at full speed."),
    Flag("--disable-backgrounding-occluded-windows", "A covered window keeps painting."),
    Flag("--disable-background-timer-throttling", "Timers of a background page keep their pace."),
    Flag("--disable-hang-monitor", "No 'Page unresponsive' while a page is paused by us."),
    Flag("--disable-prompt-on-repost", "Reloading a form's answer does not stop at a question."),
    Flag(
        "--password-store=basic",
        "Linux: cookies are encrypted without the desktop's keyring, which a run without a desktop "
        "cannot open. In every run of the profile alike: changing it loses all logins.",
        "unless the profile was filled with the system's keyring",
        lambda request: not request.system_keyring,
    ),
    Flag(
        "--use-mock-keychain",
        "macOS: the same, and no question for the keychain's password.",
        "unless the profile was filled with the system's keyring",
        lambda request: not request.system_keyring,
    ),
    Flag(
        "--disable-sync",
        "Nothing to synchronise in a profile that is deleted. Never elsewhere: a person who "
        "switched it on would find it off.",
        "throwaway profile",
        lambda request: request.throwaway,
    ),
    Flag(
        "--disk-cache-size=104857600",
        "A cache that lies in memory stays below 100 MB.",
        "throwaway profile in memory",
        lambda request: request.in_memory,
    ),
    _headless(
        "--disable-background-networking",
        "No updates of extensions and lists in the background. With a window they stay: a person "
        "who types a password there needs the current Safe Browsing lists. Chromium 156 still "
        "asks for a spelling dictionary, one component and the accounts; only a proxy stops that.",
    ),
    _headless(
        "--disable-component-update",
        "No downloads of components. With a window they stay: revoked certificates, protected "
        "video.",
    ),
    _headless("--disable-default-apps", "No web apps installed into a new profile."),
    _headless("--hide-scrollbars", "Screenshots without scroll bars."),
    _headless(
        "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,"
        "availablePointerTypes=4",
        "Pages are told of the mouse that we play (hover: hover, pointer: fine): without a screen "
        "Chrome finds none, and they leave out what shows where a mouse rests.",
    ),
    _headless("--mute-audio", "Nobody sees which page is making the noise."),
    Flag(
        "--disable-dev-shm-usage",
        "Shared memory goes to the temporary folder; a full /dev/shm crashes pages.",
        "/dev/shm is small, as in containers",
        lambda request: request.scarce_shared_memory,
    ),
    Flag(
        "--window-size={window_size}",
        "The size asked for.",
        "asked for",
        lambda request: request.window_size is not None,
    ),
    Flag(
        "--load-extension={extensions}",
        "Loads unpacked extensions.",
        "unpacked extensions, unbranded build",
        lambda request: bool(request.extensions) and not request.extensions_over_cdp,
    ),
    Flag(
        "--enable-unsafe-extension-debugging",
        "Lets Extensions.loadUnpacked work in builds that want it confirmed.",
        "unpacked extensions, branded build",
        lambda request: bool(request.extensions) and request.extensions_over_cdp,
    ),
    Flag(
        "--proxy-server={proxy_server}",
        "Every request passes the proxy that knows what may be reached.",
        "a proxy is set",
        lambda request: request.proxy_server is not None,
    ),
    Flag(
        "--proxy-bypass-list={proxy_bypass}",
        "Without it Chrome goes around the proxy for loopback addresses.",
        "a proxy is set",
        lambda request: request.proxy_server is not None and bool(request.proxy_bypass),
    ),
    Flag(
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "WebRTC would otherwise reach hosts directly, around the rules.",
        "the policy restricts hosts",
        lambda request: request.fenced,
    ),
    Flag(
        "--no-startup-window",
        "The first tab is opened by command, so the first answer comes sooner.",
        "pipe, first tab opened by us",
        lambda request: request.no_startup_window,
    ),
)

# Left out on purpose, with the reason; the documentation lists them.
LEFT_OUT: tuple[tuple[str, str], ...] = (
    ("--enable-automation", "It shows a bar, changes what pages see and saves no passwords."),
    ("--remote-allow-origins", "It would let any web page drive the browser."),
    ("--disable-extensions", "It saves no measurable time and takes away the user's extensions."),
    ("--disable-gpu", "Without effect on the time to the first page; Chrome falls back itself."),
    ("--single-process", "No faster, and unsupported."),
    ("--force-webrtc-ip-handling-policy", "Without effect in current versions."),
)

_DISABLED_FEATURES = (
    "Translate",
    "OptimizationHints",
    "MediaRouter",
    "DialMediaRouteProvider",
)
_REPORTS = ("Reporting", "NetworkErrorLogging")
# Each window of Chromium 156 loads two pages for them in a process of their own, unless both are
# off: with the first page 1.85 s of processor time, without them 0.92.
_SUGGESTIONS = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")
# After a click Chrome keeps back what a page has put off (timers, messages) until it has painted,
# or for 50 ms: typing right behind a click took 9.6 ms, without it 5.6 (medians of 16, in turns).
_HOLDING_BACK = ("DeferRendererTasksAfterInput",)


def build_flags(request: FlagRequest) -> tuple[str, ...]:
    """The arguments after the program's name, without repeated switches, the page to open last.

    Raises UsageError BAD_ARGS on an extra switch that is malformed or belongs to the launcher.
    """
    check_extra(request.extra, forbidden=_forbidden(request))
    values = _values(request)
    ours = [flag.switch.format_map(values) for flag in FLAGS if flag.when(request)]
    return merge(ours, request.extra) + _pages(request)


def explain() -> Iterator[tuple[str, str]]:
    """Every switch with its reason, and the condition in front of it where there is one."""
    for flag in FLAGS:
        condition = f"({flag.only}) " if flag.only else ""
        yield flag.switch, condition + flag.reason


def loads_extensions_by_flag(browser: Browser) -> bool:
    """Whether `--load-extension` works; branded builds from 137 on ignore it without a word."""
    return not browser.branded


def _forbidden(request: FlagRequest) -> frozenset[str]:
    names = PROXY if request.proxy_server is not None else frozenset[str]()
    return names | WEBRTC if request.fenced else names


def _values(request: FlagRequest) -> dict[str, str]:
    return {
        "port": str(request.port),
        "profile": str(request.profile),
        "disabled_features": ",".join(_disabled_features(request)),
        "window_size": ",".join(str(pixels) for pixels in request.window_size or ()),
        "extensions": ",".join(_extension(path) for path in request.extensions),
        "proxy_server": request.proxy_server or "",
        "proxy_bypass": ";".join(request.proxy_bypass),
    }


def _disabled_features(request: FlagRequest) -> Iterator[str]:
    yield from _DISABLED_FEATURES
    if request.headless:
        yield "NetworkTimeServiceQuerying"
        yield from _SUGGESTIONS
        yield from _HOLDING_BACK
    if request.fenced:
        yield from _REPORTS
    if request.extensions and not request.extensions_over_cdp:
        yield "DisableLoadExtensionCommandLineSwitch"


def _extension(path: PurePath) -> str:
    if "," in str(path):
        raise UsageError(
            "BAD_ARGS",
            f"Chrome cannot load an extension from {path}: its list is separated by commas.",
            hint="Rename the folder.",
        )
    return str(path)


def _pages(request: FlagRequest) -> tuple[str, ...]:
    url = request.start_url
    if url is None or request.no_startup_window:
        return ()
    if url.startswith("-"):
        raise UsageError("BAD_ARGS", f"{url!r} is not an address.", hint="Give a full URL.")
    return (url,)
