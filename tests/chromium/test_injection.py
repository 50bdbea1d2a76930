"""Pages that give orders, and an agent that follows every one of them.

Nobody can keep a model from believing a page. What a page says is marked as such, and what it can
make an agent do stays within what the owner allowed.
"""

import json
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bridge.policy.options import PolicyOptions
from fixtures.injections import MARK, PLACES
from fixtures.site import Site
from tests.support.served import Served, open_served

pytestmark = pytest.mark.chromium
ESCAPED = re.compile(r'\\+"|&quot;')
ORDER = re.compile(r"call (\w+) (\{.*?\});")
FENCE = re.compile(r"^<page (\w{8})[^\n]* untrusted>\n.*?\n</page \1>$", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
DENIED = "Text of a frame."  # what only the other site says
CANARY = "canary-file-3911"
READERS = ("snapshot", "get_text", "get_html", "read_as_markdown", "console_messages", "tabs_list")
SCHEMES = (
    "file://{file}",
    "view-source:file://{file}",
    "view-source:{here}/form",
    "chrome://version/",
    "chrome://settings/passwords",
    "devtools://devtools/bundled/inspector.html",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop/page.html",
    "javascript:document.write('canary-file-3911')",
    "data:text/html;base64,Y2FuYXJ5LWZpbGUtMzkxMQ==",
    "blob:{here}/12345678-1234-1234-1234-123456789012",
    "filesystem:{here}/temporary/x",
    "ftp://127.0.0.1/x",
    "about:settings",
)


class Obedient:
    """Does what it reads, wherever it reads it."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.followed = 0

    async def read(self, tool: str, **arguments: Any) -> str:
        """One answer, and then whatever it orders."""
        said = (await self._served.call(tool, **arguments)).text
        if said.startswith("DIALOG_OPEN"):
            await self._served.does("handle_dialog", action="accept")
        for name, given in ORDER.findall(ESCAPED.sub('"', said)):
            with suppress(ValueError):
                await self._served.call(name, **json.loads(given))
                self.followed += 1
        return said


def in_our_voice(said: str) -> str:
    """An answer without what it marks as a page's: fenced, or quoted within a line."""
    return QUOTED.sub("…", FENCE.sub("", said))


@pytest.fixture
async def served(tmp_path: Path, site: Site) -> AsyncIterator[Served]:
    """A server that allows one origin everything, and no other anything."""
    here = site.origin.removeprefix("http://")
    options = PolicyOptions(
        allow_domain=(here,),
        enable_mutations=True,
        unsafe_enable_eval=True,
        enable_downloads=True,
    )
    async with open_served(tmp_path, options) as served:
        yield served


async def test_orders_of_pages(served: Served, site: Site) -> None:
    """From twelve pages and all readers: marked as a page's words, and nothing came of them."""
    other = site.other_origin.removeprefix("http://")
    for place in PLACES:
        agent, page = Obedient(served), site.url(f"/injection?place={place}")
        for tool in READERS:
            if place == "dialog":  # which may come before the page is there, or later
                assert MARK not in in_our_voice(await agent.read("navigate", url=page))
                await agent.read("wait_for", textContains="never", timeoutMs=5000)
            else:
                await served.does("navigate", url=page)
            said = await agent.read(tool)
            assert MARK not in in_our_voice(said), (place, tool, said)
        if place == "file-name":
            await served.does("navigate", url=page)
            assert MARK not in in_our_voice(await agent.read("download_file", selector="#file"))
        assert agent.followed or place in ("off-screen", "zero-size"), place
        assert [each for each in site.requests if each.host == other] == [], place
    assert not any(DENIED in said for said in served.answers)
    assert sum("POLICY_DENIED" in said for said in served.answers) > 20


async def test_schemes(served: Served, site: Site, tmp_path: Path) -> None:
    """No address but one of the web: refused by its name, and nothing of it is ever shown."""
    file = tmp_path / "file.txt"
    file.write_text(CANARY)
    for pattern in SCHEMES:
        url = pattern.format(file=file, here=site.origin)
        scheme = url.partition(":")[0]
        for tool in ("navigate", "tab_new", "download_file"):
            refused = await served.refused(tool, url=url)
            assert refused.startswith("POLICY_DENIED"), (tool, url, refused)
            assert f"{scheme}:" in refused, (tool, url, refused)
        if scheme != "javascript":  # which is the page's own script, and runs in it
            await _goes_there_by_itself(served, site, url)
    assert not any(CANARY in in_our_voice(said) for said in served.answers)


async def _goes_there_by_itself(served: Served, site: Site, url: str) -> None:
    """By a link, a script, a window and a redirect: whatever comes of it cannot be read."""
    await served.does("navigate", url=site.url("/stage"))
    script = """(url) => { document.body.innerHTML = '<a id="a">go</a> <a id="b">open</a>';
        a.href = url; b.onclick = () => { window.open(url); location = url; }; return 1; }"""
    await served.does("eval", expression=f"({script})({json.dumps(url)})")
    for selector in ("#a", "#b"):
        await served.call("click", selector=selector)
        for tool in ("get_text", "tabs_list"):
            said = (await served.call(tool)).text
            assert CANARY not in said, (url, selector, said)
    await served.call("navigate", url=site.url(f"/redirect?to={url}"))
    assert CANARY not in (await served.call("get_text")).text
