"""Downloads that begin when the call behind them has been answered."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fixtures.site import Site
from tests.support.browsers import until
from tests.support.door import ANYTHING
from tests.support.plugged import short_folder
from tests.support.served import Served, open_served

pytestmark = pytest.mark.chromium

_LATER = "setTimeout(() => document.getElementById('small').click(), 1200); 1"
_APART = "document.getElementById('small').target = '_blank'; 1"


@dataclass
class Saving:
    """A server whose page offers files."""

    served: Served
    folder: Path

    async def does(self, tool: str, **arguments: object) -> str:
        """The answer of a call."""
        return await self.served.does(tool, **arguments)

    async def saved(self) -> None:
        """The file has come."""
        await until((self.folder / "downloads" / "report.txt").exists, "it is there")


@pytest.fixture
async def saving(site: Site) -> AsyncIterator[Saving]:
    """All is allowed."""
    with short_folder() as folder:
        async with open_served(folder, ANYTHING) as served:
            await served.does("navigate", url=site.url("/downloads"))
            yield Saving(served, folder)


async def test_behind_the_answer(saving: Saving) -> None:
    """One that a timer begins is told by the next answer, once."""
    assert "Note" not in await saving.does("eval", expression=_LATER)
    await saving.saved()
    said = await saving.does("snapshot")
    assert said.startswith("Note: t"), said
    assert 'has begun to download "report.txt". Its path is told by' in said.splitlines()[0]
    assert "Note" not in await saving.does("snapshot")


async def test_tab_opened_for_a_file(saving: Saving) -> None:
    """A link that opens a tab for a file is told as a download, here or by the next answer."""
    await saving.does("eval", expression=_APART)
    said = await saving.does("click", selector="#small")
    await saving.saved()
    said += await saving.does("snapshot", selector="h1")
    assert said.count("report.txt") == 1, said
    assert "Chrome did not" not in said


async def test_told_by_the_call(saving: Saving) -> None:
    """What a call has told is no news to the next, nor what the list has shown."""
    await saving.does("download_file", selector="#small")
    assert "Note" not in await saving.does("snapshot")
    await saving.does("eval", expression=_LATER)
    await until((saving.folder / "downloads" / "report (2).txt").exists, "it is there")
    assert "Note" not in await saving.does("downloads")
    assert "Note" not in await saving.does("snapshot")
