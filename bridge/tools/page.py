"""Tools for how a page is shown: its size, its circumstances, on paper."""

from collections.abc import Sequence
from typing import Annotated, Any

import trio

from bridge.browser.contexts import context_of
from bridge.errors import ChromeError, PageError, PolicyDenied, UsageError
from bridge.page.emulation import (
    KBIT,
    NETWORKS,
    ColorScheme,
    Conditions,
    DeviceName,
    Emulation,
    Medium,
    NetworkName,
)
from bridge.page.filenames import safe_filename
from bridge.page.keeping import write_new
from bridge.page.printing import print_page
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, quoted
from bridge.tools.schema import Kilobits, Latency, Limit
from bridge.tools.targets import check_picture

_SLOWEST = 20
_SHOWN = 200  # characters of a name in the answer
_ASKED = " (over the extension only the person at the browser can allow the page to ask for it)"
_UNLISTED = "https://unlisted.invalid/"  # a host that only a policy without limits allows


@tool(effect=Effect.READ, toolset="page", read_only=False, idempotent=True)
async def resize(ctx: ToolContext, width: Limit, height: Limit) -> Reply:
    """Set the size of the page's viewport, in CSS pixels."""
    await ctx.tab.emulation.resize(width, height)
    return Reply(said=f"The viewport is {width}×{height}.")


@tool(effect=Effect.READ, toolset="page", patient=True, read_only=False)
async def pdf(
    ctx: ToolContext,
    path: Annotated[str | None, "Name of the file."] = None,
    landscape: bool = False,
) -> Reply:
    """Print the page to a PDF in the server's folder."""
    if ctx.desk.data_dir is None:
        raise PolicyDenied(
            "POLICY_DENIED", "this server keeps no files", hint="Take a screenshot instead."
        )
    check_picture(ctx)
    data = await print_page(ctx.tab.session, landscape=landscape)
    check_picture(ctx)  # of what has turned up meanwhile, too
    name = safe_filename(path or "page.pdf")
    name = name if name.lower().endswith(".pdf") else f"{name}.pdf"
    folder = ctx.desk.data_dir / "documents"
    try:
        file = await trio.to_thread.run_sync(write_new, folder, name, data)
    except OSError as error:
        raise PageError(
            "DOWNLOAD_FAILED",
            f"the PDF cannot be kept in {quoted(str(folder))}: {error.strerror}",
            hint="Take a screenshot; the owner can make room, or name another --data-dir.",
        ) from error
    return Reply(said=f"Printed {len(data)} bytes, application/pdf\n{file}")


@tool(effect=Effect.READ, toolset="page", read_only=False, idempotent=True)
async def emulate(
    ctx: ToolContext,
    network: NetworkName | None = None,
    cpu: Annotated[float | None, "Times slower, 1 to 20."] = None,
    device: DeviceName | None = None,
    geolocation: Annotated[list[float] | None, "Latitude, longitude, metres."] = None,
    offline: bool | None = None,
    latency_ms: Annotated[Latency | None, "Instead of the named network's."] = None,
    download_kbps: Kilobits | None = None,
    upload_kbps: Kilobits | None = None,
    color_scheme: ColorScheme | None = None,
    reduced_motion: bool | None = None,
    media: Medium | None = None,
    user_agent: Annotated[str | None, "Empty: its own again."] = None,
    locale: Annotated[str | None, "Such as de-DE."] = None,
    timezone: Annotated[str | None, "Such as Europe/Berlin."] = None,
) -> Reply:
    """Emulate a network, a slow processor, a device, a place, media or languages; none ends it."""
    emulation = ctx.tab.emulation
    if cpu is not None and not 1 <= cpu <= _SLOWEST:
        raise _bad("cpu", f"a number from 1 to {_SLOWEST}")
    place = _place(ctx, geolocation) if geolocation else geolocation
    if offline is not None:
        network = "offline" if offline else network or "none"
    own = (latency_ms, download_kbps, upload_kbps)
    connected = network is not None or any(each is not None for each in own)
    rules = _rules(ctx) if connected else []
    told = await _named(emulation, user_agent, locale, timezone)
    if connected:
        await emulation.network(_adjusted(NETWORKS[network or "none"], *own), rules)
        told.append(_network(network, *own))
    if cpu is not None:
        await emulation.cpu(cpu)
        told.append(f"cpu {cpu:g} times slower" if cpu > 1 else "cpu at full speed")
    if device is not None:
        await emulation.device(device)
        told.append(f"device {device} (reload: page and server may decide by it as it loads)")
    told += await _placed(ctx, place)
    told += await _styled(emulation, color_scheme, reduced_motion, media)
    return Reply(said=f"Emulated: {', '.join(told) or 'nothing'}.")


