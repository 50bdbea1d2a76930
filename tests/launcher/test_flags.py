"""The command line of a launch."""

import mmap
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from urllib.parse import urlsplit

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.timeouts import Timeouts, deadline
from launcher.chrome_args import name_of
from launcher.find import Browser, find_browser
from launcher.flags import FLAGS, LEFT_OUT, FlagRequest, build_flags, explain
from launcher.flags import loads_extensions_by_flag as by_flag
from launcher.platform import current

_PLAIN = FlagRequest(profile=Path("/profile"))
_FULL = FlagRequest(
    profile=Path("/profile"),
    no_sandbox=True,
    throwaway=True,
    in_memory=True,
    scarce_shared_memory=True,
    window_size=(1280, 720),
    extensions=(Path("/a"), Path("/b")),
    proxy_server="127.0.0.1:8080",
    fenced=True,
)
_needs_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium")


def _value(flags: tuple[str, ...], name: str) -> str:
    (switch,) = [flag for flag in flags if name_of(flag) == name and flag.startswith("--")]
    return switch.partition("=")[2]


def _has(flags: tuple[str, ...], switch: str) -> bool:
    return switch in {flag.partition("=")[0] for flag in flags}


def test_every_flag_has_a_reason() -> None:
    """No switch without a reason, no reason twice, and the documentation shows them all."""
    explained = dict(explain())
    assert set(explained) == {flag.switch for flag in FLAGS}
    assert len(explained) == len(FLAGS)
    assert all(len(reason) > 10 for _, reason in [*explain(), *LEFT_OUT])


def test_a_conditional_flag_says_its_condition() -> None:
    """A flag that is not always there says in words when it is."""
    for flag in FLAGS:
        always = all(flag.when(request) for request in (_PLAIN, _FULL, _headed(), _piped()))
        assert always is (flag.only == ""), flag.switch


def _headed() -> FlagRequest:
    return replace(_PLAIN, headless=False, system_keyring=True)


def _piped() -> FlagRequest:
    return replace(_PLAIN, pipe=True, no_startup_window=True, extensions=(Path("/x"),))


def test_the_page_comes_last() -> None:
    """The address is the last argument, and without a startup window there is none."""
    assert (
        build_flags(replace(_PLAIN, start_url="https://example.com"))[-1] == "https://example.com"
    )
    assert build_flags(_PLAIN)[-1] == "about:blank"
    assert build_flags(replace(_PLAIN, no_startup_window=True))[-1].startswith("--")
    assert build_flags(replace(_PLAIN, start_url=None))[-1].startswith("--")


def test_an_address_cannot_be_a_switch() -> None:
    """A page to open that would be read as a switch is refused."""
    with pytest.raises(UsageError):
        build_flags(replace(_PLAIN, start_url="--remote-allow-origins=*"))


def test_port_and_pipe_exclude_each_other() -> None:
    """A launch opens a port or a pipe, never both."""
    port, pipe = build_flags(_PLAIN), build_flags(replace(_PLAIN, pipe=True))
    assert _value(port, "remote-debugging-port") == "0"
    assert not _has(port, "--remote-debugging-pipe")
    assert _has(pipe, "--remote-debugging-pipe")
    assert not _has(pipe, "--remote-debugging-port")


@pytest.mark.parametrize("request_", [_PLAIN, _FULL, _headed(), _piped()])
def test_some_switches_are_never_there(request_: FlagRequest) -> None:
    """What we left out on purpose appears in no command line."""
    flags = build_flags(request_)
    assert not [switch for switch, _ in LEFT_OUT if _has(flags, switch)]


@pytest.mark.parametrize("headless", [True, False])
def test_cookies_are_encrypted_alike_with_and_without_a_window(headless: bool) -> None:
    """The keyring switches do not depend on the window, or a login would be lost in between."""
    flags = build_flags(replace(_PLAIN, headless=headless))
    assert _value(flags, "password-store") == "basic"
    assert _has(flags, "--use-mock-keychain")
    foreign = build_flags(replace(_PLAIN, headless=headless, system_keyring=True))
    assert not _has(foreign, "--password-store")
    assert not _has(foreign, "--use-mock-keychain")


def test_a_window_keeps_what_protects_a_person() -> None:
    """With a window, updates, synchronisation, scroll bars and sound stay on."""
    flags = build_flags(replace(_PLAIN, headless=False))
    for switch in (
        "--headless",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        "--blink-settings",
        "--mute-audio",
    ):
        assert not _has(flags, switch)


def test_only_headless_does_without_googles_time() -> None:
    """With a window Chrome can still warn a person of a wrong clock."""
    feature = "NetworkTimeServiceQuerying"
    assert feature in _value(build_flags(_PLAIN), "disable-features")
    assert feature not in _value(build_flags(_headed()), "disable-features")


