"""The command line: what it prints, and how it fails."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner, Result

from bridge import __version__, cli, config
from bridge.app.clients import CLIENTS
from bridge.app.opening import Opened
from bridge.errors import LaunchError


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "default_file", lambda: tmp_path / "none.toml")
    monkeypatch.setenv("CHROME_BRIDGE_DATA_DIR", str(tmp_path / "data"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, list(arguments))


@pytest.mark.parametrize(
    ("title", "told"),
    [("A\u009b31m page\u202e", "A 31m page"), ("日本 😀", "日本 😀"), ("\u200b", "http://a/")],
)
def test_title_of_a_page(title: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's title says nothing to a terminal, and is as it is in JSON."""

    async def opens(
        options: object, url: str, tell: Callable[[Opened], None], timeouts: object
    ) -> None:
        await trio.lowlevel.checkpoint()
        tell(Opened(tab="t1", url=url, title=title, profile="", headless=False, ownership="x"))

    monkeypatch.setattr("bridge.app.opening.open_url", opens)
    assert run("open", "http://a/").stdout == f"{told} is open in tab t1.\n"
    assert json.loads(run("open", "http://a/", "--json").stdout)["title"] == title


def test_version() -> None:
    """`--version` is the package's."""
    assert run("--version").output.strip().endswith(__version__)


def test_status_without_browser(tmp_path: Path) -> None:
    """`status` works where there is nothing, starts nothing, and makes no folder."""
    result = run("status", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["state"], found["ready"]) == (0, "not running", False)
    assert found["reason"]
    assert not (tmp_path / "data").exists()


def test_status_as_text() -> None:
    """Without `--json` the state comes first, with its reason."""
    assert run("status").stdout.startswith("not running: ")


def test_doctor(tmp_path: Path) -> None:
    """`doctor` names every way, and for each closed one why and the one step."""
    found = json.loads(run("doctor", "--json").stdout)
    names = [way["name"] for way in found["ways"]]
    assert names == ["launch", "window", "pipe", "endpoint", "auto-connect", "extension"]
    assert all(way["why"] for way in found["ways"])
    assert all(way["step"] for way in found["ways"] if not way["available"])
    assert not (tmp_path / "data").exists()


def test_doctor_without_browser(tmp_path: Path) -> None:
    """Where the browser is missing, `doctor` says so and still exits with 0."""
    result = run("doctor", "--json", "--executable-path", str(tmp_path / "absent"))
    ways = {way["name"]: way for way in json.loads(result.stdout)["ways"]}
    assert not ways["launch"]["available"]
    assert "absent" in ways["launch"]["why"]
    assert ways["pipe"]["why"] == ways["launch"]["why"]


def test_stop_without_browser() -> None:
    """`stop` where nothing runs is no failure."""
    result = run("stop")
    assert result.exit_code == 0
    assert result.stdout.startswith("Nothing to stop")


def test_error_is_code_reason_and_step(tmp_path: Path) -> None:
    """An error of ours is two lines on stderr and exit code 1."""
    result = run("open", "--headless", "--executable-path", str(tmp_path / "absent"))
    first, second = result.stderr.strip().splitlines()[-2:]
    assert result.exit_code == 1
    assert first.startswith("LAUNCH_FAILED: ")
    assert second
    assert result.stdout == ""


def test_unknown_flag() -> None:
    """A flag nobody knows is refused with exit code 2."""
    result = run("status", "--headles")
    assert result.exit_code == 2
    assert "--headless" in result.stderr


def test_unknown_variable_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that looks like ours and means nothing is reported, not obeyed."""
    monkeypatch.setenv("CHROME_BRIDGE_HEADLES", "1")
    assert "CHROME_BRIDGE_HEADLES" in run("status").stderr


def test_unexpected_error_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody expected is reported as a bug, without a traceback on the screen."""

    async def broken(*_: Any) -> None:
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr("bridge.app.status.status", broken)
    result = run("status", "--log-level", "off")
    assert result.exit_code == 1
    assert result.stderr.strip() == "chrome-bridge has a bug: ZeroDivisionError: surprise"


def test_conflict_is_reported_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conflicting wishes never reach the launcher."""

    async def launched(*_: Any, **__: Any) -> None:
        raise LaunchError("LAUNCH_FAILED", "this should not have been tried")

    monkeypatch.setattr("bridge.app.opening.open_url", launched)
    result = run("open", "--isolated", "--profile", "x")
    assert result.stderr.startswith("BAD_ARGS: ")


def test_install_prints() -> None:
    """Without `--write` nothing is written, and the block to paste is shown."""
    told = run("install", "cursor", "--", "--allow-domain", "example.com").stdout
    assert '"mcpServers"' in told
    assert '"example.com"' in told


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--alow-domain", "x"), 2, "--allow-domain"),
        (("--allow-domain", "a b"), 1, "'a b' cannot be a host pattern"),
        (("--toolsets", "everything"), 1, "Sets: "),
        (("--enable-uploads",), 1, "--uploads-dir"),
        (("--isolated", "--profile", "work"), 1, "isolated"),
        (("--http", "0.0.0.0:80"), 1, "BAD_ARGS: --http: a client that starts a server"),
        (("--http", "127.0.0.1:0"), 1, "Leave it out"),
    ],
)
def test_install_knows_the_flags(
    tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    """Arguments that `serve` would not start with are not written into anybody's file."""
    file = tmp_path / "mcp.json"
    result = run("install", "cursor", "--write", "--file", str(file), "--", *arguments)
    assert (result.exit_code, said in result.stderr) == (status, True), result.stderr
    assert not file.exists()


