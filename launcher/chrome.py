"""Gets one browser: attaches to the one that runs on a profile, or launches it.

Look, decide, act, with the profile's gate held: twenty processes that ask at once make one launch
and nineteen attachments. Nobody closes a shared browser: its holders let go, and its watchdog ends
it when the last one has.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import trio

from bridge import log
from bridge.errors import DeadlineExceeded, LaunchError
from bridge.scope import open_scope
from bridge.timeouts import Timeouts, deadline
from launcher import borrow, farewell, plan, process, record, singleton
from launcher.errand import Errand
from launcher.gate import GATE_TURN, wait_gate
from launcher.leases import Gate, Lease, Leases
from launcher.look import Situation, look
from launcher.options import LaunchOptions
from launcher.profile import prepare, profile_folder, unusable
from launcher.reaper import evict, reap, remove_isolated
from launcher.start import start
from launcher.traces import remove_dead

Ownership = Literal["launched", "attached"]

_AWAIT_TURN = 0.02
_log = log.get("launcher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chrome:
    """A browser to talk to: over its port (`url`), or over two descriptors (`pipe`)."""

    ownership: Ownership
    url: str = ""
    pipe: tuple[int, int] | None = None  # read, write; whoever opens the transport closes them
    profile: Path | None = None  # None: somebody else's browser, known by its address only
    pid: int = 0
    headless: bool = False
    executable: str = ""
    needs_approval: bool = False  # a person has to click "Allow" first
    errand: Errand | None = None  # of the launch, if it was ours
    extensions: tuple[Path, ...] = ()  # still to be loaded, over CDP

    async def failure(self, timeouts: Timeouts) -> LaunchError | None:
        """Why a browser that we launched is gone, if it is; for an end during the first words."""
        if self.errand is None:
            return None
        with trio.move_on_after(timeouts.explain):
            await self.errand.end()
            return self.errand.failure()
        return None


@asynccontextmanager
async def open_chrome(
    options: LaunchOptions, timeouts: Timeouts | None = None
) -> AsyncIterator[Chrome]:
    """Hold a browser until the block ends; raises LaunchError, ChromeError or UsageError."""
    timeouts = timeouts or Timeouts()
    if options.cdp_endpoint is not None or options.auto_connect:
        found = await borrow.borrow(options, timeouts)
        yield Chrome(
            ownership="attached",
            url=found.url,
            profile=found.profile,
            needs_approval=found.needs_approval,
        )
        return
    async with open_scope() as nursery:
        nursery.start_soon(reap, options.data_dir, timeouts)
        holding = await _hold(options, timeouts)
        try:
            yield holding.chrome
        finally:
            with trio.CancelScope(shield=True):
                await holding.let_go(timeouts)


@dataclass(frozen=True, slots=True)
class _Holding:
    """Our lease on a profile, and what we got for it."""

    chrome: Chrome
    leases: Leases
    lease: Lease
    isolated: bool

    async def let_go(self, timeouts: Timeouts) -> None:
        """Release the lease; if it was the last one, see the browser off."""
        self.lease.release()
        profile = self.chrome.profile
        assert profile is not None
        await see_off(profile, self.leases, timeouts)
        errand = self.chrome.errand
        if self.isolated and errand is not None:
            with trio.move_on_after(timeouts.farewell):
                await errand.end()  # it removes the folder, and is still at it
            await trio.to_thread.run_sync(remove_isolated, profile)  # unless it was killed
        if errand is not None:
            await errand.aclose()


async def see_off(profile: Path, leases: Leases, timeouts: Timeouts) -> None:
    """Return once the browser nobody holds any more is gone, or is known to stay."""
    with trio.move_on_after(timeouts.farewell):
        while not leases.holders():
            # One that went before us left its traces, if its watchdog had been killed.
            known = record.read(profile) or record.read_dead(profile)
            if known is None or known.keep_open:
                return
            # Somebody may come meanwhile, and the browser stays for them.
            with trio.move_on_after(timeouts.look_again):
                await process.wait_gone(known.watchdog, known.watchdog_started)
            if not known.watched and await _end_unwatched(profile, known, leases, timeouts):
                return


async def _end_unwatched(
    profile: Path, known: record.Record, leases: Leases, timeouts: Timeouts
) -> bool:
    """Do what its watchdog would have done; False while somebody else decides about it."""
    try:
        gate = leases.try_gate()
    except OSError:  # the folder has been removed, and with it whoever could come
        gate = None
    else:
        if gate is None:
            await trio.sleep(GATE_TURN)
            return False
    try:
        if not leases.holders():
            await evict(profile, known, politely=True, timeouts=timeouts)
        return True
    finally:
        if gate is not None:
            gate.close()


async def _hold(options: LaunchOptions, timeouts: Timeouts) -> _Holding:
    profile = profile_folder(options)
    try:
        leases, gate = await _take_gate(profile, timeouts)
        try:
            lease, chrome = await _decide(options, profile, leases, timeouts)
        finally:
            gate.close()
    except BaseException:
        if options.isolated:  # the watchdog would have removed it, if it came so far
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(remove_isolated, profile)
        raise
    _log.info("%s", _facts(chrome))
    return _Holding(chrome, leases, lease, options.isolated)


async def _take_gate(profile: Path, timeouts: Timeouts) -> tuple[Leases, Gate]:
    leases = prepare(profile)
    return leases, await wait_gate(partial(_try_gate, leases, profile), profile, timeouts)


def _try_gate(leases: Leases, profile: Path) -> Gate | None:
    try:
        return leases.try_gate()
    except FileNotFoundError:  # a reaper took the folder we had just made for a dead one
        prepare(profile)
        return None
    except OSError as error:
        raise unusable(profile, error) from error


async def _decide(
    options: LaunchOptions, profile: Path, leases: Leases, timeouts: Timeouts
) -> tuple[Lease, Chrome]:
    """A lease and the browser it is for; no lease when there is none."""
    try:
        lease = leases.take("chrome-bridge")
    except OSError as error:
        raise unusable(profile, error) from error
    try:
        return lease, await _attach_or_launch(options, profile, leases, timeouts)
    except BaseException:
        lease.release()
        raise


async def _attach_or_launch(
    options: LaunchOptions, profile: Path, leases: Leases, timeouts: Timeouts
) -> Chrome:
    """Take steps until there is a browser, within the time a launch may take."""
    begun: list[Errand] = []
    try:
        with deadline(timeouts, "launch", f"getting a browser on {profile}"):
            while True:
                situation = await look(profile, _others(leases, profile), timeouts)
                match plan.decide_step(situation, options.headless):
                    case plan.Attach(endpoint):
                        return _attached(situation, endpoint)
                    case plan.Await():
                        await trio.sleep(_AWAIT_TURN)
                    case plan.Evict(politely):
                        assert situation.record is not None
                        await evict(profile, situation.record, politely=politely, timeouts=timeouts)
                    case plan.Launch(clear_lock):
                        return await _launch(options, profile, clear_lock, timeouts, begun)
    except DeadlineExceeded as error:
        if not begun:
            raise
        raise begun[-1].overdue(timeouts.launch) from error


def _others(leases: Leases, profile: Path) -> int:
    try:
        return len(leases.holders()) - 1
    except OSError as error:
        raise unusable(profile, error) from error


def _attached(situation: Situation, endpoint: str) -> Chrome:
    # One that we launched stays in the family: whoever attaches holds a lease on it as well.
    return Chrome(
        ownership="attached" if situation.record is None else "launched",
        url=endpoint,
        profile=situation.profile,
        pid=situation.pid,
        headless=situation.headless,
        executable=situation.record.executable if situation.record else "",
    )


async def _launch(
    options: LaunchOptions,
    profile: Path,
    clear_lock: bool,
    timeouts: Timeouts,
    begun: list[Errand],
) -> Chrome:
    await trio.to_thread.run_sync(remove_dead, profile)
    if clear_lock:
        singleton.clear(profile)
    try:
        farewell.port_file(profile).unlink(missing_ok=True)  # Chrome leaves the old one for 0.2 s
    except OSError as error:
        raise unusable(profile, error) from error
    started = await start(options, profile, timeouts, begun)
    return Chrome(
        ownership="launched",
        url=started.url,
        pipe=started.pipe,
        profile=profile,
        pid=started.pid,
        headless=started.headless,
        executable=started.executable,
        errand=started.errand,
        extensions=started.extensions,
    )


def _facts(chrome: Chrome) -> str:
    return log.facts(
        ownership=chrome.ownership,
        transportMode="pipe" if chrome.pipe else "port",
        profile=chrome.profile,
        pid=chrome.pid,
        headless=chrome.headless,
    )