def test_only_headless_does_without_suggestions() -> None:
    """With a window a person types into the address bar, and gets what Chrome proposes."""
    for feature in ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"):
        assert feature in _value(build_flags(_PLAIN), "disable-features").split(",")
        assert feature not in _value(build_flags(_headed()), "disable-features")


def test_only_headless_holds_no_page_back() -> None:
    """With a window a person watches, and Chrome shows what a click has done before all else."""
    feature = "DeferRendererTasksAfterInput"
    assert feature in _value(build_flags(_PLAIN), "disable-features").split(",")
    assert feature not in _value(build_flags(_headed()), "disable-features")


def test_behind_a_fence_nothing_is_sent_by_nobody() -> None:
    """Where hosts are restricted Chrome sends no reports, and fetches nothing for pages gone."""
    fenced = build_flags(replace(_PLAIN, fenced=True))
    for feature in ("Reporting", "NetworkErrorLogging"):
        assert feature in _value(fenced, "disable-features").split(",")
        assert feature not in _value(build_flags(_PLAIN), "disable-features").split(",")
    assert _value(fenced, "disable-blink-features") == "BackgroundFetch,FetchLaterAPI"
    assert not _has(build_flags(_PLAIN), "--disable-blink-features")


def test_only_a_throwaway_profile_does_not_synchronise() -> None:
    """A profile that stays keeps the synchronisation a person may have switched on."""
    assert not _has(build_flags(_PLAIN), "--disable-sync")
    assert _has(build_flags(replace(_PLAIN, throwaway=True)), "--disable-sync")


def test_the_sandbox_is_off_once_or_not_at_all() -> None:
    """For root, asked for by the user, or both: the switch is there once."""
    assert not _has(build_flags(_PLAIN), "--no-sandbox")
    for request in (
        replace(_PLAIN, no_sandbox=True),
        replace(_PLAIN, extra=("--no-sandbox",)),
        replace(_PLAIN, no_sandbox=True, extra=("--no-sandbox", "--no-sandbox")),
    ):
        assert build_flags(request).count("--no-sandbox") == 1


def test_extensions_come_with_the_feature_that_lets_them_load() -> None:
    """Unpacked extensions are one list, and their feature joins the disabled ones."""
    flags = build_flags(
        replace(_PLAIN, extensions=(Path("/a"), Path("/b")), extra=("--disable-features=X",))
    )
    assert _value(flags, "load-extension") == f"{Path('/a')},{Path('/b')}"
    features = _value(flags, "disable-features").split(",")
    assert {"DisableLoadExtensionCommandLineSwitch", "Translate", "X"} <= set(features)
    assert "DisableLoadExtension" not in _value(build_flags(_PLAIN), "disable-features")


def test_a_branded_build_loads_extensions_over_cdp() -> None:
    """Where the flag is ignored it is not given, but what CDP needs is."""
    chrome = Browser(path=Path("/x"), channel="stable", name="Google Chrome", branded=True)
    assert not by_flag(chrome)
    assert by_flag(replace(chrome, branded=False))
    flags = build_flags(replace(_PLAIN, extensions=(Path("/a"),), extensions_over_cdp=True))
    assert not _has(flags, "--load-extension")
    assert _has(flags, "--enable-unsafe-extension-debugging")


def test_a_comma_in_an_extensions_path_is_refused() -> None:
    """Chrome would read two folders, so it is an error before the launch."""
    with pytest.raises(UsageError, match="commas"):
        build_flags(replace(_PLAIN, extensions=(Path("/a,b"),)))


def test_a_proxy_takes_loopback_too() -> None:
    """Chrome's own exception for loopback is taken back, unless said otherwise."""
    flags = build_flags(replace(_PLAIN, proxy_server="127.0.0.1:8080"))
    assert _value(flags, "proxy-server") == "127.0.0.1:8080"
    assert _value(flags, "proxy-bypass-list") == "<-loopback>"
    own = replace(_PLAIN, proxy_server="proxy:8080", proxy_bypass=())
    assert not _has(build_flags(own), "--proxy-bypass-list")


@pytest.mark.parametrize(
    "switch",
    [
        "--proxy-server=x",
        "--no-proxy-server",
        "--proxy-bypass-list=*",
        "--proxy-pac-url=x",
        "--host-resolver-rules=x",
        "--webrtc-ip-handling-policy=default",
    ],
)
def test_nothing_leads_around_the_rules(switch: str) -> None:
    """With a proxy and restricted WebRTC no extra switch undoes them; without, it is allowed."""
    assert switch in build_flags(replace(_PLAIN, extra=(switch,)))
    with pytest.raises(UsageError):
        build_flags(replace(_FULL, extra=(switch,)))


