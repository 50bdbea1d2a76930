"""Options come from file, environment and flags, in that order, or not at all."""

import os
import sys
from pathlib import Path

import pytest

from bridge import config
from bridge.errors import UsageError
from bridge.policy.options import PolicyOptions
from bridge.relay.options import LinkOptions, StandingLink
from launcher.options import LaunchOptions


@pytest.fixture(autouse=True)
def _no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "default_file", lambda: tmp_path / "none.toml")


def build(
    flags: dict[str, object] | None = None,
    environment: dict[str, str] | None = None,
    file: Path | None = None,
) -> LaunchOptions:
    return config.build(LaunchOptions, flags or {}, environment=environment or {}, file=file)


def test_defaults() -> None:
    """Without any source the options are the class's own defaults."""
    assert build() == LaunchOptions()


def test_order(tmp_path: Path) -> None:
    """A flag beats the environment, the environment beats the file."""
    file = tmp_path / "config.toml"
    file.write_text('profile = "file"\nchannel = "file"\nport = 1\n')
    environment = {"CHROME_BRIDGE_PROFILE": "env", "CHROME_BRIDGE_CHANNEL": "env"}
    options = build({"profile": "flag"}, environment, file)
    assert (options.profile, options.channel, options.port) == ("flag", "env", 1)


def test_flag_switches_off() -> None:
    """`--no-headless` beats a `1` in the environment."""
    assert build({"headless": False}, {"CHROME_BRIDGE_HEADLESS": "1"}).headless is False


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("true", True), ("On", True), ("0", False), ("no", False), (" off ", False)],
)
def test_switch(text: str, value: bool) -> None:
    """A switch in the environment takes the usual words."""
    assert build(environment={"CHROME_BRIDGE_HEADLESS": text}).headless is value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("CHROME_BRIDGE_HEADLESS", "maybe"),
        ("CHROME_BRIDGE_PORT", "80a"),
        ("CHROME_BRIDGE_WINDOW_SIZE", "big"),
        ("CHROME_BRIDGE_WINDOW_SIZE", "1x2x3"),
        ("CHROME_BRIDGE_PROFILE", " "),
    ],
)
def test_unusable_value(variable: str, text: str) -> None:
    """A value that cannot be used names the variable and what it should be."""
    with pytest.raises(UsageError) as caught:
        build(environment={variable: text})
    assert caught.value.code == "BAD_ARGS"
    assert variable in caught.value.message


def test_sizes_paths_and_lists(tmp_path: Path) -> None:
    """Sizes, paths and repeatable options arrive typed from each source."""
    file = tmp_path / "c.toml"
    file.write_text('window-size = "800x600"\nchrome_arg = ["--a", "--b=1"]\n')
    environment = {"CHROME_BRIDGE_LOAD_EXTENSION": os.pathsep.join(["/x", "/y"])}
    options = build({"executable": "~/chrome"}, environment, file)
    assert options.window_size == (800, 600)
    assert options.chrome_args == ("--a", "--b=1")
    assert options.extensions == (Path("/x").absolute(), Path("/y").absolute())
    assert options.executable == Path("~/chrome").expanduser()
    assert build({"data_dir": "here"}).data_dir == Path.cwd() / "here"


@pytest.mark.parametrize("text", ["", " ", "~nobody-of-that-name/x"])
def test_no_path(text: str) -> None:
    """A variable that was never set names no folder, least of all the one we were started in."""
    with pytest.raises(UsageError, match=r"CHROME_BRIDGE_UPLOADS_DIR: .* is not a path"):
        config.build(PolicyOptions, {}, environment={"CHROME_BRIDGE_UPLOADS_DIR": text})
    with pytest.raises(UsageError, match=r"--data-dir: .* is not a path"):
        build({"data_dir": text})


def test_lists_of_hosts() -> None:
    """Hosts and switches in one variable stand between blanks: a colon belongs to one of them."""
    environment = {
        "CHROME_BRIDGE_ALLOW_DOMAIN": "example.com:8080  [::1]:80\n*.a.test",
        "CHROME_BRIDGE_CHROME_ARG": "--proxy-bypass-list=http://a:1 --lang=de",
    }
    policy = config.build(PolicyOptions, {}, environment=environment)
    assert policy.allow_domain == ("example.com:8080", "[::1]:80", "*.a.test")
    assert build(environment=environment).chrome_args == (
        "--proxy-bypass-list=http://a:1",
        "--lang=de",
    )
    with pytest.raises(UsageError, match="CHROME_BRIDGE_ALLOW_DOMAIN"):
        config.build(PolicyOptions, {}, environment={"CHROME_BRIDGE_ALLOW_DOMAIN": " "})


def test_unknown_key_in_file(tmp_path: Path) -> None:
    """A misspelt key in the file is an error that names the nearest option."""
    file = tmp_path / "c.toml"
    file.write_text("headles = true\n")
    with pytest.raises(UsageError, match="headles") as caught:
        build(file=file)
    assert "'headless'" in caught.value.hint


def test_bad_value_in_file(tmp_path: Path) -> None:
    """A value that cannot be used is an error that names the file and the option."""
    file = tmp_path / "c.toml"
    file.write_text('port = "x"\n')
    with pytest.raises(UsageError, match=r"c\.toml: port: 'x' is not a whole number"):
        build(file=file)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (LaunchOptions, "channel = 5"),
        (config.LogOptions, "log-file = ['a']"),
        (PolicyOptions, "allow-domain = [8080]"),
    ],
)
def test_other_types_in_file(kind: type, line: str, tmp_path: Path) -> None:
    """What is a text in the file is written as one: 8080 would be the address 0.0.31.144."""
    file = tmp_path / "c.toml"
    file.write_text(line)
    with pytest.raises(UsageError, match=line.split()[0]):
        config.build(kind, {}, environment={}, file=file)


