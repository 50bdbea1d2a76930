"""The library's door."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge import api
from bridge.browser.browser import Prepare
from bridge.errors import LaunchError
from bridge.timeouts import Timeouts
from launcher.options import SIZE, LaunchOptions


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[LaunchOptions, Timeouts]]:
    """What the launcher was asked for; nothing is launched."""
    calls: list[tuple[LaunchOptions, Timeouts]] = []

    @asynccontextmanager
    async def open_session(
        options: LaunchOptions, timeouts: Timeouts, *, prepare: Prepare
    ) -> AsyncIterator[tuple[None, str]]:
        calls.append((options, timeouts))
        if options.profile == "broken":
            raise LaunchError("LAUNCH_FAILED", "no")
        yield None, "the browser"

    monkeypatch.setattr(api, "open_session", open_session)
    return calls


async def test_fields_are_arguments(asked: list[Any], tmp_path: Path) -> None:
    """Fields of LaunchOptions are keyword arguments, folders in words too, on top of options."""
    options = LaunchOptions(profile="work", headless=False)
    patience = Timeouts(navigation=1.0)
    async with bridge.open_browser(
        options, timeouts=patience, headless=True, data_dir=str(tmp_path)
    ) as browser:
        assert str(browser) == "the browser"
    [(launched, timeouts)] = asked
    assert launched == replace(options, headless=True, data_dir=tmp_path, window_size=SIZE)
    assert timeouts is patience


async def test_errors_come_as_they_are(asked: list[Any]) -> None:
    """A failed launch leaves as itself."""
    with pytest.raises(LaunchError):
        async with bridge.open_browser(profile="broken"):
            raise AssertionError("unreachable")


async def test_misspelt_field(asked: list[Any]) -> None:
    """A field that does not exist is a TypeError before anything happens."""
    with pytest.raises(TypeError, match="headles"):
        async with bridge.open_browser(headles=True):
            raise AssertionError("unreachable")
    assert asked == []


def test_names_of_the_package() -> None:
    """The package offers what it lists, and nothing it does not have."""
    for name in bridge.__all__:
        assert getattr(bridge, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bridge.nothing
