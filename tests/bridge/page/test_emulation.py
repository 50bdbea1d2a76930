"""Conditions of a network are laid over the rules that hold, never in their place."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from bridge import cdp
from bridge.errors import ChromeError
from bridge.page.emulation import NETWORKS, Conditions, Emulation, over
from tests.support.played_page import PlayedPage, open_played_page
from tests.support.scripted_chrome import settle


def _rule(pattern: str, *, offline: bool) -> cdp.network.NetworkConditions:
    return cdp.network.NetworkConditions(
        url_pattern=pattern,
        latency=0,
        download_throughput=-1,
        upload_throughput=-1,
        offline=offline,
    )


def test_what_is_shut_stays_shut() -> None:
    """A rule that keeps something offline is kept as it is, in its place."""
    rules = [_rule("ws://a/*", offline=False), _rule("", offline=True)]
    open_, shut = over(rules, NETWORKS["fast4g"])
    assert (open_.url_pattern, open_.latency, open_.offline) == ("ws://a/*", 60, False)
    assert shut == rules[1]


def test_without_rules() -> None:
    """Without rules the conditions hold for everything."""
    (rule,) = over([], Conditions(latency=0.1, down=10, up=5))
    assert rule.url_pattern == ""
    assert (rule.latency, rule.download_throughput, rule.upload_throughput) == (100, 10, 5)


def test_offline() -> None:
    """Offline is offline for what was let through as well."""
    assert all(rule.offline for rule in over([_rule("x", offline=False)], NETWORKS["offline"]))


def test_the_end_of_it() -> None:
    """No conditions give the rules back as they were."""
    rules = [_rule("ws://a/*", offline=False), _rule("", offline=True)]
    assert list(over(rules, NETWORKS["none"])) == rules


_SETTINGS = (
    "Browser.setPermission",
    "Emulation.clearDeviceMetricsOverride",
    "Emulation.clearGeolocationOverride",
    "Emulation.setDeviceMetricsOverride",
    "Emulation.setGeolocationOverride",
    "Emulation.setTouchEmulationEnabled",
    "Emulation.setUserAgentOverride",
)
_Act = Callable[[Emulation], Awaitable[object]]


def _settings(page: PlayedPage, method: str, name: str) -> list[object]:
    return [asked.params[name] for asked in page.chrome.seen if asked.method == method]


@pytest.mark.parametrize(
    ("begin", "end", "method", "name", "values"),
    [
        (
            lambda emulation: emulation.device("phone"),
            lambda emulation: emulation.device("none"),
            "Emulation.setTouchEmulationEnabled",
            "enabled",
            [True, False],
        ),
        (
            lambda emulation: emulation.geolocation(1, 2, 3),
            lambda emulation: emulation.no_geolocation(),
            "Browser.setPermission",
            "setting",
            ["granted", "prompt"],
        ),
    ],
    ids=["touch", "place"],
)
async def test_taken_back(
    begin: _Act, end: _Act, method: str, name: str, values: list[object]
) -> None:
    """What Chrome was told by a call that was taken back ends like what it has answered."""
    async with open_played_page() as page:
        page.chrome.answers |= dict.fromkeys(_SETTINGS, lambda _: {})
        page.chrome.hold.add(method)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(begin, page.tab.emulation)
            await settle()
            nursery.cancel_scope.cancel()
        page.chrome.hold.clear()
        await end(page.tab.emulation)
        assert _settings(page, method, name) == values


async def test_place_that_is_refused() -> None:
    """Where Chrome grants nothing there is nothing to take back."""
    async with open_played_page() as page:
        page.chrome.answers |= dict.fromkeys(_SETTINGS, lambda _: {})
        page.chrome.hold.add("Browser.setPermission")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_refuse, page)
            with pytest.raises(ChromeError):
                await page.tab.emulation.geolocation(1, 2, 3)
        await page.tab.emulation.no_geolocation()
        assert _settings(page, "Browser.setPermission", "setting") == ["granted"]


async def _refuse(page: PlayedPage) -> None:
    await settle()
    page.chrome.fake.refuse(page.chrome.held.pop(), -32602, "no")