@pytest.mark.parametrize(
    "content", [b"a = ", b"\xff\xfe", b"[launch]\nport = 1", b"a = " + b"[" * 9_999]
)
def test_broken_file(tmp_path: Path, content: bytes) -> None:
    """A file that is no such TOML is an error that names the file."""
    file = tmp_path / "c.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=r"c\.toml"):
        build(file=file)


def test_byte_order_mark(tmp_path: Path) -> None:
    """A file as some editors write it, with a mark at its beginning, is read like any other."""
    file = tmp_path / "c.toml"
    file.write_bytes(b"\xef\xbb\xbfheadless = true\n")
    assert build(file=file).headless is True


@pytest.mark.parametrize("kind", [LaunchOptions, config.LogOptions])
def test_nothing_within_a_path(kind: type, tmp_path: Path) -> None:
    """A text that the system would take for a shorter one is refused."""
    file = tmp_path / "c.toml"
    option = "data-dir" if kind is LaunchOptions else "log-file"
    file.write_text(f'{option} = "a\\u0000b"\n')
    with pytest.raises(UsageError, match=option):
        config.build(kind, {}, environment={}, file=file)


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes there")
def test_pipe(tmp_path: Path) -> None:
    """A pipe would say something to whoever asks first alone, and is refused, not waited for."""
    file = tmp_path / "c.toml"
    if sys.platform != "win32":
        os.mkfifo(file)
    with pytest.raises(UsageError, match="it is a pipe"):
        build(file=file)


def test_missing_named_file(tmp_path: Path) -> None:
    """A file that was named has to be there."""
    with pytest.raises(UsageError, match="no such file"):
        build(file=tmp_path / "absent.toml")


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ({"isolated": True, "profile": "x"}, ("--isolated", "--profile")),
        ({"isolated": True, "user_data_dir": "/x"}, ("--isolated", "--user-data-dir")),
        ({"isolated": True, "keep_open": True}, ("--isolated", "--keep-open")),
        ({"user_data_dir": "/x", "profile": "y"}, ("--user-data-dir", "--profile")),
        ({"cdp_endpoint": "http://h", "auto_connect": True}, ("--cdp-endpoint", "--auto-connect")),
        ({"cdp_endpoint": "http://h", "isolated": True}, ("--cdp-endpoint", "--isolated")),
        ({"auto_connect": True, "executable": "/c"}, ("--auto-connect", "--executable-path")),
    ],
)
def test_conflicts(flags: dict[str, object], names: tuple[str, str]) -> None:
    """Wishes that exclude each other are refused by their names."""
    with pytest.raises(UsageError) as caught:
        build(flags)
    assert all(name in caught.value.message for name in names)


def test_conflict_across_sources() -> None:
    """It does not matter where the two wishes come from."""
    with pytest.raises(UsageError, match="--isolated"):
        build({"isolated": True}, {"CHROME_BRIDGE_PROFILE": "x"})


def test_unknown_variables() -> None:
    """Variables with our prefix that mean nothing are named."""
    environment = {"CHROME_BRIDGE_HEADLES": "1", "CHROME_BRIDGE_PORT": "0", "PATH": "/bin"}
    found = config.unknown_variables(environment)
    assert found == ["CHROME_BRIDGE_HEADLES"]


def test_log_level_choices() -> None:
    """The log level is one of three words."""
    with pytest.raises(UsageError, match="LOG_LEVEL"):
        config.build(config.LogOptions, {}, environment={"CHROME_BRIDGE_LOG_LEVEL": "loud"})


def test_every_option_has_help() -> None:
    """Each field carries a sentence, and no two share a flag."""
    options = [o for kind in config.KINDS for o in config.options_of(kind)]
    assert all(option.help.endswith((".", "…")) for option in options)
    assert len({option.flag for option in options}) == len(options)


def test_http_token() -> None:
    """The token for HTTP comes from the environment alone, and is long."""
    assert config.bearer_token({}, config.HTTP_TOKEN) is None
    assert config.bearer_token({config.HTTP_TOKEN: "x" * 32}, config.HTTP_TOKEN) == "x" * 32
    assert config.HTTP_TOKEN not in {o.variable for k in config.KINDS for o in config.options_of(k)}
    for short in ("", "x" * 31, "x y" * 20, "x\n" * 20, "ä" * 40):
        with pytest.raises(UsageError, match="HTTP_TOKEN"):
            config.bearer_token({config.HTTP_TOKEN: short}, config.HTTP_TOKEN)


def test_link_token() -> None:
    """That for the link as well, and only with a port at which a browser finds us again."""
    link = LinkOptions(prefer="extension", link_port=40123)
    assert config.with_token(link, {}) is link
    standing = config.with_token(link, {config.LINK_TOKEN: "x" * 32})
    assert isinstance(standing, StandingLink)
    assert (standing.token, standing.link_port, standing.prefer) == ("x" * 32, 40123, "extension")
    assert "x" * 32 not in repr(standing)
    for bad in ("", "x" * 31, "x" * 65, "x " * 20, "ä" * 40):
        with pytest.raises(UsageError, match="LINK_TOKEN"):
            config.with_token(link, {config.LINK_TOKEN: bad})
    with pytest.raises(UsageError, match="--link-port"):
        config.with_token(LinkOptions(), {config.LINK_TOKEN: "x" * 32})


@pytest.mark.parametrize("name", [config.HTTP_TOKEN, config.LINK_TOKEN])
def test_tokens_are_known(name: str) -> None:
    """The variables of the tokens are no strangers."""
    assert config.unknown_variables({name: "x"}) == []
