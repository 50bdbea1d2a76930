"""The same whole task in a person's own Chrome: `serve` in a process, the extension in the browser.

What is different: nothing is launched, the tab is one of the person's browser, and a download lands
where that browser puts it.
"""

from collections.abc import AsyncIterator

import pytest
import trio

from fixtures.site import Site
from tests.chromium.test_whole_task import LETTER, Task
from tests.support.agent import open_agent
from tests.support.browsers import until_true
from tests.support.ground import Ground, ground
from tests.support.linked import Everyday, look, open_outside, tidy

__all__ = ["ground"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.extension,
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]


class EverydayTask(Task):
    """The task where the browser is the person's."""

    async def fetch(self) -> None:
        """A file, whole, to where the person's browser puts what is downloaded."""
        await self.agent.does("back")
        said = await self.agent.does("download_file", selector="#bill")
        await self.site.wait_request("/download")
        file = trio.Path(said.split('"')[1])
        try:
            assert file.name.startswith("bill")
            assert await file.read_bytes() == b"0123456789abcdef" * 128
        finally:
            await file.unlink(missing_ok=True)


@pytest.fixture
async def task(everyday: Everyday, ground: Ground, site: Site) -> AsyncIterator[Task]:
    """A server that uses the browser of a person and no other."""
    uploads = ground.root / "uploads"
    uploads.mkdir()
    (uploads / "letter.txt").write_bytes(LETTER)
    flags = ["--allow-domain", "127.0.0.1", "--enable-mutations", "--enable-downloads"]
    flags += ["--enable-uploads", "--uploads-dir", str(uploads)]
    flags += ["--prefer", "extension", "--no-fallback", "--data-dir", str(everyday.folder)]
    async with open_agent(ground, "stdio", "auto", flags) as agent, open_outside(everyday) as out:

        async def linked() -> bool:
            await look(out)
            return not (await agent.call("tab_new")).is_error

        await until_true(linked, "the extension has found the server")
        yield EverydayTask(agent, site, ground)
        await tidy(everyday)


async def test_whole_task(task: Task) -> None:
    """Log in, send a form and a file, drag, confirm, read 300 rows, download: all of it arrives."""
    status = await task.agent.does("status")
    assert "backend: extension" in status
    await task.log_in()
    await task.order()
    await task.load()
    await task.confirm()
    await task.read()
    await task.fetch()