def test_owned_switches_are_refused() -> None:
    """An extra switch that takes the endpoint out of our hands is refused."""
    with pytest.raises(UsageError, match="cdp-endpoint"):
        build_flags(replace(_PLAIN, extra=("--remote-debugging-port=9222",)))


def test_a_windows_profile_stays_a_windows_path() -> None:
    """Under WSL a Windows browser gets the path that Windows understands."""
    flags = build_flags(replace(_PLAIN, profile=PureWindowsPath("C:\\Users\\Ada\\p")))
    assert _value(flags, "user-data-dir") == "C:\\Users\\Ada\\p"


def test_braces_in_a_path_are_just_braces() -> None:
    """A path is a value, not a pattern."""
    flags = build_flags(replace(_PLAIN, profile=Path("/{port}/{x}")))
    assert _value(flags, "user-data-dir") == str(Path("/{port}/{x}"))


_EXTRA = st.lists(
    st.one_of(
        st.sampled_from([flag.switch.partition("=")[0] for flag in FLAGS]),
        st.sampled_from(["--disable-features=A,B", "--enable-features=Translate,A", "--lang=de"]),
        st.text(max_size=12),
        st.from_regex(r"--[a-z-]{1,10}(=.{0,5})?", fullmatch=True),
    ),
    max_size=6,
)


@given(_EXTRA, st.booleans(), st.booleans(), st.booleans())
def test_no_switch_is_repeated(
    extra: list[str], headless: bool, pipe: bool, no_sandbox: bool
) -> None:
    """Whatever is added, it is refused with BAD_ARGS or each switch is there exactly once."""
    request = replace(
        _FULL, headless=headless, pipe=pipe, no_sandbox=no_sandbox, extra=tuple(extra)
    )
    try:
        *switches, page = build_flags(request)
    except UsageError as error:
        assert error.code == "BAD_ARGS"  # noqa: PT017 - either outcome is right
        return
    assert page == "about:blank"
    names = [name_of(switch) for switch in switches]
    assert len(names) == len(set(names))
    assert all(switch.startswith("--") for switch in switches)
    assert {"user-data-dir", "proxy-server"} <= set(names)


def _chromium() -> Browser:
    return find_browser(executable=None, channel="chromium", platform=current(), environment={})


@pytest.mark.chromium
@_needs_chromium
def test_the_real_chromium_knows_our_switches() -> None:
    """Every switch of ours is a name inside the installed binary, but for other builds' ones."""
    elsewhere = {"use-mock-keychain", "enable-unsafe-extension-debugging"}
    with (
        _chromium().path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as binary,
    ):
        unknown = {
            name
            for name in (name_of(flag.switch) for flag in FLAGS)
            if binary.find(b"\0" + name.encode() + b"\0") < 0
        }
    assert unknown == elsewhere


async def _first_endpoint(lines: trio.abc.ReceiveStream) -> tuple[str, list[str]]:
    seen = b""
    async for chunk in lines:
        seen += chunk
        found = re.search(rb"DevTools listening on (\S+)\n", seen)
        if found is not None:
            return found[1].decode(), seen.decode().splitlines()
    raise AssertionError(seen.decode())


async def _answer(port: int) -> bytes:
    """Chrome's answer; the thread that gives it has written the port file before."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(b"GET /json/version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return bytes(await stream.receive_some())


@pytest.mark.chromium
@_needs_chromium
async def test_the_real_chromium_starts_with_our_flags(tmp_path: Path) -> None:
    """The headless command line starts, writes its port, and complains of no switch of ours."""
    platform = current()
    request = FlagRequest(
        profile=tmp_path,
        no_sandbox=platform.needs_no_sandbox() is not None,
        scarce_shared_memory=platform.scarce_shared_memory(),
        throwaway=True,
    )
    command = [str(_chromium().path), *build_flags(request)]
    async with trio.open_nursery() as nursery:
        process = await trio.lowlevel.open_process(command, stderr=subprocess.PIPE)
        nursery.start_soon(process.wait)
        try:
            with deadline(Timeouts(), "launch", "starting Chromium"):
                assert process.stderr is not None
                endpoint, lines = await _first_endpoint(process.stderr)
                answer = await _answer(urlsplit(endpoint).port or 0)
        finally:
            process.terminate()
    assert b" 200 " in answer
    port, path = (tmp_path / "DevToolsActivePort").read_text().splitlines()
    assert endpoint == f"ws://127.0.0.1:{port}{path}"
    assert [line for line in lines if line and "dbus" not in line] == [
        f"DevTools listening on {endpoint}"
    ]
