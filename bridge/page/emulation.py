"""Lets a page believe in another screen, network, processor, place, taste or language.

The conditions of the network are also what keeps the sockets of a page from hosts that are not
allowed, and whoever sets them replaces all there are. So new ones are never set by themselves: they
are laid over the rules that hold (`rules`), and what is offline there stays offline.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from bridge import cdp
from bridge.cdp.base import Command
from bridge.errors import ChromeError
from bridge.page.frames import Frames
from bridge.session.session import Session

Rules = Sequence[cdp.network.NetworkConditions]
NetworkName = Literal["none", "offline", "slow3g", "fast3g", "slow4g", "fast4g"]
DeviceName = Literal["none", "phone", "small phone", "tablet", "laptop"]
ColorScheme = Literal["none", "dark", "light"]
Medium = Literal["none", "print", "screen"]

_UNLIMITED = -1.0
KBIT = 1000 / 8
"""Bytes of a kilobit."""


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
    "slow3g": Conditions(2.0, 400 * KBIT, 400 * KBIT),
    "fast3g": Conditions(0.5625, 1600 * KBIT, 750 * KBIT),
    "slow4g": Conditions(0.15, 1600 * KBIT, 750 * KBIT),
    "fast4g": Conditions(0.06, 9000 * KBIT, 4000 * KBIT),
}


@dataclass(frozen=True, slots=True)
class Device:
    """A screen, and what holds it: a `form` is held in the hand, and touched."""

    width: int
    height: int
    scale: float
    form: Literal["", "Mobile", "Tablet"] = ""


_WINDOW = Device(0, 0, 0.0)
DEVICES: dict[DeviceName, Device] = {
    "none": _WINDOW,
    "phone": Device(412, 915, 2.625, "Mobile"),
    "small phone": Device(375, 667, 2.0, "Mobile"),
    "tablet": Device(820, 1180, 2.0, "Tablet"),
    "laptop": Device(1366, 768, 1.0),
}
_FINGERS = 5


class Emulation:
    """Of one tab; what is set holds until it is set again, a network and a language for the frames
    that are there."""

    def __init__(self, session: Session, frames: Frames) -> None:
        self._session = session
        self._frames = frames
        self._device = _WINDOW
        self._touched = False
        self._agent = ""  # a name of the caller's own
        self._locale = ""
        self._asked = {"media": ""}  # what style sheets are told, "" the browser's own
        self.standing: dict[str, Command[Any]] = {}  # by method: what new frames are told as well
        # Origins that may know where they are, by our doing, and in which private context.
        self._located: dict[str, cdp.browser.BrowserContextID | None] = {}

    async def resize(self, width: int, height: int) -> None:
        """Give the page a viewport of this size, on the device it believes in."""
        device = self._device
        await self._session.execute(
            cdp.emulation.set_device_metrics_override(
                width, height, device.scale, mobile=bool(device.form)
            )
        )

    async def device(self, name: DeviceName) -> None:
        """A screen, touched where it is held in the hand, and a name that servers take for it.

        "none" is the window's own. What a server sends a device, it sends for the next request; a
        page that was touched learns of the mouse again when it is loaded again (Chrome 156).
        """
        device, held = DEVICES[name], bool(DEVICES[name].form)
        await self._everywhere(await self._name_of(device, self._agent, self._locale))
        await self._session.execute(
            cdp.emulation.set_device_metrics_override(
                device.width, device.height, device.scale, mobile=held
            )
            if device is not _WINDOW
            else cdp.emulation.clear_device_metrics_override()
        )
        if held != self._touched:  # a headless page forgets its mouse by the mere command
            self._touched = True  # it may be from now on, also where the call is taken back
            await self._session.execute(
                cdp.emulation.set_touch_emulation_enabled(
                    enabled=held, max_touch_points=_FINGERS if held else None
                )
            )
            self._touched = held
        self._device = device

    async def media(self, **told: str) -> None:
        """What style sheets ask for: `media`, and preferences by their names with `_`; "" ends."""
        self._asked |= {name.replace("_", "-"): value for name, value in told.items()}
        features = [
            cdp.emulation.MediaFeature(name=name, value=value)
            for name, value in self._asked.items()
            if name != "media"
        ]
        await self._everywhere(
            cdp.emulation.set_emulated_media(media=self._asked["media"], features=features)
        )

    async def user_agent(self, name: str) -> None:
        """A name for page and server, from the next request on; "" is the device's."""
        await self._everywhere(await self._name_of(self._device, name, self._locale))
        self._agent = name

    async def locale(self, name: str) -> None:
        """A language to write in, and to ask servers for; "" is the browser's own."""
        name = name.replace("_", "-")
        override = cdp.emulation.set_locale_override(locale=name)
        await self._session.execute(override)
        for session in self._processes()[1:]:
            with suppress(ChromeError):  # one speaks for its process, the next is refused; or gone
                await session.execute(override)
        await self._everywhere(await self._name_of(self._device, self._agent, name))
        self._locale = name

    async def timezone(self, name: str) -> None:
        """A place for clocks, such as Europe/Berlin; "" is the machine's."""
        # In place of another one Chrome 156 takes any name, and keeps to the one it had.
        none, wanted = map(cdp.emulation.set_timezone_override, ("", name))
        await self._everywhere(none, wanted)

    async def _name_of(self, device: Device, agent: str, language: str) -> Command[Any]:
        """What Chrome of this version calls itself there; brands and versions are filled in."""
        if agent or not device.form:  # nothing is its own again
            return cdp.emulation.set_user_agent_override(agent, accept_language=language)
        told = await self._session.connection.root.execute(cdp.browser.get_version())
        version = told.product.rpartition("/")[2].partition(".")[0]
        mobile = device.form == "Mobile"
        return cdp.emulation.set_user_agent_override(
            f"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{version}.0.0.0 {'Mobile ' if mobile else ''}Safari/537.36",
            accept_language=language,
            platform="Linux armv81",
            user_agent_metadata=cdp.emulation.UserAgentMetadata(
                platform="Android",
                platform_version="14.0.0",
                architecture="",
                model="",
                mobile=mobile,
                bitness="",
                form_factors=[device.form],
            ),
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

    async def geolocation(
        self,
        latitude: float,
        longitude: float,
        accuracy: float,
        context_id: cdp.browser.BrowserContextID | None = None,
    ) -> bool:
        """The page finds itself there, and may ask where it is; not if False: a person decides."""
        await self._session.execute(
            cdp.emulation.set_geolocation_override(
                latitude=latitude, longitude=longitude, accuracy=accuracy
            )
        )
        if self._session.connection.kind == "extension":
            return False
        origin = _origin(self._frames.main.url)
        self._located[origin] = context_id  # it may be from now on, as above
        try:
            await self._may_locate(origin, "granted", context_id)
        except ChromeError:
            del self._located[origin]
            raise
        return True

    async def no_geolocation(self) -> None:
        """The page is where it is, and sites have to ask before they know."""
        await self._session.execute(cdp.emulation.clear_geolocation_override())
        for origin, context_id in list(self._located.items()):
            await self._may_locate(origin, "prompt", context_id)
            del self._located[origin]

    async def _may_locate(
        self,
        origin: str,
        setting: Literal["granted", "prompt"],
        context_id: cdp.browser.BrowserContextID | None,
    ) -> None:
        permission = cdp.browser.PermissionDescriptor(name="geolocation")
        await self._session.connection.root.execute(
            cdp.browser.set_permission(
                permission, setting, origin=origin, browser_context_id=context_id
            )
        )

    def _processes(self) -> list[Session]:
        return list({frame.session: None for frame in self._frames})  # the tab's own first

    async def _everywhere(self, *commands: Command[Any]) -> None:
        """In each process of the tab, and in those to come."""
        await self._session.execute_all(*commands)
        # Rules of the network are those of a moment; who sets them up tells them to new frames.
        kept = [command for command in commands if not command.method.startswith("Network.")]
        self.standing |= {command.method: command for command in kept}
        for session in self._processes()[1:]:  # with those that have come meanwhile
            try:
                await session.execute_all(*commands)
            except ChromeError as error:
                gone = session.end is not None or error.code == "TARGET_GONE"
                if not gone or self._session.end is not None:
                    raise  # a frame that goes meanwhile needs to be told nothing


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
