"""The fixture `trial`, and the table of what came of all trials at the end of a run."""

from typing import Any

import pytest

from fixtures.site import Site
from tests.support.ground import Ground
from tests.support.ground import ground as ground
from tests.support.site import site as site
from tests.support.trial import Trial

_WIDTHS = (40, 74, 14)


@pytest.fixture
async def trial(request: pytest.FixtureRequest, ground: Ground, site: Site) -> Trial:
    """One fault: where it happens, and what is noted of it."""
    return Trial(ground, site, request.node.user_properties)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Fault, what the client got, seconds, verdict."""
    rows = [
        (dict(report.user_properties), outcome)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.when == "call" and "fault" in dict(report.user_properties)
    ]
    if not rows:
        return
    terminalreporter.section("faults")
    rows.sort(key=lambda row: int(row[0]["fault"].split()[0]))
    terminalreporter.write_line(_line("fault", "what the client got", "seconds", "verdict"))
    for facts, outcome in rows:
        verdict = "held" if outcome == "passed" else "BROKEN"
        seconds = facts.get("seconds", "")
        terminalreporter.write_line(_line(facts["fault"], facts.get("got", ""), seconds, verdict))
    held = sum(outcome == "passed" for _, outcome in rows)
    terminalreporter.write_line(f"{held} of {len(rows)} held")


def _line(fault: str, got: str, seconds: str, verdict: str) -> str:
    cells = (fault, got, seconds)
    cut = [
        text if len(text) <= width else text[: width - 1] + "…"
        for text, width in zip(cells, _WIDTHS, strict=True)
    ]
    return "  ".join([*(t.ljust(w) for t, w in zip(cut, _WIDTHS, strict=True)), verdict])
