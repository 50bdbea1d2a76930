"""A whole task, as an agent does it: log in, send a form and a file, drag, confirm, read, download.

A step is believed when the site was told of it and the page shows it, not when the answer says so.
"""

import re
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import trio

from fixtures.contents import CITIES
from fixtures.login import PASSWORD, USER
from fixtures.site import Site
from tests.support.agent import MADE_TO_RUN, Agent, open_agent
from tests.support.ground import Ground, ground

__all__ = ["ground"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]
LETTER = b"Dear site, two of everything, please.\n"
ROW = re.compile(
    r"^ *- row: (\d+) \| (\w+) \|", re.MULTILINE
)  # once more where a part begins inside
LINK = re.compile(r'- link "Order (\d+)"')
CURSOR = re.compile(r"; cursor (\S+)$")


@dataclass
class Task:
    """An agent, the site it works on, and the folders it may use."""

    agent: Agent
    site: Site
    ground: Ground

    async def log_in(self) -> None:
        """By the refs of a snapshot, as a person by what they see."""
        await self.agent.does("navigate", url=self.site.url("/private"))
        page = await self.agent.does("snapshot")
        await self.agent.does("type", ref=ref_of(page, 'textbox "User name"'), text=USER)
        await self.agent.does("type", ref=ref_of(page, 'textbox "Password"'), text=PASSWORD)
        said = await self.agent.does("click", ref=ref_of(page, 'button "Sign in"'))
        assert f"Now at {self.site.url('/private')}" in said
        posted = await self.site.wait_request("/login", times=2)
        assert (posted.method, b"user=user" in posted.body) == ("POST", True)
        assert "You are signed in as user" in await self.agent.does("get_text")
        last = await self.site.wait_request("/private", times=2)
        assert f"login={USER}" in dict(last.headers)["cookie"]

    async def order(self) -> None:
        """A form with text, a list, a box and a file."""
        await self.agent.does("navigate", url=self.site.url("/errand"))
        said = await self.agent.does("click", selector="#order")
        assert "The browser did not send the form" in said
        assert "Customer" in said
        fields = {"#customer": "Zoë “Ünü” O'Hara", "#speed": "Fast", "#gift": True}
        said = await self.agent.does("fill_form", fields=fields)
        assert said.startswith("Filled in 3 of 3 fields.")
        await self.agent.does("upload_file", selector="#list", paths=["letter.txt"])
        said = await self.agent.does("click", selector="#order")
        assert f'Now at {self.site.url("/echo")} "What was sent"' in said
        sent = await self.site.wait_request("/echo")
        for part in ("Zoë “Ünü” O'Hara".encode(), b"fast", b"yes", b'"letter.txt"', LETTER):
            assert part in sent.body
        assert f"letter.txt, {len(LETTER)} bytes" in await self.agent.does("get_text")
        said = await self.agent.does("back")
        assert said.startswith(self.site.url("/errand"))

    async def load(self) -> None:
        """Drag one thing onto another."""
        said = await self.agent.does("drag", fromSelector="#parcel", toSelector="#van")
        told = await self.site.wait_request("/echo", times=2)
        assert told.query == "loaded=parcel"
        assert "The parcel is in the van." in said

    async def confirm(self) -> None:
        """Answer the question a page asks; everything else waits for the answer."""
        said = await self.agent.does("click", selector="#close")
        assert 'confirm: "Close the account for ever?"' in said
        assert (await self.agent.refused("snapshot")).startswith("DIALOG_OPEN")
        await self.agent.does("handle_dialog", action="accept")
        told = await self.site.wait_request("/echo", times=3)
        assert told.query == "closed=true"
        await self.agent.does("wait_for", textContains="The account is closed.")

    async def read(self) -> None:
        """All rows of a long table, each once and in order, part by part."""
        said = await self.agent.does("click", selector="#orders")
        assert 'table?rows=300 "Table"' in said
        parts = [await self.agent.does("snapshot", maxTokens=2_000)]
        while found := CURSOR.search(parts[-1]):
            parts.append(await self.agent.does("snapshot", cursor=found[1], maxTokens=2_000))
        assert len(parts) > 2
        assert max(len(part.encode()) for part in parts) < 9_000
        whole = "\n".join(parts)
        assert [int(number) for number in LINK.findall(whole)] == list(range(1, 301))
        rows = {int(number): city for number, city in ROW.findall(whole)}
        assert rows == {number: CITIES[number % len(CITIES)] for number in range(1, 301)}

    async def fetch(self) -> None:
        """A file, into the server's folder and nobody else's eyes."""
        await self.agent.does("back")
        said = await self.agent.does("download_file", selector="#bill")
        await self.site.wait_request("/download")
        file = trio.Path(said.split('"')[1])
        assert file.is_relative_to(self.ground.data / "downloads")
        assert file.name == "bill.txt"
        assert await file.read_bytes() == b"0123456789abcdef" * 128
        assert stat.S_IMODE((await file.stat()).st_mode) == 0o600


def ref_of(page: str, element: str) -> str:
    """The ref of the line that names an element so."""
    found = re.search(rf"{re.escape(element)}.*?\[ref=(\w+)\]", page)
    assert found is not None, (element, page)
    return found[1]


@pytest.fixture(params=MADE_TO_RUN, ids="-".join)
async def task(request: pytest.FixtureRequest, ground: Ground, site: Site) -> AsyncIterator[Task]:
    """A server that allows the fixture site everything a task needs, and nothing else."""
    uploads = ground.root / "uploads"
    uploads.mkdir()
    (uploads / "letter.txt").write_bytes(LETTER)
    flags = ["--allow-domain", "127.0.0.1", "--enable-mutations", "--enable-downloads"]
    flags += ["--enable-uploads", "--uploads-dir", str(uploads)]
    how, era = request.param
    async with open_agent(ground, how, era, flags) as agent:
        yield Task(agent, site, ground)


async def test_whole_task(task: Task) -> None:
    """Every step arrives at the site and shows in the page, over both wires and in both eras."""
    await task.log_in()
    await task.order()
    await task.load()
    await task.confirm()
    await task.read()
    await task.fetch()
