"""The fixture `browser`: our tabs in a real Chromium, reached in every way there is.

Each test connects anew, once as if it were alone (new pages are paused for it) and once as one of
several; every page that is left is closed after it. Tests marked `contract` are carried out over
the extension as well, and one that cannot be says why: `@pytest.mark.differs("…")` names the line
of docs/extension.md that tells it. Those marked `inside` are about the one library that reads and
touches pages wherever they are: over a port once, over the extension where that is all that is
tested (`make test-extension`). What only a pipe shows is in `test_api`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.errors import PageError
from bridge.page.frames import Frame
from bridge.timeouts import Timeouts
from fixtures.site import Site
from tests.support.browsers import PATIENCE, Connect, open_browser_at, sweep, until
from tests.support.linked import crash_outside, open_linked, tidy
from tests.support.readings import served_by

Crash = Callable[[Frame], Awaitable[None]]

_LINK = pytest.param("extension", marks=pytest.mark.extension)
_LINK_AT_LENGTH = pytest.param("extension", marks=[pytest.mark.extension, pytest.mark.slow])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Over the port in one way or two, and over the extension where that is the contract."""
    name = next((each for each in ("browser", "logged") if each in metafunc.fixturenames), None)
    if name is None:
        return
    node = metafunc.definition
    inside = node.get_closest_marker("inside")
    once = inside or node.get_closest_marker("shared")
    ways: list[object] = ["shared"] if once else ["alone", "shared"]
    if name == "logged":
        ways = ["alone"]
    if (inside or node.get_closest_marker("contract")) and not node.get_closest_marker("differs"):
        ways.append(_LINK_AT_LENGTH if inside else _LINK)
    metafunc.parametrize(name, ways, indirect=True)


@pytest.fixture
async def browser(request: pytest.FixtureRequest, site: Site) -> AsyncIterator[Browser]:
    """Our tabs, in one of the ways to be in a browser."""
    if request.param == "extension":
        everyday = request.getfixturevalue("contracted")
        with served_by(site):
            async with open_linked(everyday) as opened:
                try:
                    yield opened
                finally:
                    await tidy(everyday)
        return
    spare = request.node.get_closest_marker("empty") is None
    endpoint = request.getfixturevalue("endpoint")
    async with open_browser_at(endpoint, exclusive=request.param == "alone") as opened:
        try:
            yield opened
        finally:
            await sweep(opened.connection, spare=spare)


@pytest.fixture
def connect(request: pytest.FixtureRequest, browser: Browser) -> Connect:
    """Open further connections to the same browser, shared ones unless told otherwise."""
    linked = browser.kind == "extension"
    url = (
        request.getfixturevalue("contracted").url if linked else request.getfixturevalue("endpoint")
    )

    def open_another(
        *, exclusive: bool = False, timeouts: Timeouts = PATIENCE
    ) -> AbstractAsyncContextManager[Browser]:
        return open_browser_at(url, exclusive=exclusive, timeouts=timeouts)

    return open_another


@pytest.fixture
def crash(request: pytest.FixtureRequest) -> Crash:
    """End the process of a frame; the command itself never gets an answer."""

    async def from_within(frame: Frame) -> None:
        with pytest.raises(PageError, match="crashed"):
            await frame.session.execute(cdp.page.crash())

    async def from_outside(frame: Frame) -> None:
        await crash_outside(request.getfixturevalue("contracted"), frame.id)
        await until(lambda: frame.session.crashed, "the crash is known")

    linked = "extension" in request.node.callspec.params.values()
    return from_outside if linked else from_within
