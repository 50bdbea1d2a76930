"""Addresses that lead nowhere and pages that never rest: what a caller is told, and how soon."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest
import trio

from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.browsers import PATIENCE, until_true
from tests.support.served import Served, open_served

pytestmark = pytest.mark.chromium
IMPATIENT = replace(PATIENCE, navigation=1.0, settle=0.5, action=1.0)
UNREACHABLE = "Check the address, or try again later; the tab shows Chrome's error page."
AS_IT_WAS = "the tab shows what it showed before."
USABLE = "The page shows what it had by then, and can be used; or go somewhere else."
NOWHERE = [
    ("http://127.0.0.1:2/", "NAVIGATION_FAILED", "net::ERR_CONNECTION_REFUSED", UNREACHABLE),
    ("{here}/never", "TIMEOUT", "took longer than 1 s", USABLE),
    ("{here}/endless", "TIMEOUT", "took longer than 1 s", USABLE),
    ("{here}/redirect-loop", "NAVIGATION_FAILED", "net::ERR_TOO_MANY_REDIRECTS", UNREACHABLE),
    ("{here}/close", "NAVIGATION_FAILED", "net::ERR_EMPTY_RESPONSE", UNREACHABLE),
    ("{here}/reset", "NAVIGATION_FAILED", "net::ERR_CONNECTION_RESET", UNREACHABLE),
    (
        "{here}/status?code=404&bare=1",
        "NAVIGATION_FAILED",
        "the server answered 404 and nothing else",
        UNREACHABLE,
    ),
    (
        "{here}/download",
        "NAVIGATION_FAILED",
        "it is a download",
        f"Download it instead; {AS_IT_WAS}",
    ),
    ("{here}/status?code=204", "NAVIGATION_FAILED", "no page", f"Go somewhere else; {AS_IT_WAS}"),
]
RESTLESS = {
    "reloads": "<script>location.reload()</script>",
    "reloads when it is there": "<script>onload = () => location.reload()</script>",
    "pop-ups": "<script>setInterval(() => open('/iframe-text'), 5)</script>",
    "dialogs": "<script>setInterval(() => alert('again'), 5)</script>",
    "history": "<script>setInterval(() => history.pushState(0, '', '?' + Math.random()))</script>",
    "grows": "<script>setInterval(() => document.body.append('more '.repeat(99)), 1)</script>",
}

ENDS = ("TIMEOUT", "DIALOG_OPEN")
CALLS: list[tuple[str, dict[str, object]]] = [
    ("navigate", {}),
    ("snapshot", {}),
    ("click", {"selector": "h1"}),
    ("get_text", {"maxTokens": 2_000}),
    ("screenshot", {"format": "jpeg"}),
    ("tabs_list", {}),
]


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """A server that is as open as can be, and has little patience."""
    options = PolicyOptions(unsafe_all_domains=True, enable_mutations=True, unsafe_enable_eval=True)
    async with open_served(tmp_path, options, timeouts=IMPATIENT) as opened:
        yield opened


async def test_nowhere(served: Served, site: Site) -> None:
    """Each says within its deadline what is wrong and what to do; the next call works."""
    for (pattern, code, reason, advice), tool in product(NOWHERE, ("navigate", "tab_new")):
        url = pattern.format(here=site.origin)
        await served.does("navigate", url=site.url("/form"))
        began = trio.current_time()
        said = await served.refused(tool, url=url)
        assert trio.current_time() - began < IMPATIENT.navigation + 1.5, (tool, url)
        first, _, second = said.partition("\n")
        assert first.startswith(f"{code}: "), (tool, said)
        assert url in first, (tool, said)
        assert reason in first, (tool, said)
        if tool == "tab_new" and code == "NAVIGATION_FAILED":
            advice = f"{advice.partition(';')[0]}; no tab was kept."
        assert second.startswith(advice), (tool, said)
        if tool == "tab_new" and code == "TIMEOUT":
            found = re.search(r"The new tab is (\w+);", second)
            assert found is not None
            await served.does("tab_close", tabId=found[1])


async def test_no_such_host(served: Served) -> None:
    """A name that does not resolve is said to be one."""
    said = await served.refused("navigate", url="http://nothing.invalid/")
    assert re.match(r"NAVIGATION_FAILED: .*ERR_NAME_NOT_RESOLVED|TIMEOUT: ", said), said


async def test_status(served: Served, site: Site) -> None:
    """A page with an error for a status is a page, and its status is told."""
    url = site.url("/status?code=404")
    assert await served.does("navigate", url=url) == f'{url} "Status 404" HTTP 404'


@pytest.mark.slow
@pytest.mark.parametrize("kind", RESTLESS)
async def test_restless(served: Served, site: Site, kind: str) -> None:
    """A page that never rests costs no call more than its deadline, and can be left."""
    url = site.url(f"/markup?html={quote(RESTLESS[kind])}")
    for tool, given in CALLS:
        began = trio.current_time()
        answer = await served.call(
            tool, **{**given, **({"url": url} if tool == "navigate" else {})}
        )
        took = trio.current_time() - began
        assert took < IMPATIENT.navigation + IMPATIENT.settle + 1.5, (tool, took, answer.text)
        assert len(answer.text.encode()) < 20_000, (tool, answer.text[:500])
        if answer.is_error:
            ends = (*ENDS, "NOT_ACTIONABLE") if tool == "click" else ENDS
            assert answer.text.partition(":")[0] in ends, (tool, answer.text)
    left = await served.call("navigate", url=site.url("/form"))
    if left.is_error:  # a dialog that no navigation has met before is asked about, once
        assert (kind, left.text.partition(":")[0]) == ("dialogs", "DIALOG_OPEN")
    said = await served.does("navigate", url=site.url("/form"))
    assert said.endswith(f'{site.url("/form")} "Form"')
    await served.does("type", selector="#name", text="still there")


async def test_closes_itself(served: Served, site: Site) -> None:
    """A window that closes itself is named while it is there, and then said to be gone."""
    closing = quote("<script>setTimeout(close, 300)</script>")
    opening = quote(f"<button onclick='window.open(\"/markup?html={closing}\")'>Open</button>")
    await served.does("navigate", url=site.url(f"/markup?html={opening}"))
    said = await served.does("click", selector="button")
    found = re.search(r"A tab was opened: (\w+) ", said)
    assert found is not None, said
    tab_id = found[1]

    async def is_gone() -> bool:
        return (await served.call("get_text", tabId=tab_id)).is_error

    await until_true(is_gone, "its tab is gone", seconds=5.0)
    gone = served.answers[-1]
    assert gone.partition(":")[0] in ("STALE_TAB", "TAB_NOT_FOUND", "TARGET_GONE"), gone
    assert "\n" in gone
    assert "Open" in await served.does("get_text")
