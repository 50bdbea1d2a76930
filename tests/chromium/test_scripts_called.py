"""Functions that a caller writes down for `eval`, in a real page."""

import pytest

from fixtures.site import Site
from tests.support.logged import OpenLogged, open_page

pytestmark = [pytest.mark.chromium, pytest.mark.contract]


async def test_functions(logged: OpenLogged, site: Site) -> None:
    """A function is called once and its promise awaited; one that is only named is left alone."""
    async with logged() as door:
        await open_page(door, site.url("/form"))
        for script, value in (
            ("() => location.pathname", '"/form"'),
            ("async () => {\n  window.calls = (window.calls || 0) + 1;\n  return calls;\n};", "1"),
            ("x => typeof x // nothing", '"undefined"'),
            ("window.named = () => calls++", "{}"),
            ("named", "{}"),
            ("() => calls", "1"),
        ):
            told = await door.text("eval", expression=script)
            assert told.splitlines()[1] == value, script
