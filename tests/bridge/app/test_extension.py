"""The commands of `extension`, on a machine of the test's own."""

import json
import os
import pty
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bridge import cli, config
from bridge.app import extension
from bridge.relay.pairing import code_at
from bridge.transport.link import EXTENSION_ID, HOST_NAME
from launcher import platform as platforms
from launcher.platform import Machine

if sys.platform == "win32":
    pytest.skip("files and terminals of POSIX", allow_module_level=True)

TOKEN = "c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWUtYW55d2hlcmU"
SERVER = "0123456789abcdef"


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, and a Linux machine with one browser."""
    machine = Machine(environment={}, home="/home/me", user_id=1000, root=tmp_path)
    platform = platforms.current(machine, system="linux")
    monkeypatch.setattr(platforms, "current", lambda: platform)
    monkeypatch.setattr(config, "default_file", lambda: tmp_path / "none.toml")
    monkeypatch.setenv("CHROME_BRIDGE_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "home/me/.config/chromium").mkdir(parents=True)
    return tmp_path / "data"


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    return tmp_path / f"home/me/.config/chromium/NativeMessagingHosts/{HOST_NAME}.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, ["extension", *arguments])


def told(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def announce(data_dir: Path, port: int) -> None:
    """A server is there, as its file says."""
    links = data_dir / "links"
    links.mkdir(mode=0o700, parents=True)
    file = links / f"{SERVER}.json"
    file.touch(mode=0o600)
    server = {
        "v": 1,
        "serverId": SERVER,
        "clientName": "Some client",
        "port": port,
        "token": TOKEN,
        "pid": os.getpid(),
        "startedAt": 1760000000.0,
        "extensionId": EXTENSION_ID,
    }
    file.write_text(json.dumps(server))


def test_path() -> None:
    """`path` names a folder with a manifest in it, and says what to click."""
    result = run("path")
    folder, _, *clicks = result.stdout.splitlines()
    assert (Path(folder) / "manifest.json").is_file()
    assert len(clicks) == 3
    assert told("path") == {"path": folder}


def test_path_where_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an installed package the folder is inside of it."""
    (tmp_path / "bridge/extension").mkdir(parents=True)
    monkeypatch.setattr(extension, "__file__", str(tmp_path / "bridge/app/extension.py"))
    assert extension.folder() == tmp_path / "bridge/extension"


def test_install(manifest: Path, data_dir: Path) -> None:
    """`install` tells each browser, says so, and says what to do next; twice is once."""
    first = run("install")
    assert first.exit_code == 0
    assert first.stdout.startswith("ok  Chromium finds us\n")
    assert str(extension.folder()) in first.stdout
    assert json.loads(manifest.read_text())["path"].startswith(str(data_dir))
    assert run("install").stdout == first.stdout


def test_install_without_a_browser(manifest: Path) -> None:
    """Where there is no browser, `install` says what to do about it."""
    manifest.parents[1].rmdir()
    assert run("install").stdout.startswith("No browser of yours was found. Start it once")


def test_install_where_nothing_can_be_written(data_dir: Path) -> None:
    """A data folder that is a file is an error with a next step."""
    data_dir.write_text("")
    result = run("install")
    assert result.exit_code == 1
    assert "cannot be written" in result.stderr
    assert "--data-dir" in result.stderr


def test_one_browser_fails(manifest: Path) -> None:
    """A browser whose folder cannot be written is named, with the reason."""
    manifest.parent.write_text("a file")
    [browser] = told("install")["browsers"]
    assert browser["state"] == "failed"
    assert browser["why"]


def test_foreign_manifest(manifest: Path) -> None:
    """What is not ours is left alone by both, and named."""
    manifest.parent.mkdir()
    manifest.write_text('{"path": "/theirs"}')
    for command in ("install", "uninstall"):
        assert f"left alone: {manifest}" in run(command).stdout
    assert manifest.read_text() == '{"path": "/theirs"}'


def test_uninstall(manifest: Path, data_dir: Path) -> None:
    """`uninstall` leaves nothing of `install`, and is content where nothing is."""
    run("install")
    for _ in range(2):
        assert run("uninstall").exit_code == 0
        assert not manifest.exists()
        assert list((data_dir / "native-hosts").iterdir()) == []


def test_status_before(data_dir: Path) -> None:
    """Before `install` the status names that step, and makes nothing."""
    result = run("status")
    assert "not installed" in result.stdout
    assert "Run: chrome-bridge extension install" in result.stdout
    assert "Chromium is not told of us" in result.stdout
    assert not data_dir.exists()


def test_status_after() -> None:
    """After `install` the host has been run and has answered."""
    run("install")
    found = told("status")
    assert (found["host_state"], found["host_answers"], found["step"]) == ("ready", True, "")
    assert [each["state"] for each in found["browsers"]] == ["registered"]
    assert found["servers"] == []


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("#!/bin/sh\nexec /nowhere/python\n", "/nowhere/python"),
        ("#!/bin/sh\necho nonsense\n", "nothing was said"),
        ("#!/nowhere\n", "cannot be run"),
    ],
)
def test_broken_host(script: str, why: str, data_dir: Path) -> None:
    """A host that does not answer is not called one that does; installing again mends it."""
    run("install")
    wrapper = data_dir / "native-hosts/chrome-bridge-link"
    wrapper.write_text(script)
    found = told("status")
    assert (found["host_state"], found["host_answers"]) == ("stale", False)
    assert why in found["why"]
    assert "extension install" in found["step"]
    run("install")
    assert told("status")["host_answers"]


def test_servers(data_dir: Path) -> None:
    """Each server that runs is named, and whether it listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        announce(data_dir, port)
        [server] = told("status")["servers"]
        assert (server["client_name"], server["port"]) == ("Some client", port)
        assert server["listening"]
    assert not told("status")["servers"][0]["listening"]
    assert "Some client: does NOT listen" in run("status").stdout


def test_pairing(data_dir: Path) -> None:
    """The code is shown where it is asked for, and it is the one the server will take."""
    announce(data_dir, 9)
    assert told("status")["servers"][0]["code"] == ""
    [server] = told("status", "--show-pairing")["servers"]
    minute = int(server["good_until"] // 60) - 2
    assert server["code"] == code_at(TOKEN, SERVER, minute)
    assert server["page"] == "http://127.0.0.1:9/pair"


@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_token_stays_out_of_files(json_flag: list[str], data_dir: Path) -> None:
    """Whatever goes into a file or another program has no token in it, though it was asked for."""
    announce(data_dir, 9)
    result = run("status", "--show-pairing", *json_flag)
    assert result.exit_code == 0
    assert TOKEN not in result.output


def test_token_at_a_terminal(data_dir: Path) -> None:
    """A person at a terminal who asks for it is shown the text to paste, and no other one is."""
    announce(data_dir, 9)
    assert f"9:{TOKEN}" in _at_a_terminal("status", "--show-pairing")
    assert TOKEN not in _at_a_terminal("status")
    assert TOKEN not in _at_a_terminal("status", "--show-pairing", "--json")


def _at_a_terminal(*arguments: str) -> str:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bridge", "extension", *arguments]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        said = b""
        while chunk := _read(ours):
            said += chunk
    os.close(ours)
    assert process.returncode == 0, said
    return said.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so where the other side has closed
        return b""
