"""The library: `async with open_browser() as browser`, and everything else from there.

One browser for the length of a block. It does not come back by itself if it is lost: the block ends
with the error, and the caller decides.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bridge.browser.browser import Browser
from bridge.browser.lifecycle import open_session
from bridge.browser.prelude import arrange
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions, sized


@asynccontextmanager
async def open_browser(
    options: LaunchOptions | None = None,
    *,
    timeouts: Timeouts | None = None,
    **changes: Any,
) -> AsyncIterator[Browser]:
    """Launch or attach; at the end our tabs are closed, and the browser if nobody else uses it.

    Keyword arguments are fields of LaunchOptions: `open_browser(headless=True, profile="work")`.
    """
    options = sized(replace(options or LaunchOptions(), **_paths(changes)))
    async with open_session(options, timeouts or Timeouts(), prepare=arrange) as (_, browser):
        yield browser


def _paths(changes: dict[str, Any]) -> dict[str, Any]:
    """Folders may be given as text."""
    folders = {"user_data_dir", "data_dir", "executable"}
    return {
        name: Path(value) if name in folders and isinstance(value, str) else value
        for name, value in changes.items()
    }
