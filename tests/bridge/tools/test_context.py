"""What a tool may use."""

import pytest

from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.toolsets import Toolsets
from tests.support.door import Client, open_door
from tests.support.scripted_chrome import open_scripted


async def test_no_tab_unless_it_takes_one() -> None:
    """A tool that takes no tab cannot reach one by mistake, but the browser it can."""
    async with open_scripted() as (_, browser), open_door(browser) as door:

        async def allow(effect: Effect, url: str) -> None:
            raise AssertionError

        context = ToolContext(
            desk=door.desk,
            caller=Client(),
            allow=allow,
            readable=lambda url: True,
            permits=lambda effect, url: True,
            offer=Toolsets(),
            again=lambda name, arguments: door.tools.call(name, arguments, Client()),
        )
        assert await context.browser() is browser
        assert context.timeouts is door.desk.timeouts
        with pytest.raises(AssertionError):
            _ = context.tab
