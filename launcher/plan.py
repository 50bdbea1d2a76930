"""Decides what to do about a profile. Pure: a situation and a wish in, a step out."""

from dataclasses import dataclass

from bridge.errors import LaunchError
from launcher.look import Owner, Situation


@dataclass(frozen=True, slots=True)
class Attach:
    """Use the browser that runs already."""

    endpoint: str


@dataclass(frozen=True, slots=True)
class Launch:
    """Start a browser; first clear a lock that is proven to be dead."""

    clear_lock: bool = False


@dataclass(frozen=True, slots=True)
class Await:
    """One of ours is starting or ending without anybody minding it; look again in a moment."""


@dataclass(frozen=True, slots=True)
class Evict:
    """End a browser of ours that nobody uses or that hangs, then look again."""

    politely: bool


Step = Attach | Launch | Await | Evict


def decide_step(situation: Situation, headless: bool | None) -> Step:
    """The next step, or a LaunchError that says who has to do what."""
    if situation.endpoint:
        return _use_running(situation, headless)
    if situation.record is not None:
        return _mend_ours(situation)
    if situation.owner is Owner.ELSEWHERE:
        raise _foreign(situation)
    if situation.owner is Owner.BROWSER:
        raise _no_port(situation)
    return Launch(clear_lock=situation.lock is not None)


def _use_running(situation: Situation, headless: bool | None) -> Step:
    ours = situation.record
    if ours is not None and not (ours.keep_open or ours.watched or situation.holders):
        return Evict(politely=True)  # left over: nobody would ever close it
    if headless is not None and headless != situation.headless:
        raise _mismatch(situation, headless)
    return Attach(situation.endpoint)


def _mend_ours(situation: Situation) -> Step:
    """We launched it and it does not answer: hung, still starting, or speaking over a pipe."""
    ours = situation.record
    assert ours is not None
    if situation.silent:
        return Evict(politely=False)
    if ours.transport == "pipe" and situation.holders:
        raise LaunchError(
            "PROFILE_LOCKED",
            f"the profile {situation.profile} is in exclusive use by another process",
            hint="Wait until it ends, or use another profile.",
            facts={"pid": ours.pid},
        )
    return Await() if ours.watched else Evict(politely=False)


def _mismatch(situation: Situation, headless: bool) -> LaunchError:
    runs, asked = ("headless", "a window") if not headless else ("with a window", "headless")
    return LaunchError(
        "PROFILE_LOCKED",
        f"the profile {situation.profile} already runs {runs}, and {asked} was asked for",
        hint="Leave the choice open to share it as it is, use another profile, or run "
        "`chrome-bridge stop` first.",
        facts={"pid": situation.pid, "headless": situation.headless},
    )


def _foreign(situation: Situation) -> LaunchError:
    lock = situation.lock
    assert lock is not None
    return LaunchError(
        "PROFILE_LOCKED",
        f"the profile {situation.profile} is locked by process {lock.pid} on another computer, "
        f"{lock.host}",
        hint="If no browser runs there any more (a renamed machine, an old container), delete "
        f"SingletonLock, SingletonSocket and SingletonCookie in {situation.profile}.",
        facts={"host": lock.host, "pid": lock.pid},
    )


def _no_port(situation: Situation) -> LaunchError:
    flaw = "does not answer" if situation.silent else "has no debugging port and cannot be shared"
    return LaunchError(
        "PROFILE_LOCKED",
        f"the profile {situation.profile} is open in process {situation.pid}, which {flaw}",
        hint="Close that browser, or use another profile.",
        facts={"pid": situation.pid},
    )
