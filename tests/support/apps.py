"""The fixture `app`: an application made of real libraries, used as an agent uses it."""

import re
import shutil
from collections.abc import AsyncIterator

import pytest

from bridge.browser.browser import Browser
from bridge.browser.prelude import PRELUDE
from fixtures.bundles import FOLDER
from fixtures.site import Site
from tests.house.sources import ROOT
from tests.support.browsers import until_true
from tests.support.door import open_door
from tests.support.stage import Stage


class App(Stage):
    """A stage whose page is one of `fixtures/apps`; what it knows of itself is in `window.app`."""

    async def open(self, name: str) -> str:
        """Go there, with the tab in front: behind another one Chrome draws once a second."""
        await self.does("navigate", url=self.site.url(f"/apps/{name}"))
        await self.tab.bring_to_front()
        return await self.does("snapshot")

    async def ref(self, line: str) -> str:
        """The ref in the first line of a new snapshot that holds these words."""
        return ref_of(await self.does("snapshot"), line)

    async def state(self, expression: str) -> object:
        """What the application itself knows."""
        return await self.value(f"app.{expression}")

    async def comes(self, expression: str, wanted: object) -> None:
        """Wait until the application knows this."""

        async def holds() -> bool:
            return await self.state(expression) == wanted

        await until_true(holds, f"app.{expression} is {wanted!r}")


def ref_of(snapshot: str, line: str) -> str:
    """The ref in the first line that holds these words."""
    found = re.search(rf"^.*{re.escape(line)}.*\[ref=(\w+)\]", snapshot, re.MULTILINE)
    assert found, f"no line {line!r} in\n{snapshot}"
    return found[1]


@pytest.fixture
async def app(browser: Browser, site: Site) -> AsyncIterator[App]:
    """Tools on a browser set up as the server does; without Node.js there is nothing to try."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no Node.js here")
    wanted = (ROOT / "fixtures" / "apps" / "package.json").read_text()
    installed = FOLDER / "installed.json"
    if not installed.exists() or installed.read_text() != wanted:
        pytest.fail("The applications are not bundled, or not these versions: run `make apps`.")
    browser.add_prelude(*PRELUDE)
    async with open_door(browser) as door:
        yield App(door, site)
