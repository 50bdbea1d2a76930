"""Unpacked extensions are loaded, by switch or over CDP."""

from pathlib import Path

import pytest

from bridge import cdp
from bridge.api import open_browser
from bridge.browser.browser import Browser
from bridge.timeouts import deadline
from launcher import start

pytestmark = pytest.mark.chromium
_EXTENSION = Path(__file__).parents[2] / "fixtures" / "extension"


async def worker_appears(browser: Browser) -> None:
    """Until the extension's worker is among the targets."""
    root = browser.connection.root
    limit = deadline(browser.connection.timeouts, "command", "waiting for the extension")
    with limit, root.events(cdp.target.TargetCreated) as created:
        known = (await root.execute(cdp.target.get_targets())).target_infos
        if any(_is_worker(info) for info in known):
            return
        await created.first(lambda event: _is_worker(event.target_info))


def _is_worker(info: cdp.target.TargetInfo) -> bool:
    return info.type == "service_worker" and info.url.endswith("/worker.js")


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("by_flag", [True, False])
async def test_loaded(
    isolated: bool, by_flag: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker runs, also in builds that ignore the switch and are told over CDP."""
    monkeypatch.setattr(start, "loads_extensions_by_flag", lambda browser: by_flag)
    async with open_browser(
        headless=True, isolated=isolated, data_dir=tmp_path, extensions=(_EXTENSION,)
    ) as browser:
        await worker_appears(browser)
