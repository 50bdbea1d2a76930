"""One line for each call: complete, private, and nobody's burden."""

import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from bridge.timeouts import Timeouts
from bridge.tools import audit as audit_module
from bridge.tools.audit import Audit, open_audit
from tests.support.door import Client
from tests.support.told_page import ToldPage, open_told_page

_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _aside(folder: Path) -> list[Path]:
    return sorted(folder.glob("audit-*.jsonl"))


async def _written(page: ToldPage, file: Path, *calls: tuple[str, dict[str, Any]]) -> None:
    async with open_audit(file, page.door.office, Timeouts()) as audit:
        for name, arguments in calls:
            audit.note(name, arguments, Client(name="agent"), "", 0.0123)


async def test_line(tmp_path: Path) -> None:
    """A line says when, who, where, what, and how it went."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page, open_audit(file, page.door.office, Timeouts()) as audit:
        audit.note("click", {"ref": "e1"}, Client(name="agent"), "", 0.0123)
        audit.note("x", {}, Client(name="agent"), "BAD_ARGS", 1.0)
    first, second = _lines(file)
    assert first.pop("ts").endswith("+00:00")
    assert first == {
        "client": "agent",
        "tab": page.tab.id,
        "origin": "https://here.test",
        "tool": "click",
        "args": {"ref": "e1"},
        "ok": True,
        "ms": 12.3,
    }
    assert (second["ok"], second["code"]) == (False, "BAD_ARGS")


async def test_tab_by_its_label(tmp_path: Path) -> None:
    """A tab that goes by a label is told by its id, and with where it is."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page:
        page.door.office.desk("").label(page.tab, "checkout")
        page.door.lifecycle.live = SimpleNamespace(browser=await page.door.desk.browser())
        calls = [("click", {"tabId": name}) for name in ("checkout", ["x"])]
        await _written(page, file, *calls)
    first, second = _lines(file)
    assert (first["tab"], first["origin"]) == (page.tab.id, "https://here.test")
    assert (second["tab"], "origin" in second) == ("['x']", False)


async def test_numbers_json_has_no_form_for(tmp_path: Path) -> None:
    """What a client's `1e999` is read as does not make a line that is no JSON."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page:
        await _written(page, file, ("click", {"x": float("inf"), "y": -1.5}))
    assert "Infinity" not in file.read_text()
    assert _lines(file)[0]["args"] == {"x": "inf", "y": -1.5}


async def test_nested(tmp_path: Path) -> None:
    """Arguments in arguments, hundreds deep, are noted without what is in them."""
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    async with open_told_page() as page:
        await _written(page, tmp_path / "audit.jsonl", ("click", {"ref": deep, "tabId": deep}))
    (line,) = _lines(tmp_path / "audit.jsonl")
    assert line["args"] == {"ref": ["list"], "tabId": ["list"]}


async def test_several_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that come close together are one write, and the end waits for no more of them."""
    writes: list[bytes] = []
    monkeypatch.setattr(audit_module, "_append", lambda file, data, largest: writes.append(data))
    timeouts = Timeouts(gather=60.0, flush=10.0)
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page, open_audit(file, page.door.office, timeouts) as audit:
        for _ in range(3):
            audit.note("click", {}, Client(), "", 0.01)
            await trio.testing.wait_all_tasks_blocked()
        assert writes == []
        began = trio.current_time()
    assert [data.count(b"\n") for data in writes] == [3]
    assert trio.current_time() - began < timeouts.flush


async def test_only_harmless_arguments(tmp_path: Path) -> None:
    """Typed text, values, scripts, cookies and prompts are not in it, whatever they are called."""
    file = tmp_path / "audit.jsonl"
    canary = {
        name: "CANARY"
        for name in (
            "text",
            "value",
            "values",
            "fields",
            "expression",
            "promptText",
            "key",
            "textContains",
            "cookies",
            "calls",
            "question",
            "anything",
        )
    }
    url = "https://me:CANARY@here.test/?access_token=CANARY"
    async with open_told_page() as page:
        await _written(page, file, ("type", {**canary, "ref": "e1"}), ("navigate", {"url": url}))
    assert "CANARY" not in file.read_text()
    assert _lines(file)[0]["args"] == {"ref": "e1"}


