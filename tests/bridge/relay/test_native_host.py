"""The native-messaging host, run as the browser runs it."""

import errno
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.relay import native_host
from bridge.transport import link

if sys.platform == "win32":
    pytest.skip("modes and signals of POSIX", allow_module_level=True)

TOKEN = "c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWUtYW55d2hlcmU"


@pytest.fixture
def links(tmp_path: Path) -> Path:
    folder = tmp_path / "links"
    folder.mkdir(mode=0o700)
    return folder


def told(**changes: object) -> dict[str, Any]:
    server: dict[str, Any] = {
        "v": 1,
        "serverId": "0123456789abcdef",
        "clientName": "Some client",
        "port": 40123,
        "token": TOKEN,
        "pid": os.getpid(),
        "startedAt": 1760000000.0,
        "extensionId": link.EXTENSION_ID,
    }
    return server | changes


def write(folder: Path, name: str = "a.json", *, mode: int = 0o600, **changes: object) -> Path:
    new = folder / f"{name}.new"
    new.touch(mode=mode)
    new.chmod(mode)
    new.write_text(json.dumps(told(**changes)))
    return new.replace(folder / name)


class Host:
    """The other end of the pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def hear(self) -> list[dict[str, Any]]:
        """The next list of servers."""
        assert self.process.stdout is not None
        (length,) = struct.unpack("=I", self.process.stdout.read(4))
        message = json.loads(self.process.stdout.read(length))
        assert message["v"] == 1
        servers: list[dict[str, Any]] = message["servers"]
        return servers

    def leave(self) -> str:
        """Hang up; what it said to standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        assert self.process.wait() == 0
        return self.process.stderr.read().decode()


@contextmanager
def run(folder: Path, origin: str = native_host.ORIGIN) -> Iterator[Host]:
    command = [sys.executable, "-I", "-S", native_host.__file__, str(folder), origin]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            yield Host(process)
        finally:
            process.kill()


def test_one_name() -> None:
    """The extension it answers is the one of the link, though it cannot import that."""
    assert native_host.EXTENSION_ID == link.EXTENSION_ID
    assert native_host.ORIGIN.removesuffix("/") == link.ORIGIN


def test_first_list(links: Path) -> None:
    """The list comes unasked, with what the extension needs and nothing more."""
    write(links)
    write(links, "b.json", serverId="newer", startedAt=1760000001.0)
    with run(links) as host:
        newest, oldest = host.hear()
        assert newest["serverId"] == "newer"
        assert oldest == {n: told()[n] for n in newest}
        assert set(newest) == {"serverId", "clientName", "port", "token", "startedAt"}
        assert host.leave() == ""


def test_no_folder(tmp_path: Path) -> None:
    """Where no server ever was, the list is empty."""
    with run(tmp_path / "links") as host:
        assert host.hear() == []


def test_changes(links: Path) -> None:
    """A server that comes, changes its token or goes makes a new list."""
    with run(links) as host:
        assert host.hear() == []
        file = write(links)
        assert [server["token"] for server in host.hear()] == [TOKEN]
        write(links, token="another")
        assert [server["token"] for server in host.hear()] == ["another"]
        file.unlink()
        assert host.hear() == []


def test_goes_while_looked_at(links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that goes between two looks at the folder takes no other server along."""
    write(links, serverId="stays")
    going = write(links, "b.json", serverId="goes")
    scan = os.scandir

    @contextmanager
    def scandir(folder: str) -> Iterator[Iterator["os.DirEntry[str]"]]:
        with scan(folder) as entries:
            found = list(entries)
        going.unlink(missing_ok=True)
        yield iter(found)

    monkeypatch.setattr(os, "scandir", scandir)
    assert named(native_host.Links(str(links))) == ["stays"]


def named(folder: native_host.Links) -> list[object]:
    """The servers that are known, by their ids."""
    servers = folder.servers()
    assert servers is not None
    return [server["serverId"] for server in servers]


@pytest.mark.parametrize("call", ["lstat", "scandir", "open"])
@pytest.mark.parametrize("why", [errno.EMFILE, errno.EIO])
def test_unreadable_for_a_while(
    links: Path, monkeypatch: pytest.MonkeyPatch, call: str, why: int
) -> None:
    """What cannot be looked at is as it was: a server is not gone because we cannot see it."""
    write(links, serverId="first")
    folder, fresh = native_host.Links(str(links)), native_host.Links(str(links))
    assert named(folder) == ["first"]

    def fail(*_: object, **__: object) -> None:
        raise OSError(why, os.strerror(why))

    with monkeypatch.context() as meanwhile:
        write(links, "b.json", serverId="second", startedAt=0)
        meanwhile.setattr(os, call, fail)
        assert named(folder) == ["first"]
        assert folder.trouble == os.strerror(why)
        assert fresh.servers() is None
    assert named(folder) == named(fresh) == ["first", "second"]
    assert folder.trouble == ""


def test_says_nothing_it_does_not_know(
    links: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing could ever be read no list is sent, and standard error has the reason once."""
    looks = iter([False, False, True])
    said: list[object] = []

    def fail(folder: str) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "scandir", fail)
    monkeypatch.setattr(native_host, "_say", said.append)
    monkeypatch.setattr(native_host, "_hung_up", lambda seconds: next(looks))
    native_host.serve(str(links))
    assert said == []
    assert capsys.readouterr().err.count("Too many open files") == 1