async def _placed(ctx: ToolContext, place: Sequence[float] | None) -> list[str]:
    """Where the page finds itself, where it is said; in the words of the answer."""
    emulation = ctx.tab.emulation
    if place is None:
        return []
    if not place:
        await emulation.no_geolocation()
        return ["at no other place"]
    latitude, longitude, accuracy = place
    apart = context_of(await ctx.browser(), ctx.tab)
    free = await emulation.geolocation(latitude, longitude, accuracy, apart)
    return [f"at {latitude:g}, {longitude:g}{'' if free else _ASKED}"]


async def _styled(
    emulation: Emulation, scheme: ColorScheme | None, still: bool | None, medium: Medium | None
) -> list[str]:
    """What style sheets ask for, where it is said; in the words of the answer."""
    told = []
    if scheme is not None:
        await emulation.media(prefers_color_scheme="" if scheme == "none" else scheme)
        told.append(f"color scheme {scheme}")
    if still is not None:
        await emulation.media(prefers_reduced_motion="reduce" if still else "")
        told.append("reduced motion" if still else "motion as it is")
    if medium is not None:
        await emulation.media(media="" if medium == "none" else medium)
        told.append(f"media {medium}")
    return told


async def _named(
    emulation: Emulation, agent: str | None, locale: str | None, timezone: str | None
) -> list[str]:
    """What the page and its servers are told of the browser; in the words of the answer."""
    told: list[str] = []
    for name, value, change, wanted in (
        ("timezone", timezone, emulation.timezone, "a name such as Europe/Berlin"),
        ("locale", locale, emulation.locale, "one such as de-DE"),
        ("userAgent", agent, emulation.user_agent, "one line of text"),
    ):
        if value is None:
            continue
        try:
            await change(value)
        except ChromeError as error:
            if error.code != "CDP_ERROR":
                raise
            done = f" Done before: {', '.join(told)}." if told else ""
            raise UsageError(
                "BAD_ARGS",
                f"{name}: Chrome does not take it ({error.message})",
                hint=f"Give {wanted}; an empty one ends it.{done}",
            ) from error
        told.append(f"{name} {value[:_SHOWN]}" if value else f"{name} as it is")
    if told:
        told[-1] += " (reload for what the page has asked already)"
    return told


def _adjusted(
    named: Conditions, latency_ms: float | None, down_kbps: float | None, up_kbps: float | None
) -> Conditions:
    """A network by name, with what the caller says otherwise."""
    return Conditions(
        latency=named.latency if latency_ms is None else latency_ms / 1000,
        down=named.down if down_kbps is None else down_kbps * KBIT,
        up=named.up if up_kbps is None else up_kbps * KBIT,
        offline=named.offline,
    )


def _network(name: str | None, latency: float | None, down: float | None, up: float | None) -> str:
    own = [
        f"latency {latency:g} ms" if latency is not None else "",
        f"{down:g} kbit/s down" if down is not None else "",
        f"{up:g} kbit/s up" if up is not None else "",
    ]
    return f"network {', '.join(filter(None, (name, *own)))}"


def _rules(ctx: ToolContext) -> list[Any]:
    """What keeps sockets from other hosts, which must not be lost; refused where it is unknown."""
    rules = ctx.desk.socket_rules()
    if not rules and not ctx.readable(_UNLISTED):
        raise PolicyDenied(
            "POLICY_DENIED",
            "the network cannot be emulated: its conditions are what holds the policy's limits",
            hint="Go on without it.",
        )
    return rules


def _place(ctx: ToolContext, given: list[float]) -> tuple[float, float, float]:
    latitude, longitude, *accuracy = [*given, 0.0, 0.0][: max(len(given), 2)]
    in_range = abs(latitude) <= 90 and abs(longitude) <= 180 and all(a >= 0 for a in accuracy)
    if len(given) not in (2, 3) or not in_range:
        raise _bad("geolocation", "latitude, longitude and, perhaps, metres; [] ends it")
    if not ctx.tab.url.startswith(("http:", "https:")):  # leave to ask is given to a site
        raise UsageError(
            "BAD_ARGS",
            "geolocation is given to a site, and the tab shows none",
            hint="Navigate first.",
        )
    return latitude, longitude, accuracy[0] if accuracy else 10.0


def _bad(name: str, wanted: str) -> UsageError:
    return UsageError("BAD_ARGS", f"{name} is not what it has to be", hint=f"Give {wanted}.")
