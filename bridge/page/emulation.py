"""Lets a page believe in another screen, network, processor or place.

The conditions of the network are also what keeps the sockets of a page from hosts that are not
allowed, and whoever sets them replaces all there are. So new ones are never set by themselves: they
are laid over the rules that hold (`rules`), and what is offline there stays offline.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from bridge import cdp
from bridge.cdp.base import Command
from bridge.page.frames import Frames
from bridge.session.session import Session

Rules = Sequence[cdp.network.NetworkConditions]
NetworkName = Literal["none", "offline", "slow3g", "fast3g", "slow4g", "fast4g"]
DeviceName = Literal["none", "phone", "small phone", "tablet", "laptop"]

_UNLIMITED = -1.0
_KBIT = 1000 / 8


@dataclass(frozen=True, slots=True)
class Conditions:
    """Of a network; bytes a second, -1 without a limit."""

    latency: float = 0.0  # seconds
    down: float = _UNLIMITED
    up: float = _UNLIMITED
    offline: bool = False


NETWORKS: dict[NetworkName, Conditions] = {
    "none": Conditions(),
    "offline": Conditions(offline=True),
    "slow3g": Conditions(2.0, 400 * _KBIT, 400 * _KBIT),
    "fast3g": Conditions(0.5625, 1600 * _KBIT, 750 * _KBIT),
    "slow4g": Conditions(0.15, 1600 * _KBIT, 750 * _KBIT),
    "fast4g": Conditions(0.06, 9000 * _KBIT, 4000 * _KBIT),
}


@dataclass(frozen=True, slots=True)
class Device:
    """A screen, and what holds it."""

    width: int
    height: int
    scale: float
    mobile: bool


DEVICES: dict[DeviceName, Device | None] = {
    "none": None,
    "phone": Device(412, 915, 2.625, True),
    "small phone": Device(375, 667, 2.0, True),
    "tablet": Device(820, 1180, 2.0, True),
    "laptop": Device(1366, 768, 1.0, False),
}


class Emulation:
    """Of one tab; what is set holds for the frames that are there, until it is set again."""

    def __init__(self, session: Session, frames: Frames) -> None:
        self._session = session
        self._frames = frames
        self._located: set[str] = set()  # origins that may know where they are, by our doing

    async def resize(self, width: int, height: int) -> None:
        """Give the page a viewport of this size."""
        await self._session.execute(
            cdp.emulation.set_device_metrics_override(width, height, 0, mobile=False)
        )

    async def device(self, name: DeviceName) -> None:
        """A screen that is touched where it is a phone's; "none" is the window's own."""
        device = DEVICES[name]
        if device is None:
            await self._session.execute_all(
                cdp.emulation.clear_device_metrics_override(),
                cdp.emulation.set_touch_emulation_enabled(enabled=False),
            )
            return
        await self._session.execute_all(
            cdp.emulation.set_device_metrics_override(
                device.width, device.height, device.scale, mobile=device.mobile
            ),
            cdp.emulation.set_touch_emulation_enabled(enabled=device.mobile),
        )

    async def cpu(self, times_slower: float) -> None:
        await self._everywhere(cdp.emulation.set_cpu_throttling_rate(times_slower))

    async def network(self, conditions: Conditions, rules: Rules = ()) -> None:
        """Every request and socket meets these, or is refused by the rules that hold."""
        milliseconds = conditions.latency * 1000
        await self._everywhere(
            cdp.network.emulate_network_conditions_by_rule(list(over(rules, conditions))),
            cdp.network.override_network_state(
                conditions.offline, milliseconds, conditions.down, conditions.up
            ),
        )

    async def geolocation(self, latitude: float, longitude: float, accuracy: float) -> bool:
        """The page finds itself there, and may ask where it is; not if False: a person decides."""
        await self._session.execute(
            cdp.emulation.set_geolocation_override(
                latitude=latitude, longitude=longitude, accuracy=accuracy
            )
        )
        if self._session.connection.kind == "extension":
            return False
        origin = _origin(self._frames.main.url)
        await self._may_locate(origin, "granted")
        self._located.add(origin)
        return True

    async def no_geolocation(self) -> None:
        """The page is where it is, and sites have to ask before they know."""
        await self._session.execute(cdp.emulation.clear_geolocation_override())
        for origin in sorted(self._located):
            await self._may_locate(origin, "prompt")
            self._located.discard(origin)

    async def _may_locate(self, origin: str, setting: Literal["granted", "prompt"]) -> None:
        permission = cdp.browser.PermissionDescriptor(name="geolocation")
        await self._session.connection.root.execute(
            cdp.browser.set_permission(permission, setting, origin=origin)
        )

    async def _everywhere(self, *commands: Command[Any]) -> None:
        """In each process of the tab."""
        for session in {frame.session: None for frame in self._frames}:
            await session.execute_all(*commands)


def over(rules: Rules, conditions: Conditions) -> Rules:
    """The rules with these conditions wherever they let something through."""
    everything = cdp.network.NetworkConditions(
        url_pattern="", latency=0, download_throughput=_UNLIMITED, upload_throughput=_UNLIMITED
    )
    return [
        rule
        if rule.offline
        else msgspec.structs.replace(
            rule,
            latency=conditions.latency * 1000,
            download_throughput=conditions.down,
            upload_throughput=conditions.up,
            offline=conditions.offline,
        )
        for rule in rules or [everything]
    ]


def _origin(url: str) -> str:
    return "/".join(url.split("/")[:3])
