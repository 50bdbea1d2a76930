"""Log lines: key=value facts, three levels, and a file nobody else can read."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import log
from bridge.log import Level


@pytest.fixture(autouse=True)
def untouched_logger() -> Iterator[None]:
    """Whatever a test configures is gone after it."""
    loggers = [logging.getLogger(name) for name in ("chrome_bridge", "mcp", "trio")]
    before = [(list(each.handlers), each.level, each.propagate) for each in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        for handler in logger.handlers:
            handler.close()
        logger.handlers[:] = handlers
        logger.setLevel(level)
        logger.propagate = propagate


def test_room() -> None:
    """Each room has a logger below ours."""
    assert log.get("session").name == "chrome_bridge.session"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "a=1"),
        ("plain", "a=plain"),
        ("two words", "a='two words'"),
        ("", "a=''"),
        ("new\nline", r"a='new\nline'"),
        ("\x1b[31mred", r"a='\x1b[31mred'"),
        ("cut \ud800", r"a='cut \ud800'"),
        ("\u202eright to left", r"a='\u202eright to left'"),
        ("größe", "a=größe"),
    ],
)
def test_facts(value: object, text: str) -> None:
    """A value stays on its line and in its place, whatever it holds."""
    assert log.facts(a=value, b=None) == text


def test_facts_in_order() -> None:
    """Facts keep their order; what is None is left out."""
    assert log.facts(b=1, nothing=None, a=2) == "b=1 a=2"


@pytest.mark.parametrize(
    ("level", "heard"),
    [("off", []), ("important", ["W"]), ("all", ["D", "I", "W"])],
)
def test_levels(level: Level, heard: list[str], tmp_path: Path) -> None:
    """Off writes nothing, important the warnings, all everything."""
    file = tmp_path / "log"
    log.configure(level, file)
    logger = log.get("test")
    logger.debug("D")
    logger.info("I")
    logger.warning("W")
    assert [line.split()[-1] for line in file.read_text().splitlines()] == heard


@pytest.mark.parametrize(("level", "heard"), [("off", []), ("important", ["W"]), ("all", ["W"])])
def test_libraries(level: Level, heard: list[str], tmp_path: Path) -> None:
    """What libraries warn of goes where ours goes; their details, with all they hold, nowhere."""
    file = tmp_path / "log"
    log.configure(level, file)
    for name in ("mcp.server", "trio.serve_listeners"):
        logging.getLogger(name).info("I")
    logging.getLogger("mcp.server").warning("W")
    assert [line.split()[-1] for line in file.read_text().splitlines()] == heard


def test_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file lines go to stderr, never to stdout."""
    log.configure("all")
    log.get("test").warning("said")
    out, err = capsys.readouterr()
    assert (out, err.count("said")) == ("", 1)


def test_only_ours(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """Lines we write ourselves are not handed on to the root logger as well."""
    log.configure("all", tmp_path / "log")
    log.get("test").warning("said")
    assert caplog.records == []


def test_twice(tmp_path: Path) -> None:
    """Configuring again replaces: no line is written twice, the old file is let go."""
    log.configure("all", tmp_path / "first")
    log.configure("all", tmp_path / "second")
    log.get("test").warning("said")
    assert (tmp_path / "first").read_text() == ""
    assert (tmp_path / "second").read_text().count("said") == 1


@pytest.mark.skipif(os.name != "posix", reason="there are no modes there")
@pytest.mark.parametrize("existed", [False, True])
def test_private(existed: bool, tmp_path: Path) -> None:
    """The file is for its owner alone, also if it was there before and open to all."""
    file = tmp_path / "log"
    if existed:
        file.write_text("old\n")
        file.chmod(0o644)
    log.configure("all", file)
    log.get("test").warning("new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().startswith("old\n" if existed else "")


def test_unencodable(tmp_path: Path) -> None:
    """Text that UTF-8 cannot hold is written with a replacement instead of failing."""
    log.configure("all", tmp_path / "log")
    log.get("test").warning("half %s", "\ud83d")
    assert (tmp_path / "log").read_text().rstrip().endswith("half ?")
