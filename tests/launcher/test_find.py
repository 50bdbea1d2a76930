"""Which browser is found, and what is said when there is none."""

import plistlib
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import LaunchError, UsageError
from launcher.find import Browser, find_browser, list_browsers, parse_channel
from launcher.platform import CHANNELS, Machine, Platform, current
from launcher.wrapper import SNAP_NOTE

ELF = b"\x7fELF\x02\x01\x01" + bytes(9)
STUB = '#!/bin/sh\nexec /snap/bin/chromium "$@"\n'


@pytest.fixture
def linux(tmp_path: Path) -> Platform:
    """An empty Linux."""
    return _platform("linux", tmp_path)


def _platform(system: str, root: Path) -> Platform:
    environment = {
        "PROGRAMFILES": "C:\\Program Files",
        "LOCALAPPDATA": "C:\\Users\\Ada\\AppData\\Local",
        "PATH": "/usr/local/bin:/usr/bin",
    }
    machine = Machine(environment=environment, home="/home/ada", user_id=1000, root=root)
    return current(machine, system=system)


def _put(platform: Platform, place: str, content: bytes | str = ELF) -> Path:
    path = platform.locate(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(0o755)
    return path


def _find(
    platform: Platform,
    executable: Path | None = None,
    channel: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Browser:
    return find_browser(
        executable=executable, channel=channel, platform=platform, environment=environment or {}
    )


def _failure(
    platform: Platform, executable: Path | None = None, channel: str | None = None
) -> LaunchError:
    with pytest.raises(LaunchError) as caught:
        _find(platform, executable, channel)
    assert caught.value.code == "LAUNCH_FAILED"
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_every_channel_of_every_system_is_found(tmp_path: Path, system: str) -> None:
    """A program in the first place of a channel is found by the channel's name."""
    for row in _platform(system, tmp_path).browser_candidates():
        root = tmp_path / row.channel
        platform = _platform(system, root)
        place = root / row.paths[0].relative_to(tmp_path)
        place.parent.mkdir(parents=True)
        place.write_bytes(ELF)
        place.chmod(0o755)
        browser = _find(platform, channel=row.channel)
        assert (browser.path, browser.channel, browser.name) == (place, row.channel, row.name)
        assert list_browsers(platform) == [browser]
        assert _find(platform) == browser


def test_without_a_wish_the_preferred_browser_is_taken(linux: Platform) -> None:
    """Stable Chrome comes before Chromium, Chromium before Edge, Edge before a beta."""
    for place in ("google/chrome-beta/chrome", "microsoft/msedge/msedge"):
        _put(linux, f"/opt/{place}")
    assert _find(linux).channel == "edge"
    _put(linux, "/usr/lib/chromium/chromium")
    assert _find(linux).channel == "chromium"
    _put(linux, "/opt/google/chrome/chrome")
    assert _find(linux).channel == "stable"
    assert [b.channel for b in list_browsers(linux)] == ["stable", "chromium", "edge", "beta"]


def test_a_program_is_listed_once(linux: Platform) -> None:
    """A browser, its wrapper and links to it are one entry."""
    real = _put(linux, "/usr/lib/chromium/chromium")
    _put(linux, "/usr/bin/chromium", '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n')
    linux.locate("/usr/bin/chromium-browser").symlink_to("chromium")
    assert [browser.path for browser in list_browsers(linux)] == [real]


def test_google_and_microsoft_builds_are_branded(linux: Platform) -> None:
    """Branded builds are told from those that load extensions by flag."""
    _put(linux, "/opt/google/chrome/chrome")
    _put(linux, "/usr/lib/chromium/chromium")
    _put(linux, "/opt/brave.com/brave/brave")
    _put(linux, "/opt/microsoft/msedge/msedge")
    branded = {browser.channel: browser.branded for browser in list_browsers(linux)}
    assert branded == {"stable": True, "chromium": False, "edge": True, "brave": False}


def test_nothing_found_says_where_and_what_next(linux: Platform) -> None:
    """The error names some places, counts the rest, and the hint is one next step."""
    _put(linux, "/etc/os-release", "ID=debian\n")
    error = _failure(linux)
    assert "/opt/google/chrome/chrome" in error.message
    assert "more places" in error.message
    assert len(error.message) < 1200
    assert "sudo apt-get install chromium" in error.hint
    looked_at = error.facts["looked_at"]
    assert isinstance(looked_at, list)
    assert len(looked_at) > 15


def test_a_missing_channel_names_those_that_are_here(linux: Platform) -> None:
    """When another browser is installed the hint names its channel."""
    _put(linux, "/usr/lib/chromium/chromium")
    error = _failure(linux, channel="beta")
    assert "Google Chrome Beta was not found" in error.message
    assert "chromium" in error.hint


def test_a_channel_of_other_systems_is_said_to_be(linux: Platform) -> None:
    """A browser that is not made for this system is not searched for."""
    assert "not made for this system" in _failure(linux, channel="edge-canary").message


def test_an_empty_package_is_passed_over(linux: Platform) -> None:
    """A script that only asks to install a snap is not taken for a browser."""
    stub = _put(linux, "/usr/bin/chromium-browser", STUB)
    assert list_browsers(linux) == []
    assert "/snap/bin/chromium" in _failure(linux, executable=stub).message


def test_a_named_snap_is_kept_with_its_note(linux: Platform) -> None:
    """Two snaps are not taken for each other although both are links to one program."""
    program = _put(linux, "/usr/bin/snap")
    for name in ("chromium", "brave"):
        linux.locate("/snap/bin").mkdir(parents=True, exist_ok=True)
        linux.locate(f"/snap/bin/{name}").symlink_to(program)
    browser = _find(linux, linux.locate("/snap/bin/brave"))
    assert browser.channel == "brave"
    assert (browser.path.name, browser.note) == ("brave", SNAP_NOTE)


def test_another_snap_is_not_taken_for_chromium(linux: Platform) -> None:
    """Another snap is custom, although it is a link to the same program as Chromium's."""
    program = _put(linux, "/usr/bin/snap")
    for place in ("/snap/bin/chromium", "/snap/bin/opera"):
        linux.locate("/snap/bin").mkdir(parents=True, exist_ok=True)
        linux.locate(place).symlink_to(program)
    assert _find(linux, linux.locate("/snap/bin/opera")).channel == "custom"


def test_a_named_distribution_wrapper_leads_to_its_binary(linux: Platform) -> None:
    """Naming the distribution's wrapper starts the binary behind it."""
    real = _put(linux, "/usr/lib/chromium/chromium")
    wrapper = _put(linux, "/usr/bin/chromium", '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n')
    browser = _find(linux, wrapper)
    assert (browser.path, browser.channel) == (real, "chromium")


def test_an_own_script_is_taken_at_its_word(linux: Platform) -> None:
    """A script that a person named is started, not what it would start."""
    _put(linux, "/usr/lib/chromium/chromium")
    mine = _put(linux, "/home/ada/bin/my-chrome", "#!/bin/sh\nexec /usr/lib/chromium/chromium\n")
    browser = _find(linux, mine)
    assert (browser.path, browser.channel, browser.name) == (mine, "custom", "my-chrome")


@pytest.mark.parametrize(
    ("place", "branded"),
    [
        ("/home/ada/chrome-linux64/chrome", False),
        ("/home/ada/chromium/src/out/Default/chrome", False),
        ("/home/ada/apps/chrome", True),
    ],
)
def test_an_unknown_build_counts_as_branded(linux: Platform, place: str, branded: bool) -> None:
    """Only a path that says so is taken for a build that loads extensions by flag."""
    assert _find(linux, _put(linux, place)).branded is branded


def test_each_flaw_of_a_named_file_has_its_own_sentence(linux: Platform) -> None:
    """Missing, dangling, folder, not executable and not a program are told apart."""
    home = linux.locate("/home/ada")
    home.mkdir(parents=True)
    dangling = home / "dangling"
    dangling.symlink_to(home / "gone")
    text = _put(linux, "/home/ada/text", "hello")
    plain = _put(linux, "/home/ada/plain")
    plain.chmod(0o644)
    sentences = {
        home / "absent": "There is no file",
        dangling: "is a link to",
        home: "is a folder",
        plain: "not executable",
        text: "neither a program nor a script",
        Path("/dev/null"): "not a regular file",
        home / ("x" * 300): "cannot be examined",
    }
    for path, sentence in sentences.items():
        assert sentence in _failure(linux, executable=path).message


@pytest.mark.parametrize("described", [True, False], ids=["described", "only program"])
def test_a_bundle_stands_for_the_program_inside(tmp_path: Path, described: bool) -> None:
    """A macOS application given as a folder is resolved to its program."""
    mac = _platform("darwin", tmp_path)
    program = _put(mac, "/Users/ada/My Chrome.app/Contents/MacOS/Google Chrome")
    if described:
        _put(mac, "/Users/ada/My Chrome.app/Contents/MacOS/other")
        plist = plistlib.dumps({"CFBundleExecutable": "Google Chrome"})
        _put(mac, "/Users/ada/My Chrome.app/Contents/Info.plist", plist)
    assert _find(mac, mac.locate("/Users/ada/My Chrome.app")).path == program


@pytest.mark.parametrize("plist", [b"", b"garbage", b"<plist><array/></plist>"])
def test_a_broken_bundle_is_a_clear_error(tmp_path: Path, plist: bytes) -> None:
    """A bundle without a program is an error about the folder, whatever its description says."""
    mac = _platform("darwin", tmp_path)
    _put(mac, "/Users/ada/X.app/Contents/Info.plist", plist)
    assert "is a folder" in _failure(mac, mac.locate("/Users/ada/X.app")).message


def test_the_usual_variables_name_a_browser(linux: Platform) -> None:
    """CHROME_BIN is followed when nothing else is wished for, and not otherwise."""
    _put(linux, "/usr/lib/chromium/chromium")
    mine = _put(linux, "/opt/mine/chrome")
    environment = {"CHROME_BIN": "/opt/mine/chrome"}
    assert _find(linux, environment=environment).path == mine
    assert _find(linux, channel="chromium", environment=environment).path != mine


def test_a_wrong_variable_is_no_obstacle_but_is_told(linux: Platform) -> None:
    """A variable of other tools that names nothing is passed over, and named in the failure."""
    environment = {"CHROME_PATH": "/gone/chrome"}
    with pytest.raises(LaunchError, match="CHROME_PATH"):
        _find(linux, environment=environment)
    real = _put(linux, "/usr/lib/chromium/chromium")
    assert _find(linux, environment=environment).path == real


@pytest.mark.parametrize(
    ("text", "channel"),
    [("msedge", "edge"), ("chrome-beta", "beta"), (" Stable ", "stable"), ("chrome", "stable")],
)
def test_other_names_of_a_channel_are_understood(text: str, channel: str) -> None:
    """The names other tools use mean the same channel, in any case."""
    assert parse_channel(text) == channel


def test_an_unknown_channel_names_the_nearest(linux: Platform) -> None:
    """A typing mistake is answered with the channel that was meant."""
    with pytest.raises(UsageError) as caught:
        _find(linux, channel="chrmium")
    assert caught.value.code == "BAD_ARGS"
    assert "did you mean chromium?" in caught.value.message


@given(st.text())
def test_any_channel_is_known_or_refused(text: str) -> None:
    """Whatever is typed is either one of the channels or a UsageError."""
    try:
        assert parse_channel(text) in CHANNELS
    except UsageError as error:
        assert error.code == "BAD_ARGS"  # noqa: PT017 - either outcome is right


@pytest.mark.chromium
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium on PATH")
def test_the_real_chromium_is_found_as_a_binary() -> None:
    """On this machine the search and the name on PATH lead to a binary, not to a script."""
    platform = current()
    wrapper = Path(shutil.which("chromium") or "")
    for browser in (_find(platform, channel="chromium"), _find(platform, wrapper)):
        assert browser.path.read_bytes()[:4] == b"\x7fELF"
        assert browser.channel == "chromium"
        assert not browser.branded