@pytest.mark.parametrize(
    "line", ['prefer = "pigeon"', "log-level = 3", "toolsets = 3", 'http = "127.0.0.1:0"']
)
def test_install_knows_the_file(tmp_path: Path, line: str) -> None:
    """A file of options that `serve` would not start with is found out as well."""
    options, file = tmp_path / "options.toml", tmp_path / "mcp.json"
    options.write_text(line)
    arguments = ("--write", "--file", str(file), "--", "--config", str(options))
    result = run("install", "cursor", *arguments)
    assert (result.exit_code, line.partition(" ")[0] in result.stderr) == (1, True), result.stderr
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--profile", "work"), 1, "--isolated and --profile exclude each other"),
        (("--alow-domain", "x"), 2, "--allow-domain"),
        (("--http", "127.0.0.1:0"), 1, "BAD_ARGS: --http: a client that starts a server"),
    ],
)
def test_demo_knows_the_flags(arguments: tuple[str, ...], status: int, said: str) -> None:
    """A flag that `serve` cannot be shown with is a sentence, not a server that is gone."""
    result = run("demo", "--", *arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert said in result.stderr


def test_demo_knows_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the owner has set for servers is nothing to a tour, whose server is not told of it."""
    toured: list[tuple[str, ...]] = []

    async def tour(say: object, picture: Path, arguments: tuple[str, ...]) -> bool:
        toured.append(arguments)
        return True

    monkeypatch.setattr("bridge.app.demo.run", tour)
    monkeypatch.setenv("CHROME_BRIDGE_PROFILE", "work")
    assert run("demo", "--", "--window-size", "800x600").exit_code == 0
    assert toured == [("--window-size", "800x600")]


def test_install_writes(tmp_path: Path) -> None:
    """With `--write` the client's file starts us; again, it says that it does already."""
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    told = run("install", "cursor", "--write", "--file", str(file)).stdout
    assert "now starts" in told
    assert "is kept in" in told
    assert "chrome-bridge" in json.loads(file.read_text())["mcpServers"]
    assert "already starts" in run("install", "cursor", "--write", "--file", str(file)).stdout


def test_install_refuses(tmp_path: Path) -> None:
    """A file that cannot be understood is a sentence and exit 1."""
    file = tmp_path / "mcp.json"
    file.write_text("{")
    result = run("install", "cursor", "--write", "--file", str(file))
    assert (result.exit_code, file.read_text()) == (1, "{")
    assert "was left as it is" in result.stderr


def test_every_client_is_on_offer() -> None:
    """The command line knows the clients that the table knows."""
    assert tuple(CLIENTS) == cli._CLIENTS


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--policy-file", "/no/such/file"], "the policy file /no/such/file cannot be read"),
        (["--allow-domain", "http://"], "http://"),
        (["--http", "0.0.0.0:80"], "no address of this machine alone"),
        (["--toolsets", "nonsense", "--http", "127.0.0.1:0"], "no set of tools called"),
        (["--isolated", "--profile", "x"], "exclude each other"),
        (["--port", "99999"], "99999 is no port"),
        (["--window-size", "-5x3"], "-5x3 is no size"),
        (["--profile", "../x"], "cannot be the name of a profile"),
        (["--channel", "zork"], "is not a channel"),
        (["--cdp-endpoint", "zork"], "cannot be used as a CDP endpoint"),
        (["--load-extension", "/no/such/folder"], "holds no manifest.json"),
        (["--chrome-arg", "zork"], "is not a switch of Chrome"),
        (["--tool-prefix", "a b"], "no client takes tools called 'a b'"),
        (["--enable-uploads"], "--enable-uploads needs --uploads-dir"),
        (["--enable-uploads", "--uploads-dir", "/no/such/folder"], "there is no folder"),
        (["--secrets", "/no/such/file"], "the file of secrets /no/such/file cannot be read"),
        (["--log-file", "/no/such/folder/log"], "cannot be written: No such file or directory"),
    ],
)
def test_serve_refuses(flags: list[str], why: str) -> None:
    """What `serve` cannot use is an error before a client is listened to."""
    result = run("serve", *flags)
    assert result.exit_code == 1
    assert result.stderr.startswith("BAD_ARGS: ")
    assert why in result.stderr
    assert result.stdout == ""
