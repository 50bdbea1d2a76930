"""`status` and `stop`: what runs on a profile, and its end. Neither starts anything."""

import platform
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import trio

from bridge import __version__
from bridge.errors import BridgeError, LaunchError
from bridge.timeouts import Timeouts
from launcher import borrow, probe, process, record
from launcher.gate import wait_gate
from launcher.leases import Leases
from launcher.look import Owner, Situation, look
from launcher.options import LaunchOptions
from launcher.profile import profile_folder, unusable
from launcher.reaper import evict


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is going on with a profile or an endpoint."""

    state: str  # not running, running, starting, not answering, locked
    reason: str
    backend: str = "cdp"
    ready: bool = False
    profile: str = ""
    ownership: str = ""
    product: str = ""
    pid: int = 0
    headless: bool | None = None
    port: int = 0
    watched: bool = False
    holders: list[int] = field(default_factory=list)
    tabs: int = 0
    active_tab: dict[str, str] | None = None
    version: str = __version__  # of this program
    system: str = field(default_factory=lambda: f"{platform.system()} {platform.machine()}")


async def status(options: LaunchOptions, timeouts: Timeouts) -> Status:
    """The state of the profile these options name, or of the endpoint."""
    if options.cdp_endpoint is not None or options.auto_connect:
        return await _endpoint_status(options, timeouts)
    profile = profile_folder(options)
    leases = Leases(profile)
    holders = [int(name.partition("-")[0]) for name in leases.holders()]
    situation = await look(profile, len(holders), timeouts)
    if not situation.endpoint:
        return _without_endpoint(situation, holders)
    address = probe.parse_endpoint(situation.endpoint.replace("ws://", "http://", 1))
    assert isinstance(address, probe.HttpAddress)
    known = situation.record
    running = _running(
        ownership="launched" if known else "attached",
        profile=str(profile),
        pid=situation.pid,
        headless=situation.headless,
        port=address.port,
        watched=known is not None and known.watched,
        holders=holders,
    )
    return await _with_contents(running, address, timeouts)


async def _endpoint_status(options: LaunchOptions, timeouts: Timeouts) -> Status:
    try:
        found = await borrow.borrow(options, timeouts)
    except BridgeError as error:
        return Status(state="not running", reason=error.message, ownership="attached")
    address = probe.parse_endpoint(found.url.replace("ws://", "http://", 1))
    assert isinstance(address, probe.HttpAddress)
    running = _running(ownership="attached", profile=str(found.profile or ""), port=address.port)
    if found.needs_approval:
        return replace(running, reason="a person has to allow each connection in the browser")
    try:
        return await _with_contents(running, address, timeouts)
    except BridgeError as error:
        return Status(state="not running", reason=error.message, ownership="attached")


def _running(**facts: Any) -> Status:
    return Status(state="running", reason="the browser answers", ready=True, **facts)


async def _with_contents(running: Status, address: probe.HttpAddress, timeouts: Timeouts) -> Status:
    """Product and tabs, as the port tells them."""
    answer = await probe.ask(address, timeouts)
    tabs = await probe.list_tabs(address, timeouts)
    active = {"url": tabs[0].url, "title": tabs[0].title} if tabs else None
    return replace(running, product=answer.product, tabs=len(tabs), active_tab=active)


def _without_endpoint(situation: Situation, holders: list[int]) -> Status:
    state, reason = why_not(situation)
    return Status(
        state=state,
        reason=reason,
        profile=str(situation.profile),
        ownership="launched" if situation.record else "",
        pid=situation.pid,
        headless=situation.headless if situation.pid else None,
        watched=situation.record is not None and situation.record.watched,
        holders=holders,
        ready=situation.record is not None and situation.record.transport == "pipe",
    )


def why_not(situation: Situation) -> tuple[str, str]:
    known, lock = situation.record, situation.lock
    if situation.silent:
        return "not answering", "the browser is there, but frozen"
    if known is not None and known.transport == "pipe":
        return "running", "in exclusive use by the process that launched it"
    if known is not None:
        return "starting", "the browser was launched and does not answer yet"
    if situation.owner is Owner.BROWSER:
        return "locked", "a browser without a debugging port has this profile open"
    if situation.owner is Owner.ELSEWHERE and lock is not None:
        return "locked", f"process {lock.pid} on {lock.host} has, or had, this profile open"
    if lock is not None:
        return "not running", "the last browser died and left its lock; the next start clears it"
    if not situation.profile.exists():
        return "not running", "the profile does not exist yet"
    return "not running", "no browser has this profile open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What `stop` did."""

    stopped: bool
    reason: str
    pid: int = 0


async def stop(options: LaunchOptions, timeouts: Timeouts) -> Stopped:
    """End the browser we launched on this profile, whoever uses it; never one we did not launch."""
    if options.cdp_endpoint or options.auto_connect:  # never the one on the usual profile instead
        return Stopped(stopped=False, reason="a browser you run yourself is not ours to close")
    if options.isolated:
        return Stopped(stopped=False, reason="an isolated browser ends with the one who uses it")
    profile = profile_folder(options)
    with await _gate(profile, timeouts):
        return await _stop(profile, timeouts)


async def _gate(profile: Path, timeouts: Timeouts) -> AbstractContextManager[object]:
    """Nobody launches meanwhile; nothing to hold where nobody ever did."""
    try:
        return closing(await wait_gate(Leases(profile).try_gate, profile, timeouts))
    except FileNotFoundError:
        return nullcontext()
    except OSError as error:
        raise unusable(profile, error) from error


async def _stop(profile: Path, timeouts: Timeouts) -> Stopped:
    known = record.read(profile)
    situation = await look(profile, 0, timeouts)
    if known is None:
        if situation.endpoint or situation.owner is Owner.BROWSER:
            raise LaunchError(
                "PROFILE_LOCKED",
                f"the browser on {profile} (process {situation.pid}) was not launched by us",
                hint="Close it yourself; what we did not start we do not end.",
                facts={"pid": situation.pid},
            )
        return Stopped(stopped=False, reason=why_not(situation)[1])
    await evict(profile, known, politely=not situation.silent, timeouts=timeouts)
    with trio.move_on_after(timeouts.close):
        await process.wait_gone(known.watchdog, known.watchdog_started)
    return Stopped(stopped=True, reason="the browser was closed", pid=known.pid)
