"""How the process ends: with the code of its command, at once, and never with a trace."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from tests.support.conditions import until


def _run(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bridge", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, text=True, **how)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["nonsense"], 2), (["demo", "--", "--nope"], 2)]
)
def test_code(arguments: list[str], code: int) -> None:
    """The code is the command's, and what it said has been written to the end."""
    done = _run(*arguments, stdout=subprocess.PIPE)
    assert done.returncode == code
    assert (done.stdout or done.stderr).endswith("\n")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8"])
def test_letters_that_cannot_be_written(encoding: str, tmp_path: Path) -> None:
    """What the other side has no letters for is written in those it has; JSON stays JSON."""
    folder = tmp_path / "日本 😀"
    arguments = ["doctor", "--data-dir", str(folder)]
    how: dict[str, object] = {
        "env": {**os.environ, "PYTHONIOENCODING": encoding},
        "stdout": subprocess.PIPE,
        "encoding": encoding,
    }
    told, done = _run(*arguments, **how), _run(*arguments, "--json", **how)
    assert (told.returncode, told.stderr) == (done.returncode, done.stderr) == (0, "")
    letters = encoding if encoding == "utf-8" else "ascii"
    assert str(folder).encode(letters, "backslashreplace").decode(letters) in told.stdout
    assert json.loads(done.stdout)["data_dir"] == str(folder)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to write to")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_nowhere_to_write(arguments: list[str]) -> None:
    """What cannot be written is an error of one sentence."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = _run(*arguments, stdout=full)
    assert done.returncode == 120
    assert done.stderr == "chrome-bridge cannot say what it has to: No space left on device\n"


@pytest.mark.parametrize("command", [["serve", "--http", "127.0.0.1:0"], ["demo"]])
def test_nobody_listens(command: list[str], tmp_path: Path) -> None:
    """Who is not heard while at work ends, and takes that for no fault of its own."""
    hearing, saying = os.pipe()
    os.close(hearing)
    environment = {**os.environ, "CHROME_BRIDGE_DATA_DIR": str(tmp_path)}
    with open(saying, "wb") as unheard:
        done = _run(*command, stdout=unheard, env=environment)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-"])
def test_no_client(closed: str, tmp_path: Path) -> None:
    """A server whose standard input or output is closed says so; nobody could talk to it."""
    serve = [sys.executable, "-m", "bridge", "serve", "--data-dir", str(tmp_path)]
    command = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *serve]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("BAD_ARGS: standard input or output is closed")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
async def test_demo_tidies_up(name: str, tmp_path: Path) -> None:
    """A tour that is ended takes its folder with it."""
    absent = ["--executable-path", str(tmp_path / "absent")]  # a browser is not what this is about
    command = [sys.executable, "-m", "bridge", "demo", "--picture", str(tmp_path / "a.png")]
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = await trio.lowlevel.open_process(
        [*command, "--", *absent], env=environment, stdout=subprocess.DEVNULL
    )
    await until(lambda: any(folder.iterdir()))
    process.send_signal(getattr(signal, name))
    assert await process.wait() == (130 if name == "SIGINT" else 1)
    assert list(folder.iterdir()) == []
