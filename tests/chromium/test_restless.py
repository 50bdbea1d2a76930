"""Pages that ask for something all the time: what an action has fired is told from the rest."""

import pytest

from fixtures.site import Site
from tests.support.logged import OpenLogged, open_page

pytestmark = [pytest.mark.chromium, pytest.mark.contract]

_BUTTON = "document.body.innerHTML = `<button onclick=\"fetch('/slow?ms=50')\">Load</button>`; 1"
_RESTLESS = {
    "200 a second": """setInterval(() => {
        for (let n = 0; n < 10; n++) fetch('/echo').then(r => r.text());
    }, 50); 1""",
    "again and again": "void (async () => { for (;;) await (await fetch('/echo')).text(); })()",
    "slowly answered": "setInterval(() => fetch('/slow?ms=400').then(r => r.text()), 150); 1",
    "with ids": """setInterval(() => {
        fetch(`/echo?${crypto.randomUUID()}`).then(r => r.text());
    }, 25); 1""",
}


@pytest.mark.parametrize("script", _RESTLESS.values(), ids=_RESTLESS)
async def test_restless(logged: OpenLogged, site: Site, script: str) -> None:
    """Beside a page that never rests a click waits for what it has loaded, and for nothing else."""
    async with logged() as door:
        tab = await open_page(door, site.url("/stage"))
        await tab.evaluate(_BUTTON)
        await tab.evaluate(script)
        path, times = ("/slow", 8) if "/slow" in script else ("/echo", 60)
        await site.wait_request(path, times=times)  # it is known what the page does by itself
        for number in (1, 2, 3):
            told = await door.text("click", selector="button")
            loaded = [request for request in tab.network if request.url.endswith("ms=50")]
            assert [request.done.is_set() for request in loaded] == [True] * number
            assert "Still waiting" not in told
