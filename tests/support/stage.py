"""The fixture `stage`: a page that a test writes as it needs it, and tools that act on it."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from bridge.browser.browser import Browser
from bridge.browser.prelude import PRELUDE
from bridge.browser.tab import Tab
from bridge.tools import catalogue as catalogue
from fixtures.site import Site
from tests.support.browsers import PATIENCE, Connect
from tests.support.door import OpenDoor, open_door

HURRIED = replace(PATIENCE, action=0.6, settle=0.8, read=1.5)


@dataclass
class Stage:
    """One tab in front of the tools."""

    door: OpenDoor
    site: Site

    @property
    def tab(self) -> Tab:
        tab = self.door.desk.current
        assert tab is not None
        return tab

    async def show(self, html: str) -> None:
        """Write the page anew, scripts and all, at an address of the site."""
        await self.door.text("navigate", url=self.site.url("/stage"))
        await self.write(html)

    async def write(self, html: str) -> None:
        """Replace what the page shows."""
        page = html.replace("{{here}}", self.site.origin).replace(
            "{{other}}", self.site.other_origin
        )
        script = f"document.open(); document.write({json.dumps(page)}); document.close()"
        await self.tab.evaluate(script)

    async def value(self, expression: str) -> object:
        """Of a script in the page."""
        return await self.tab.evaluate(expression)

    async def does(self, tool: str, /, **arguments: object) -> str:
        """The answer of a call that has to succeed."""
        return await self.door.text(tool, **arguments)

    async def refuses(self, tool: str, /, **arguments: object) -> str:
        """The answer of a call that has to fail."""
        return await self.door.refusal(tool, **arguments)


@pytest.fixture
async def stage(browser: Browser, site: Site) -> AsyncIterator[Stage]:
    """Tools on a browser set up as the server does."""
    browser.add_prelude(*PRELUDE)
    async with open_door(browser) as door:
        yield Stage(door, site)


@pytest.fixture
async def hurried(connect: Connect, site: Site) -> AsyncIterator[Stage]:
    """The same with short deadlines, for what never comes."""
    async with connect(timeouts=HURRIED) as browser:
        browser.add_prelude(*PRELUDE)
        async with open_door(browser, timeouts=HURRIED) as door:
            yield Stage(door, site)
