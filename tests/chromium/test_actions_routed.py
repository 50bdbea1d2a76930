"""Pages that take a navigation over (`navigation.intercept`) and show it when they have it."""

import pytest
import trio

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_ROUTER = (
    "<a href='?one' id=a>One</a> <a href='?bad' id=bad>Bad</a><main id=m>Home</main><script>"
    "navigation.addEventListener('navigate', (event) => event.canIntercept && event.intercept({"
    " async handler() { m.textContent = 'Wait';"
    " await new Promise((resolve) => setTimeout(resolve, 400));"
    " if (event.destination.url.endsWith('bad')) throw new Error('no such route');"
    " m.textContent = 'At ' + event.destination.url.split('?')[1] } }))</script>"
)


async def test_route_that_takes_its_time(stage: Stage) -> None:
    """The answer comes when the route is there, back and forward as well."""
    await stage.show(_ROUTER)
    said = await stage.does("click", selector="#a")
    assert "At one" in said, said
    assert "Wait" not in said
    assert "?one" in said.splitlines()[1]
    await stage.does("back")
    assert "At one" not in await stage.does("get_text")
    await stage.does("forward")
    assert "At one" in await stage.does("get_text")


async def test_route_that_fails(stage: Stage) -> None:
    """One that never shows is told as far as it came."""
    await stage.show(_ROUTER)
    assert "Wait" in await stage.does("click", selector="#bad")


@pytest.mark.inside
async def test_route_that_goes_on(stage: Stage) -> None:
    """One that has not come after a while is waited for no more, whatever is done meanwhile."""
    await stage.show(
        "<button id=b onclick='navigation.navigate(\"?on\")'>Go</button><input id=i><script>"
        "navigation.addEventListener('navigate', (event) => event.canIntercept &&"
        " event.intercept({ handler: () => new Promise(() => {}) }))</script>"
    )
    began = trio.current_time()
    await stage.does("click", selector="#b")
    assert 3 < trio.current_time() - began < 5
    for tool, more in (("hover", {}), ("type", {"text": "x"}), ("press", {"key": "a"})):
        began = trio.current_time()
        await stage.does(tool, selector="#i", **more)
        assert trio.current_time() - began < 2, tool