def test_server_dies(links: Path) -> None:
    """A server that was killed is off the list, though its file is there."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as server:
        write(links, pid=server.pid)
        with run(links) as host:
            assert len(host.hear()) == 1
            server.kill()
            server.wait()
            assert host.hear() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 2},
        {"port": "40123"},
        {"port": True},
        {"port": 70000},
        {"token": None},
        {"pid": -1},
        {"pid": "1"},
        {"startedAt": "now"},
        {"extensionId": "abcdefghijklmnopabcdefghijklmnop"},
        {"clientName": "x" * native_host.MAX_FILE},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_fields(links: Path, changes: dict[str, Any]) -> None:
    """A file whose fields are not what they should be is no server."""
    assert native_host.read_server(str(write(links))) is not None
    assert native_host.read_server(str(write(links, **changes))) is None


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "\udcff", "[" * 4000])
def test_no_json(links: Path, text: str) -> None:
    """A file that holds something else is no server."""
    file = write(links)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert native_host.read_server(str(file)) is None


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606, 0o700])
def test_open_file(links: Path, mode: int) -> None:
    """A file others could read is passed over, with a word that says so and not what is in it."""
    write(links, "ours.json", serverId="ours")
    write(links, "open.json", mode=mode)
    with run(links) as host:
        assert [server["serverId"] for server in host.hear()] == ["ours"]
        said = host.leave()
        assert "1 file" in said
        assert TOKEN not in said


def test_link(links: Path, tmp_path: Path) -> None:
    """A symbolic link is not followed, and a pipe is not waited for."""
    (links / "a.json").symlink_to(write(tmp_path))
    os.mkfifo(links / "b.json", 0o600)
    with run(links) as host:
        assert host.hear() == []


def test_folder_of_a_group(links: Path) -> None:
    """A folder that took the mark of a group from the one around it is closed to others as well."""
    write(links)
    links.chmod(0o2700)
    with run(links) as host:
        assert len(host.hear()) == 1


def test_open_folder(links: Path) -> None:
    """In a folder others may enter nothing is read."""
    write(links)
    links.chmod(0o755)
    with run(links) as host:
        assert host.hear() == []


@pytest.mark.parametrize(
    "origin",
    ["", "https://example.com/", link.ORIGIN, f"{native_host.ORIGIN}x", native_host.ORIGIN.upper()],
)
def test_other_caller(links: Path, origin: str) -> None:
    """Any other caller gets no list, and a word on standard error."""
    write(links)
    with run(links, origin) as host:
        output, error = host.process.communicate()
        assert (host.process.returncode, output) == (1, b"")
        assert b"only the extension" in error
        assert TOKEN.encode() not in error


def test_browser_gone(links: Path) -> None:
    """It ends where nobody reads any more."""
    with run(links) as host:
        host.hear()
        assert host.process.stdout is not None
        host.process.stdout.close()
        write(links)
        assert host.process.wait() == 0


def test_many(links: Path) -> None:
    """Of too many servers the newest are named."""
    for number in range(native_host.MAX_SERVERS + 3):
        write(links, f"{number}.json", startedAt=float(number))
    with run(links) as host:
        began = [server["startedAt"] for server in host.hear()]
    assert len(began) == native_host.MAX_SERVERS
    assert began == sorted(began, reverse=True)
    assert min(began) == 3
