"""Tabs that pages open by themselves, told of once."""

from types import SimpleNamespace
from typing import cast

from bridge import cdp
from bridge.browser.targets import TabInfo
from bridge.tools.desk import Desk
from bridge.tools.newcomers import newcomers


def _come(number: int, url: str) -> tuple[TabInfo, str]:
    target = cdp.target.TargetID(f"T{number}")
    tab = TabInfo(id=f"t{number}", target_id=target, url=url, title="", own=True, context_id=None)
    return tab, "t0"


def _told(*come: tuple[TabInfo, str]) -> list[str]:
    desk = cast(Desk, SimpleNamespace(take_newcomers=lambda: list(come)))
    return newcomers(desk, lambda url: "secret" not in url)


def test_each_by_its_address() -> None:
    """A tab is told with its opener and its address, as far as that may be shown."""
    assert _told(_come(1, "http://a/x"), _come(2, ""), _come(3, "http://secret/")) == [
        "Note: t0 has opened a tab: t1 http://a/x",
        "Note: t0 has opened a tab: t2 about:blank",
        "Note: t0 has opened a tab: t3 (an address the policy does not show)",
    ]


def test_many() -> None:
    """Of many, the first are named and the others counted."""
    said = _told(*(_come(number, "http://a/") for number in range(1, 9)))
    assert len(said) == 6
    assert said[-1] == "Note: 3 more tabs opened as well: see tabs_list."
