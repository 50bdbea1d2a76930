"""Getting into the configuration of MCP clients."""

import json
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from bridge.app.clients import CLIENTS, NAME, Client, anchored, block, command, write
from bridge.errors import UsageError

ARGV = ["/opt/chrome-bridge", "serve", "--allow-domain", 'a"b\\c.example']


def servers(client: Client, text: str) -> dict[str, Any]:
    """The table of servers in a file of this client."""
    found: Any = tomllib.loads(text) if client.shape == "toml" else json.loads(text)
    for key in client.under:
        found = found[key]
    assert isinstance(found, dict)
    return found


def started(client: Client, entry: dict[str, Any]) -> list[str]:
    """The command line this entry stands for."""
    if client.shape == "opencode":
        return list(entry["command"])
    return [entry["command"], *entry["args"]]


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
class TestEvery:
    """What holds for every client."""

    def test_block_is_whole(self, client: Client) -> None:
        """The block to paste is valid by itself and starts what it should."""
        entry = servers(client, block(client, ARGV))["chrome-bridge"]
        assert started(client, entry) == ARGV

    def test_new_file(self, client: Client, tmp_path: Path) -> None:
        """Where there is no file one is made, for its owner only, and nothing to keep."""
        file = tmp_path / "deep" / "down" / "config"
        done = write(client, ARGV, file)
        assert (done.changed, done.backup) == (True, None)
        assert started(client, servers(client, file.read_text())["chrome-bridge"]) == ARGV
        if sys.platform != "win32":
            assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_merges(self, client: Client, tmp_path: Path) -> None:
        """Other servers and settings stay, and what was there is kept beside it."""
        file = tmp_path / "config"
        if client.shape == "toml":
            text = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"\n'
        else:
            whole: Any = {"other": {"command": "other"}}
            for key in reversed(client.under):
                whole = {key: whole}
            text = json.dumps({"setting": 1, **whole})
        file.write_text(text)
        done = write(client, ARGV, file)
        assert done.backup is not None
        assert done.backup.read_text() == text
        assert set(servers(client, file.read_text())) == {"other", "chrome-bridge"}
        assert "# mine" in file.read_text() or '"setting": 1' in file.read_text()

    def test_again(self, client: Client, tmp_path: Path) -> None:
        """Writing the same again changes nothing; another command replaces the old one."""
        file = tmp_path / "config"
        write(client, ARGV, file)
        assert not write(client, ARGV, file).changed
        done = write(client, ["/other", "serve"], file)
        assert done.changed
        found = servers(client, file.read_text())
        assert started(client, found["chrome-bridge"]) == ["/other", "serve"]
        assert len(found) == 1

    def test_not_understood(self, client: Client, tmp_path: Path) -> None:
        """A file with mistakes is left exactly as it is."""
        file = tmp_path / "config"
        text = "{ // mine\n" if client.shape != "toml" else "a = = b"
        file.write_text(text)
        with pytest.raises(UsageError) as refused:
            write(client, ARGV, file)
        assert "left as it is" in refused.value.message
        assert [path.name for path in tmp_path.iterdir()] == ["config"]
        assert file.read_text() == text

    def test_places(self, client: Client) -> None:
        """There is one file for each system, below the home folder."""
        home = Path("/home/somebody")
        files = [client.file(home, system) for system in ("linux", "darwin", "win32")]
        assert all(file.is_relative_to(home) for file in files)


SETTINGS = """// Settings
{
  "theme": "One", /* http://themes // */
  "context_servers": {
    // "old": {},
    "other": {"command": "a // b,}", "args": [1, 2,],},
  },
}
"""


