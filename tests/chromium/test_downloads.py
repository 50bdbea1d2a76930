"""Downloads in a real browser: what arrives, under which name, and what does not."""

import json
import re
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio

from bridge.browser.browser import Browser, open_tabs
from bridge.browser.prelude import PRELUDE
from bridge.browser.retrieval import follow_downloads
from bridge.page.downloads import Download, Downloads
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect, decide
from bridge.session.connection import open_connection
from bridge.timeouts import Timeouts
from bridge.tools import catalogue
from bridge.transport.websocket import open_websocket
from fixtures.site import Site
from tests.support.browsers import PATIENCE, sweep, until
from tests.support.door import ANYTHING, Client, OpenDoor, open_door

pytestmark = pytest.mark.chromium

_NO_DOWNLOADS = PolicyOptions(
    unsafe_all_domains=True, enable_mutations=True, unsafe_enable_eval=True
)
_CAP = 2_000_000
Open = Callable[..., AbstractAsyncContextManager[OpenDoor]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where downloads go."""
    return tmp_path / "downloads"


@pytest.fixture
def opened(endpoint: str, folder: Path) -> Open:
    """Open a door on a browser that keeps downloads."""
    assert catalogue.TOOLS

    @asynccontextmanager
    async def open_it(
        options: PolicyOptions = ANYTHING,
        *,
        exclusive: bool = True,
        dedicated: bool = True,
        timeouts: Timeouts = PATIENCE,
    ) -> AsyncIterator[OpenDoor]:
        doors: list[OpenDoor] = []
        downloads = Downloads(
            folder,
            refusal=lambda url: decide(Effect.DOWNLOAD, url, doors[0].guard.policy).reason,
            enabled=options.enable_downloads,
            dedicated=dedicated,
            cap=_CAP,
        )

        def arrange(browser: Browser) -> None:
            browser.add_prelude(*PRELUDE)
            follow_downloads(browser, downloads)

        async with (
            open_websocket(endpoint, timeouts) as transport,
            open_connection(transport, timeouts) as connection,
            open_tabs(connection, exclusive=exclusive, prepare=arrange) as browser,
            open_door(browser, options, timeouts=timeouts) as door,
        ):
            doors.append(door)
            door.desk.downloads = downloads
            try:
                yield door
            finally:
                await sweep(connection, spare=True)

    return open_it


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def _size(path: Path) -> int:
    return path.stat().st_size


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _content(told: str) -> str:
    return _place(told).read_text()


def _place(told: str) -> Path:
    """Where the answer says the file is: in quotes, for its name is the page's."""
    found = re.match(r'Downloaded ("(?:[^"\\]|\\.)*"): \d+ bytes, \S+$', told)
    assert found is not None, told
    return Path(json.loads(found[1]))


def _pages(door: OpenDoor) -> set[str]:
    """All there are; the one the browser came with becomes a tab of ours in its own time."""
    return {info.target_id for info in door.lifecycle.now.targets.pages()}


async def _run(door: OpenDoor, script: str) -> None:
    """Without a person's gesture, as a page would do it by itself."""
    assert door.desk.current is not None
    await door.desk.current.evaluate(script)


async def test_by_address(opened: Open, site: Site, folder: Path) -> None:
    """A file at an address arrives with its name, size and type, and only we may read it."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        before = _pages(door)
        told = await door.text("download_file", url=site.url("/download?name=a.txt&size=1024"))
        assert ": 1024 bytes, " in told
        path = _place(told)
        assert path == folder / "a.txt"
        assert (_size(path), _mode(path), _mode(folder)) == (1024, 0o600, 0o700)
        assert _pages(door) == before


@pytest.mark.parametrize(
    ("path", "name", "mime"),
    [
        ("/form", "form.html", "text/html"),
        ("/square.svg", "square.svg", "image/svg+xml"),
        ("/redirect?n=2&to=/iframe-text", "iframe-text.html", "text/html"),
    ],
)
async def test_what_a_browser_would_show(
    opened: Open, site: Site, path: str, name: str, mime: str
) -> None:
    """What Chrome would show is downloaded all the same, of another site too."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        told = await door.text("download_file", url=site.other(path))
        assert _place(told).name == name
        assert told.endswith(f" {mime}")


async def test_with_cookies(opened: Open, site: Site) -> None:
    """A file is asked for as the logged-in user, with the page as its referrer."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        await _run(door, "document.cookie = 'who=me'")
        told = await door.text("download_file", url=site.url("/headers"))
        content = _content(told)
    assert "who=me" in content
    assert f"{site.origin}/" in content


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/status?code=404", "HTTP 404"),
        ("/status?code=204", "HTTP 204"),
        ("/close", "net::ERR_EMPTY_RESPONSE"),
        ("/redirect-loop", "net::ERR_TOO_MANY_REDIRECTS"),
        ("/truncated?size=1000", "interrupted"),
        ("/download?name=l.bin&size=5000000", "too large"),
        ("/download?name=l.bin&size=5000000&nolength", "too large"),
    ],
)
async def test_no_file(opened: Open, site: Site, folder: Path, path: str, why: str) -> None:
    """What is no file, or too long, leaves nothing and says why."""
    async with opened() as door:
        told = await door.refusal("download_file", url=site.url(path))
        assert told.startswith("DOWNLOAD_FAILED: ")
        assert why in told
        await until(lambda: _names(folder) == [], "nothing is left of it")
        assert [tab.url for tab in door.lifecycle.now.tabs].count(site.url(path)) == 0


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ("small", "report.txt"),
        ("spaces", "two words & more.txt"),
        ("foreign", "文書 ü.txt"),
        ("blob", "made.txt"),
        ("attribute", "saved page.html"),
        ("program", "setup.exe.download"),
        ("double", "photo.jpg.sh.download"),
        ("hidden", "profile"),
        ("device", "_CON.txt"),
        ("long", "n" * 196 + ".txt"),
    ],
)
async def test_by_click(opened: Open, site: Site, folder: Path, link: str, name: str) -> None:
    """A click that downloads gives a file with the page's name, made harmless."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        await door.text("download_file", selector=f"#{link}")
        assert _names(folder) == [name]


@pytest.mark.parametrize(
    "link", ["parent", "parent-raw", "backslash", "absolute", "backwards", "nul"]
)
async def test_names_that_lead_away(opened: Open, site: Site, folder: Path, link: str) -> None:
    """Names that would lead out of the folder, or lie about their type, do neither."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        told = await door.text("download_file", selector=f"#{link}")
    path = _place(told)
    assert path.parent == folder
    assert not path.name.startswith(".")
    assert path.suffix in (".txt", ".download")
    assert path.name.isprintable()


async def test_click_that_downloads_nothing(opened: Open, site: Site) -> None:
    """A click behind which nothing begins is over soon, and says what to do; a dialog at once."""
    async with opened(timeouts=replace(PATIENCE, offer=0.4)) as door:
        await door.text("navigate", url=site.url("/dialogs"))
        begun = trio.current_time()
        told = await door.refusal("download_file", selector="h1")
        assert told.startswith("DOWNLOAD_FAILED: the click was made, and no download has begun")
        assert "\nLook at the page: " in told
        assert trio.current_time() - begun < 0.4 + PATIENCE.navigation / 2
        assert (await door.refusal("download_file", selector="#alert")).startswith("DIALOG_OPEN: ")
        await door.text("handle_dialog", action="accept")


@pytest.mark.parametrize("link", ["download", ""])
async def test_slow_to_begin(opened: Open, site: Site, folder: Path, link: str) -> None:
    """What Chrome has asked for is waited for, however long the site takes to begin."""
    async with opened(timeouts=replace(PATIENCE, offer=0.2)) as door:
        await door.text("navigate", url=site.url("/downloads"))
        place = site.url("/download?name=late.txt&late=1500")
        await _run(
            door, f"small.href = {place!r}; small.toggleAttribute('download', {link!r} != '')"
        )
        await door.text("download_file", selector="#small")
        assert _names(folder) == ["late.txt"]


async def test_started_by_the_page(opened: Open, site: Site, folder: Path) -> None:
    """What a page downloads by itself lands in our folder, where downloads are enabled."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        await _run(door, "document.getElementById('small').click()")
        await until(lambda: _names(folder) == ["report.txt"], "the file is there")


async def test_address_of_a_file(opened: Open, site: Site, folder: Path) -> None:
    """Who goes to a file instead of downloading it has it, once, and is told so."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        there = site.url("/download?name=report.txt")
        told = await door.text("navigate", url=there)
        assert told.startswith('It is a file: no page was opened. A download began: "report.txt".')
        await until(lambda: _names(folder) == ["report.txt"], "the file is there")
        assert (await door.text("tabs_list")).count(site.url("/downloads")) == 1
        told = await door.text("tab_new", url=there)
        assert "A download began" in told
        await until(lambda: len(_names(folder)) == 2, "that file is there")
        assert "/download?" not in await door.text("tabs_list")


async def test_listed_and_cancelled(opened: Open, site: Site, folder: Path) -> None:
    """Downloads of our tabs are listed with how they stand, and one that runs can be ended."""
    async with opened() as door:
        await door.text("toolsets", enable=["page"])
        assert await door.text("downloads") == "0 downloads."
        await door.text("navigate", url=site.url("/downloads"))
        await _run(door, "document.getElementById('small').click()")
        await until(lambda: _names(folder) == ["report.txt"], "the file is there")
        await _run(door, "document.getElementById('slow').click()")
        await until(lambda: len(_recent(door)) == 2, "the other one has begun")
        done, running = await _listed(door)
        assert (done["id"], done["state"], done["mimeType"]) == ("d1", "complete", "text/plain")
        assert done["path"] == str(folder / "report.txt")
        assert done["bytes"] == (folder / "report.txt").stat().st_size
        assert (running["id"], running["state"]) == ("d2", "running")
        assert running["url"].startswith(site.url("/download"))
        assert await door.text("downloads", cancel="d2") == "Cancelled d2."
        await until(lambda: _recent(door)[1].done.is_set(), "Chrome has ended it")
        _, ended = await _listed(door)
        assert (ended["state"], ended["why"]) == ("interrupted", "the client cancelled it")
        assert await door.text("downloads", cancel="d2") == "d2 was over already: interrupted."
        assert (await door.refusal("downloads", cancel="d3")).startswith("BAD_ARGS: cancel: there")
        await until(lambda: _names(folder) == ["report.txt"], "nothing is left of it")


def _recent(door: OpenDoor) -> list[Download]:
    assert door.desk.downloads is not None
    return list(door.desk.downloads.recent)


async def _listed(door: OpenDoor) -> list[dict[str, Any]]:
    lines = (await door.text("downloads")).split("\n")
    return [json.loads(line) for line in lines if line.startswith("{")]


@pytest.mark.parametrize("exclusive", [True, False])
async def test_off(opened: Open, site: Site, folder: Path, tmp_path: Path, exclusive: bool) -> None:
    """Without the switch no download of a page leaves a file, and that is known."""
    async with opened(_NO_DOWNLOADS, exclusive=exclusive) as door:
        downloads = door.desk.downloads
        assert downloads is not None
        await door.text("navigate", url=site.url("/downloads"))
        await _run(door, "document.getElementById('slow').click()")
        await until(lambda: [d for d in downloads.recent if d.done.is_set()], "it was refused")
        assert downloads.recent[0].state.value == "refused"
        await until(lambda: _names(folder) == [], "nothing is left of it")


async def test_denied_host(opened: Open, site: Site, folder: Path) -> None:
    """Neither an address of a host that is not allowed is downloaded, nor a redirect to one."""
    options = PolicyOptions(allow_domain=("127.0.0.1",), enable_downloads=True)
    async with opened(options) as door:
        await door.text("navigate", url=site.url("/downloads"))
        there = site.other("/download?name=a.txt")
        site.forget_requests()
        for url in (there, site.url(f"/redirect?to={there}")):
            told = await door.refusal("download_file", url=url)
            assert told.startswith("POLICY_DENIED: ")
            assert "localhost" in told
        assert [seen for seen in site.requests if seen.path == "/download"] == []
        assert _names(folder) == []


async def test_cancelled_call(opened: Open, site: Site, folder: Path) -> None:
    """A call that is given up leaves neither a file nor a tab."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        before = _pages(door)
        slow = site.url("/download?name=slow.bin&size=200000&ms=60000")
        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as giving_up:
                nursery.start_soon(_when_begun, door, giving_up)
                await door.call("download_file", url=slow)
        await until(lambda: _names(folder) == [], "nothing is left of it")
        await until(lambda: _pages(door) == before, "the tab is closed")


async def test_left(opened: Open, site: Site, folder: Path) -> None:
    """What a page downloads when we leave its browser goes no further: nobody would claim it."""
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        await _run(door, "document.getElementById('slow').click()")
        await until(lambda: _names(folder), "it comes")
    await until(lambda: _names(folder) == [], "nothing is left of it")


@pytest.mark.parametrize(("length", "total"), [("", 400_000.0), ("&nolength", None)])
async def test_progress(opened: Open, site: Site, length: str, total: float | None) -> None:
    """A client hears how much has come, and of how much where that is known, now and then."""
    client = _Listener()
    slow = site.url(f"/download?name=slow.bin&size=400000&ms=600{length}")
    async with opened() as door:
        await door.text("navigate", url=site.url("/downloads"))
        answer = await door.call("download_file", by=client, url=slow)
    assert not answer.is_error, answer.text
    counts = [done for done, _, _ in client.heard]
    assert counts
    assert counts == sorted(set(counts))
    assert 0 < counts[0] < 400_000
    underway = {total for done, total, _ in client.heard if done < 400_000}
    assert underway == {total}  # at the end it is known
    times = [time for _, _, time in client.heard]
    assert all(later - sooner >= 0.25 for sooner, later in pairwise(times))


@dataclass
class _Listener(Client):
    heard: list[tuple[float, float | None, float]] = field(default_factory=list)

    async def progress(self, done: float, total: float | None, message: str) -> None:
        self.heard.append((done, total, trio.current_time()))
        await trio.lowlevel.checkpoint()


async def _when_begun(door: OpenDoor, scope: trio.CancelScope) -> None:
    downloads = door.desk.downloads
    assert downloads is not None
    await until(lambda: downloads.recent, "it has begun")
    scope.cancel()