async def test_long_arguments_are_cut(tmp_path: Path) -> None:
    """An argument has at most 120 characters, and nothing breaks the line."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page:
        await _written(
            page, file, ("click", {"selector": "a\n\ud800" + "x" * 500, "paths": ["y" * 500]})
        )
    (line,) = _lines(file)
    assert len(line["args"]["selector"]) == 120
    assert len(line["args"]["paths"][0]) == 120


async def test_scrubbed(tmp_path: Path) -> None:
    """A secret that got into an argument is not in the file."""
    file = tmp_path / "audit.jsonl"
    async with (
        open_told_page() as page,
        open_audit(
            file, page.door.office, Timeouts(), scrub=lambda text: text.replace("CANARY", "{{X}}")
        ) as audit,
    ):
        audit.note("click", {"selector": "[value=CANARY]"}, Client(), "", 0.0)
    assert "[value={{X}}]" in file.read_text()


@_POSIX
async def test_private(tmp_path: Path) -> None:
    """The file is for its owner alone, also one that was there before, which is added to."""
    file = tmp_path / "audit.jsonl"
    file.write_text('{"tool": "old"}\n')
    file.chmod(0o644)
    async with open_told_page() as page:
        await _written(page, file, ("click", {}))
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert [line["tool"] for line in _lines(file)] == ["old", "click"]


@_POSIX
@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
async def test_planted(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    """What is planted in its place is not written to; that is said once, and no call fails."""
    if sys.platform == "win32":
        raise AssertionError("signals and pipes as POSIX has them")
    file, other = tmp_path / "audit.jsonl", tmp_path / "other"
    other.write_text("mine")
    if kind == "link":
        file.symlink_to(other)
    elif kind == "hard link":
        file.hardlink_to(other)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    async with open_told_page() as page:
        async with open_audit(file, page.door.office, Timeouts()) as audit:
            for _ in range(3):
                audit.note("click", {}, Client(), "", 0.0)
                await trio.testing.wait_all_tasks_blocked(0.01)
        assert other.read_text() == "mine"
    assert caplog.text.count("the audit cannot be written") == 1


async def test_rotation(tmp_path: Path) -> None:
    """A file that has grown is put aside, and only so many are kept."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page:
        for number in range(9):
            async with open_audit(file, page.door.office, Timeouts(), largest=10) as audit:
                audit.note("click", {"x": number}, Client(), "", 0.0)
    aside = _aside(tmp_path)
    assert len(aside) == 5
    assert [line["args"]["x"] for old in [*aside, file] for line in _lines(old)] == [
        3,
        4,
        5,
        6,
        7,
        8,
    ]


async def test_too_many(tmp_path: Path) -> None:
    """Lines that come faster than a disk takes them are lost aloud, and never waited for."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page, open_audit(file, page.door.office, Timeouts()) as audit:
        for _ in range(1500):
            audit.note("click", {}, Client(), "", 0.0)
        await trio.testing.wait_all_tasks_blocked(0.05)
        audit.note("last", {}, Client(), "", 0.0)
    lines = _lines(file)
    assert lines[-1]["tool"] == "last"
    assert lines[-1]["lost"] == 1500 - (len(lines) - 1)


async def test_written_when_cancelled(tmp_path: Path) -> None:
    """The last lines are written also when everything is told to stop."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page:
        with trio.CancelScope() as scope:
            async with open_audit(file, page.door.office, Timeouts()) as audit:
                audit.note("click", {}, Client(), "", 0.0)
                scope.cancel()
                await trio.lowlevel.checkpoint()
    assert len(_lines(file)) == 1


async def test_after_the_end(tmp_path: Path) -> None:
    """A call that ends after its server does not fail for want of an audit."""
    file = tmp_path / "audit.jsonl"
    async with open_told_page() as page:
        kept: list[Audit] = []
        async with open_audit(file, page.door.office, Timeouts()) as audit:
            kept.append(audit)
        kept[0].note("click", {}, Client(), "", 0.0)
    assert not file.exists()
