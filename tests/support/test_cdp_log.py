"""The CDP log of a failing test: seen from a run of its own that fails on purpose."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.errors import ChromeError
from tests.house.sources import ROOT
from tests.support.cdp_log import KEEP, KEEP_BYTES, TAIL, CdpLog
from tests.support.fake_chrome import FakeChrome

_TEST = """
import pytest
import trio
from bridge import cdp
from bridge.session.connection import open_connection
from tests.support.fake_chrome import FakeChrome

pytestmark = pytest.mark.{marker}


async def test_it() -> None:
    chrome = FakeChrome()
    async with open_connection(chrome) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(connection.root.execute, cdp.target.get_targets())
        asked = await chrome.asked()
        chrome.answer(asked, {{"targetInfos": [], "more": "x" * 100}})
        await trio.testing.wait_all_tasks_blocked()
        {end}
"""
_SENT = r"> +\d+ .*Target\.getTargets"
_HEARD = r"< +\d+ .*targetInfos"


def run(
    folder: Path, end: str, *, marker: str = "chromium", ci: bool = False, timeout: float = 60.0
) -> tuple[int, str]:
    """Exit code and output of pytest on one test that ends like this."""
    (folder / "conftest.py").write_text("from tests.conftest import *\n")
    (folder / "test_child.py").write_text(_TEST.format(marker=marker, end=end))
    options = ["-p", "no:cacheprovider", "-c", "pyproject.toml", f"--rootdir={folder}"]
    options += [f"--basetemp={folder / 'kept'}", f"--timeout={timeout}"]
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        cwd=ROOT,
        env=environment | ({"CI": "1"} if ci else {}),
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


def kept(folder: Path) -> list[Path]:
    return list((folder / "kept" / "cdp").glob("*"))


@pytest.mark.parametrize("ci", [False, True])
def test_failure(tmp_path: Path, ci: bool) -> None:
    """A failing test keeps what was sent and received, and names the file; CI shows the tail."""
    code, output = run(tmp_path, "raise ValueError('on purpose')", ci=ci)
    assert code == pytest.ExitCode.TESTS_FAILED
    [file] = kept(tmp_path)
    assert "- CDP log -" in output
    assert str(file) in output
    text = file.read_text()
    assert re.search(f"{_SENT}.*\n.*{_HEARD}", text)
    assert "#1 memory: 2 messages, the oldest 0 not kept" in text
    assert bool(re.search(_HEARD, output)) is ci


def test_timeout(tmp_path: Path) -> None:
    """A test that hangs until pytest-timeout ends the process keeps its traffic too."""
    code, output = run(tmp_path, "await trio.sleep_forever()", timeout=2.0)
    assert code != pytest.ExitCode.OK
    [file] = kept(tmp_path)
    assert f"CDP log: {file}" in output
    assert "Stack of MainThread" in output
    assert re.search(_HEARD, file.read_text())


@pytest.mark.parametrize(
    ("end", "marker"), [("pass", "chromium"), ("raise ValueError('on purpose')", "slow")]
)
def test_nothing_kept(tmp_path: Path, end: str, marker: str) -> None:
    """A test that passes keeps nothing, nor does one that meets no real Chromium."""
    code, output = run(tmp_path, end, marker=marker)
    assert code == (pytest.ExitCode.OK if end == "pass" else pytest.ExitCode.TESTS_FAILED)
    assert kept(tmp_path) == []
    assert "CDP log" not in output


def test_no_connection(tmp_path: Path) -> None:
    """A test that opened no connection has nothing to keep."""
    assert CdpLog("t", lambda: tmp_path).report() == ""
    assert list(tmp_path.iterdir()) == []


async def test_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest messages of each connection stay, the start of each, and the loss is told."""
    monkeypatch.setenv("CI", "1")
    chrome = FakeChrome()
    log = CdpLog("a/test_b.py::test_c[\u2026]", lambda: tmp_path / "cdp")
    tap, other = log.tap(chrome), log.tap(FakeChrome())
    await other.send(b"first of all")
    for number in range(KEEP):
        await tap.send(b"%05d" % number + b"y" * KEEP_BYTES)
    chrome.say(b"half \xff", b"more\nlines")
    await tap.receive()
    chrome.end("it crashed")
    with pytest.raises(ChromeError):
        await tap.receive()

    lines = log.lines()
    assert len(lines) == KEEP + 1
    assert re.fullmatch(r" *[\d.]+ #2 >     12 first of all", lines[0])
    assert re.fullmatch(rf" *[\d.]+ #1 >    505 00003y{{{KEEP_BYTES - 5}}}…", lines[1])
    assert [line.partition("#1")[2] for line in lines[-3:]] == [
        " <      6 half \ufffd",
        " <     10 more lines",
        " !     31 the browser is gone: it crashed",
    ]
    path, *tail = log.report().splitlines()
    assert tail == lines[-TAIL:]
    [file] = (tmp_path / "cdp").iterdir()
    assert (str(file), file.name) == (path, "a-test_b.py-test_c-.log")
    assert "#1 memory: 2003 messages, the oldest 3 not kept\n" in file.read_text()