def test_comments_stay(tmp_path: Path) -> None:
    """In a file with comments and commas at the end, all that changes is our entry."""
    file = tmp_path / "settings.json"
    file.write_text(SETTINGS)
    assert write(CLIENTS["zed"], ARGV, file).changed
    text = file.read_text()
    assert [line for line in SETTINGS.splitlines() if line not in text.splitlines()] == []
    assert '"chrome-bridge": {' in text
    assert not write(CLIENTS["zed"], ARGV, file).changed
    write(CLIENTS["zed"], ["/other", "serve"], file)
    assert len(file.read_text().splitlines()) == len(text.splitlines()) - 2
    assert 'a\\"b' not in file.read_text()


@pytest.mark.parametrize("text", ['{"mcpServers": []}', "[]", '"x"'])
def test_wrong_shape(text: str, tmp_path: Path) -> None:
    """A file whose shape is another is not bent to ours."""
    file = tmp_path / "config"
    file.write_text(text)
    with pytest.raises(UsageError):
        write(CLIENTS["cursor"], ARGV, file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    "ours",
    [
        '[mcp_servers.chrome-bridge]\ncommand = "old"\nargs = ["a", "b"]\n',
        '[mcp_servers.chrome-bridge]\ncommand = "old"\n[mcp_servers.chrome-bridge.env]\nA = "1"\n',
        '[ mcp_servers . "chrome-bridge" ] # ours\ncommand = "old"\n',
    ],
)
def test_toml_table_is_replaced(ours: str, tmp_path: Path) -> None:
    """However our table is written, it and its sub-tables give way, and its neighbours stay."""
    file = tmp_path / "config.toml"
    file.write_text(f"[before]\na = 1\n\n{ours}\n[after]\nb = [\n  1,\n]\n")
    write(CLIENTS["codex"], ARGV, file)
    found = tomllib.loads(file.read_text())
    assert (found["before"], found["after"]) == ({"a": 1}, {"b": [1]})
    assert found["mcp_servers"]["chrome-bridge"] == {"command": ARGV[0], "args": ARGV[1:]}


def test_toml_notes_stay(tmp_path: Path) -> None:
    """What a person has noted above the next table is not ours, and stays."""
    file = tmp_path / "config.toml"
    ours = '[mcp_servers.chrome-bridge]\ncommand = "old"\n'
    file.write_text(f"# top\n{ours}\n# of the other\n\n# mind the gap\n[after]\nb = 1\n# tail\n")
    write(CLIENTS["codex"], ARGV, file)
    notes = "# top\n# of the other\n\n# mind the gap\n[after]\nb = 1\n# tail\n"
    assert file.read_text() == f"{notes}\n{block(CLIENTS['codex'], ARGV)}"
    assert not write(CLIENTS["codex"], ARGV, file).changed


def test_line_ends_stay(tmp_path: Path) -> None:
    """Lines that end as on Windows do so afterwards, ours with them, and say so once."""
    file = tmp_path / "config.toml"
    kept = b'model = "x"\r\n# a note\r\n\r\n[mcp_servers.other]\r\ncommand = "a"\r\n'
    file.write_bytes(kept)
    assert write(CLIENTS["codex"], ["a"], file).changed
    said = file.read_bytes()
    assert said.startswith(kept)
    assert said.count(b"\n") == said.count(b"\r\n") == kept.count(b"\n") + 4
    assert not write(CLIENTS["codex"], ["a"], file).changed
    assert write(CLIENTS["codex"], ["b"], file).changed
    assert file.read_bytes().startswith(kept)


