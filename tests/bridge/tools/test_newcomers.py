"""Tabs that pages open by themselves, told of once."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bridge import cdp
from bridge.browser.targets import TabInfo
from bridge.page.downloads import Download, Downloads, State
from bridge.tools.desk import Desk
from bridge.tools.newcomers import downloads_begun, newcomers


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


def _began(number: int, **more: Any) -> Download:
    root: Any = None
    told: dict[str, Any] = {"url": "http://a/f", "name": f"{number}.txt", "tab_id": "t0", **more}
    return Download(root, str(number), "F", **told)


def _told_begun(*begun: Download) -> list[list[str]]:
    desk: Any = SimpleNamespace(lifecycle=None)
    desk = Desk(desk, cast(Any, None))
    desk.downloads = Downloads(Path("x"), refusal=lambda _: "", enabled=True, dedicated=True)
    desk.downloads.recent.extend(begun)
    desk.downloads.heard("told")
    return [downloads_begun(desk, lambda url: "secret" not in url) for _ in range(2)]


def test_downloads_that_no_answer_has_told() -> None:
    """Each is told once, by the name its site gives it where that may be read."""
    known = _began(9)
    known.guid = "told"
    own = _began(1)
    refused = _began(2, url="http://secret/f", state=State.REFUSED)
    assert _told_begun(known, own, refused) == [
        [
            'Note: t0 has begun to download "1.txt". Its path is told by downloads (toolset page).',
            "Note: t0 wanted to download a file: the policy does not allow it.",
        ],
        [],
    ]


def test_many_downloads() -> None:
    """Of many, the first are named and the others counted."""
    said, _ = _told_begun(*map(_began, range(8)))
    assert len(said) == 6
    assert said[-1] == "Note: 3 more downloads began: see downloads (toolset page)."
