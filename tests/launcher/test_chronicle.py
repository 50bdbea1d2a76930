"""What a Chrome says, and what is told and written of it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from launcher import farewell, record
from launcher.chronicle import TAIL, Chronicle
from launcher.job import Job
from launcher.leases import Leases
from tests.support.yard import replaced

URL = "ws://127.0.0.1:5/devtools/browser/0a1b"
LINE = f"DevTools listening on {URL}\n".encode()


@pytest.fixture
def job(tmp_path: Path) -> Job:
    Leases(tmp_path).prepare()
    return Job(
        argv=["/x"],
        profile=str(tmp_path),
        headless=True,
        pipes=[],
        keep_open=True,
        remove_profile=False,
        close=1.0,
        terminate=1.0,
    )


@pytest.fixture
def told(capfd: pytest.CaptureFixture[str]) -> Any:
    """The news since the last call."""
    return lambda: [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def test_story(job: Job, told: Any, tmp_path: Path) -> None:
    """From start to end: the news, the record beside them, and nothing left."""
    chronicle = Chronicle(job)
    chronicle.started(os.getpid())
    known = record.read(tmp_path)
    assert known is not None
    assert (known.pid, known.watchdog, known.endpoint) == (os.getpid(), os.getpid(), "")
    assert (known.headless, known.keep_open, known.transport) == (True, True, "port")
    chronicle.hear(b"warning\n" + LINE)
    known = record.read(tmp_path)
    assert known is not None
    assert known.endpoint == chronicle.endpoint == URL
    farewell.port_file(tmp_path).write_text("5\n/devtools/browser/0a1b")
    chronicle.close(0)
    assert [news["event"] for news in told()] == ["started", "listening", "exited"]
    assert os.listdir(tmp_path) == [".chrome-bridge"]
    assert record.read(tmp_path) is None


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces(size: int, job: Job, told: Any) -> None:
    """The endpoint is found in whatever pieces its line comes."""
    chronicle = Chronicle(job)
    words = b"x" * 10_000 + b"\n\n" + LINE + b"more\n"
    for start in range(0, len(words), size):
        chronicle.hear(words[start : start + size])
    assert chronicle.endpoint == URL
    assert [news["event"] for news in told()] == ["listening"]


def test_only_at_the_beginning_of_a_line(job: Job, told: Any) -> None:
    """What merely quotes the line is no endpoint, and the first endpoint stays."""
    chronicle = Chronicle(job)
    chronicle.hear(b"said: " + LINE + b"x" * 9000 + LINE)
    assert chronicle.endpoint == ""
    chronicle.hear(LINE + LINE.replace(b":5/", b":6/"))
    assert chronicle.endpoint == URL
    assert len(told()) == 1


def test_pipe(job: Job, told: Any) -> None:
    """On the pipe no endpoint is looked for."""
    chronicle = Chronicle(replaced(job, pipes=[3, 4]))
    chronicle.hear(LINE)
    assert (chronicle.endpoint, told()) == ("", [])


@pytest.mark.parametrize("size", [1, 100, 65536])
def test_tail(size: int, job: Job, told: Any) -> None:
    """The last words are kept, whole however they came, and no more memory than needed."""
    chronicle = Chronicle(job)
    words = b"".join(b"%07d " % number for number in range(5000))
    for start in range(0, len(words), size):
        chronicle.hear(words[start : start + size])
    assert sum(map(len, chronicle._tail)) < TAIL + size
    chronicle.close(1)
    assert told()[-1]["tail"] == words[-TAIL:].decode()


def test_tail_is_text(job: Job, told: Any) -> None:
    """Bytes that are no text are told as what they are: unreadable."""
    chronicle = Chronicle(job)
    chronicle.hear(b"a\xff\xc3(")
    chronicle.close(1)
    assert told()[-1]["tail"] == "a\ufffd\ufffd("


def test_failed(job: Job, told: Any, tmp_path: Path) -> None:
    """What could not be started is told with the reason, and is no end of anything."""
    chronicle = Chronicle(job)
    chronicle.failed(OSError(8, "Exec format error"))
    chronicle.close(None)
    assert told() == [{"event": "failed", "errno": 8, "why": "Exec format error"}]
    assert os.listdir(tmp_path) == [".chrome-bridge"]


def test_nobody_listens(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the news reach nobody is no error."""

    def fail(*_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(os, "write", fail)
    chronicle = Chronicle(job)
    chronicle.started(os.getpid())
    chronicle.close(0)