@pytest.mark.parametrize(
    ("key", "text"),
    [("cursor", '{"mcpServers": {"other": {"command": "a"}}}'), ("codex", "[mcp_servers.other]\n")],
)
def test_byte_order_mark(key: str, text: str, tmp_path: Path) -> None:
    """A file that begins with the mark some editors make is read like any other."""
    file = tmp_path / "settings"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert write(CLIENTS[key], ["a"], file).changed
    assert {"other", NAME} == set(servers(CLIENTS[key], file.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    [
        'a = """\n[mcp_servers.chrome-bridge]\n"""\n[mcp_servers.chrome-bridge]\ncommand = "x"\n',
        '[mcp_servers.chrome-bridge]\nb = """\n[other]\nc = 1\n#"""\n',
    ],
)
def test_toml_that_only_looks_like_ours(text: str, tmp_path: Path) -> None:
    """Where another table would be changed as well, nothing is."""
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match="left as it is"):
        write(CLIENTS["codex"], ARGV, file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', '{"a": 1e999}', '{"a": "\\ud800"}', "[" * 100_000],
    ids=["twice", "endless", "half a character", "deep"],
)
def test_what_would_be_lost(text: str, tmp_path: Path) -> None:
    """A file that would not say the same afterwards is left alone, and nothing lies beside it."""
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="left as it is"):
        write(CLIENTS["cursor"], ARGV, file)
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"]
    assert file.read_text() == text


def test_toml_in_one_line(tmp_path: Path) -> None:
    """A table written inline is not ours to rewrite."""
    file = tmp_path / "config.toml"
    file.write_text('mcp_servers = {chrome-bridge = {command = "old"}}\n')
    with pytest.raises(UsageError, match="we do not rewrite"):
        write(CLIENTS["codex"], ARGV, file)


def test_backups_never_replace_each_other(tmp_path: Path) -> None:
    """The first file a person had is still there after many writes."""
    file = tmp_path / "mcp.json"
    file.write_text('{"first": 1}')
    kept = [write(CLIENTS["cursor"], [str(n)], file).backup for n in range(3)]
    assert len(set(kept)) == 3
    assert kept[0] is not None
    assert json.loads(kept[0].read_text()) == {"first": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_mode_stays(tmp_path: Path) -> None:
    """Whoever could read the file before can read it afterwards; no draft is left."""
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    for mode in (0o600, 0o664):
        file.chmod(mode)
        write(CLIENTS["cursor"], [str(mode)], file)
        assert stat.S_IMODE(file.stat().st_mode) == mode
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".")]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_link_stays(tmp_path: Path) -> None:
    """A configuration that is a link into somebody's dotfiles stays one."""
    real, file = tmp_path / "real.json", tmp_path / "mcp.json"
    real.write_text("{}")
    file.symlink_to(real)
    write(CLIENTS["cursor"], ARGV, file)
    assert file.is_symlink()
    assert "chrome-bridge" in real.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_link_to_itself(tmp_path: Path) -> None:
    """A link that leads nowhere but to itself is said."""
    file = tmp_path / "mcp.json"
    file.symlink_to(file)
    with pytest.raises(UsageError, match="left as it is"):
        write(CLIENTS["cursor"], ARGV, file)


if sys.platform != "win32":

    def test_pipe(tmp_path: Path) -> None:
        """What is no file is not waited for."""
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(UsageError, match="it is no file"):
            write(CLIENTS["cursor"], ARGV, tmp_path / "pipe")


def test_unwritable(tmp_path: Path) -> None:
    """A folder in the place of the file is said."""
    with pytest.raises(UsageError, match="left as it is"):
        write(CLIENTS["cursor"], ARGV, tmp_path)


def test_command() -> None:
    """Clients get an absolute command that exists, and the arguments given."""
    program, *rest = command(["--headless"])
    assert Path(program).is_absolute()
    assert Path(program).exists()
    assert rest[-2:] == ["serve", "--headless"]


def test_paths_are_anchored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client starts us in a folder of its own: paths mean what they did where they were given."""
    monkeypatch.chdir(tmp_path)
    policy, keys = Path("my.toml").absolute(), Path("keys/s.env").absolute()
    given = ["--headless", "--policy-file", "my.toml", "--secrets=keys/s.env"]
    meant = ["--headless", "--policy-file", str(policy), f"--secrets={keys}"]
    assert anchored(given) == anchored(meant) == meant
    others = ["--uploads-dir", "~/up", "--chrome-arg", "--config", "--profile", "work"]
    assert anchored(others) == others
