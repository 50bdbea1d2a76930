"""A relay on loopback, and the table of attacks at the end of a run."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridge.relay.server import Relay, open_relay
from bridge.timeouts import Timeouts
from bridge.transport.link import Sites
from tests.support.besieged import row as row
from tests.support.besieged import victim as victim
from tests.support.played_extension import Place

_WIDTHS = (52, 58)

QUICK = replace(Timeouts(), hello=1.0, ready=1.0, token=0.02)
"""What a test waits out."""
PINGING = replace(Timeouts(), ping=0.2, pong=0.1)
LEAVING = replace(Timeouts(), reunion=0.1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where extensions are told of servers."""
    return tmp_path / "data" / "links"


@pytest.fixture
async def relay(folder: Path) -> AsyncIterator[Relay]:
    """A server with the product's own timeouts."""
    async with open_relay(folder, "Test", Sites(visited=["*"])) as opened:
        yield opened


@pytest.fixture
async def hasty(folder: Path) -> AsyncIterator[Relay]:
    """A server that waits for nobody long."""
    async with open_relay(folder, "Test", Sites(visited=["*"]), timeouts=QUICK) as opened:
        yield opened


@pytest.fixture
def place(relay: Relay) -> Place:
    """What the relay's file says."""
    return Place.read(relay.file)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Attack, how it is refused, verdict."""
    rows = [
        (facts["attack"], facts.get("refusal", ""), outcome)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.when == "call" and "attack" in (facts := dict(report.user_properties))
    ]
    if not rows:
        return
    terminalreporter.section("attacks")
    terminalreporter.write_line(_line("attack", "refusal", "verdict"))
    for attack, refusal, outcome in rows:
        verdict = "held" if outcome == "passed" else "BROKEN"
        terminalreporter.write_line(_line(attack, refusal, verdict))
    held = sum(outcome == "passed" for *_, outcome in rows)
    terminalreporter.write_line(f"{held} of {len(rows)} held")


def _line(*cells: str) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=False)]
    return "  ".join([*padded, cells[-1]])
