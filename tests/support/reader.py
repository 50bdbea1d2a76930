"""The fixture `reader`: tools that look at a page in a real Chromium, set up as the server does."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from bridge.browser.browser import Browser
from bridge.browser.prelude import PRELUDE
from bridge.browser.tab import Tab
from bridge.tools import catalogue
from fixtures.site import Site
from tests.support.door import OpenDoor, open_door


@dataclass
class Reader:
    """A door, and the site it reads."""

    door: OpenDoor
    site: Site

    @property
    def tab(self) -> Tab:
        """The current one."""
        tab = self.door.desk.current
        assert tab is not None
        return tab

    async def go(self, path: str) -> None:
        """Show a page of the site."""
        await self.door.text("navigate", url=self.site.url(path))

    async def show(self, html: str) -> None:
        """Show this, with scripts where they are said to run (`go` to a page first)."""
        await self.go("/charset")  # a page without scripts of its own
        await self.tab.evaluate(f"document.documentElement.innerHTML = {json.dumps(html)}; 1")

    async def text(self, name: str, /, **arguments: Any) -> str:
        """The text of a call that has to succeed."""
        return await self.door.text(name, **arguments)

    async def page(self, name: str, /, **arguments: Any) -> str:
        """What the page says in it."""
        answer = await self.door.text(name, **arguments)
        inside = answer.partition(" untrusted>\n")[2]
        return inside.rpartition("\n</page ")[0]

    async def facts(self, name: str, /, **arguments: Any) -> Any:
        """The same for an answer in JSON."""
        return json.loads(await self.page(name, **arguments))

    async def refusal(self, name: str, /, **arguments: Any) -> str:
        """The text of a call that has to fail."""
        return await self.door.refusal(name, **arguments)


@pytest.fixture
async def reader(browser: Browser, site: Site) -> AsyncIterator[Reader]:
    """All tools, on one browser."""
    assert catalogue.TOOLS
    browser.add_prelude(*PRELUDE)
    async with open_door(browser, toolsets=("all",)) as door:
        yield Reader(door, site)
