"""What is done about a profile: every situation and its step, or its refusal."""

from dataclasses import replace
from pathlib import Path

import pytest

from bridge.errors import LaunchError
from launcher.look import Owner, Situation
from launcher.plan import Attach, Await, Evict, Launch, Step, decide_step
from launcher.record import Record
from launcher.singleton import Lock, parse_lock

PROFILE = Path("/profiles/x")
URL = "ws://127.0.0.1:1/devtools/browser/x"
EMPTY = Situation(profile=PROFILE)


class _Known(Record):
    """A record whose watchdog is as told, instead of as it is."""

    @property
    def watched(self) -> bool:
        return self.watchdog > 0


WATCHED = _Known(
    pid=5,
    started="1",
    watchdog=6,
    watchdog_started="1",
    headless=True,
    keep_open=False,
    transport="port",
    endpoint=URL,
    executable="/x",
)
LEFT = WATCHED._replace(watchdog=0)
KEPT = LEFT._replace(keep_open=True)
PIPE = WATCHED._replace(transport="pipe", endpoint="")
OURS = replace(EMPTY, record=WATCHED, endpoint=URL, pid=5, headless=True)
THEIRS = replace(EMPTY, endpoint=URL, pid=7, headless=False, owner=Owner.BROWSER)
DEAD = replace(EMPTY, lock=Lock("here", 9), owner=Owner.DEAD)

STEPS: dict[str, tuple[Situation, bool | None, Step]] = {
    "nothing there": (EMPTY, None, Launch()),
    "nothing there, headless": (EMPTY, True, Launch()),
    "lock of the dead": (DEAD, None, Launch(clear_lock=True)),
    "lock of a stranger": (replace(DEAD, owner=Owner.STRANGER), None, Launch(clear_lock=True)),
    "garbage lock": (replace(DEAD, lock=parse_lock("garbage")), None, Launch(clear_lock=True)),
    "old port, something silent there": (replace(EMPTY, silent=True), None, Launch()),
    "ours": (OURS, None, Attach(URL)),
    "ours, as asked": (OURS, True, Attach(URL)),
    "ours, others use it": (replace(OURS, holders=2), None, Attach(URL)),
    "ours, left over": (replace(OURS, record=LEFT), None, Evict(politely=True)),
    "ours, left over, other mode": (replace(OURS, record=LEFT), False, Evict(politely=True)),
    "ours, left over, in use": (replace(OURS, record=LEFT, holders=1), None, Attach(URL)),
    "ours, meant to stay": (replace(OURS, record=KEPT), None, Attach(URL)),
    "ours, starting": (replace(OURS, endpoint=""), None, Await()),
    "ours, starting, others wait": (replace(OURS, endpoint="", holders=3), None, Await()),
    "ours, starting, unwatched": (
        replace(OURS, endpoint="", record=LEFT),
        None,
        Evict(politely=False),
    ),
    "ours, hung": (replace(OURS, endpoint="", silent=True), None, Evict(politely=False)),
    "ours, hung, in use": (
        replace(OURS, endpoint="", silent=True, holders=1),
        None,
        Evict(politely=False),
    ),
    "pipe, ending": (replace(OURS, endpoint="", record=PIPE), None, Await()),
    "pipe, unwatched": (
        replace(OURS, endpoint="", record=PIPE._replace(watchdog=0)),
        None,
        Evict(politely=False),
    ),
    "theirs": (THEIRS, None, Attach(URL)),
    "theirs, as asked": (THEIRS, False, Attach(URL)),
    "theirs, without a lock": (replace(THEIRS, owner=Owner.NOBODY), None, Attach(URL)),
}


@pytest.mark.parametrize("situation", STEPS)
def test_step(situation: str) -> None:
    """Each situation has its step."""
    there, headless, step = STEPS[situation]
    assert decide_step(there, headless) == step


ELSEWHERE = replace(EMPTY, lock=Lock("attic", 77), owner=Owner.ELSEWHERE)
NO_PORT = replace(THEIRS, endpoint="")
REFUSALS: dict[str, tuple[Situation, bool | None, str, str]] = {
    "headless, a window asked": (OURS, False, "already runs headless", "chrome-bridge stop"),
    "a window, headless asked": (THEIRS, True, "already runs with a window", "Leave the choice"),
    "elsewhere": (ELSEWHERE, None, "process 77 on another computer, attic", "SingletonLock"),
    "no port": (NO_PORT, None, "process 7, which has no debugging port", "Close that browser"),
    "theirs, hung": (replace(NO_PORT, silent=True), None, "which does not answer", "Close that"),
    "pipe, in use": (
        replace(OURS, endpoint="", record=PIPE, holders=1),
        None,
        "exclusive use",
        "another profile",
    ),
}


@pytest.mark.parametrize("situation", REFUSALS)
def test_refusal(situation: str) -> None:
    """Each refusal says what is wrong with which profile, and what to do."""
    there, headless, why, remedy = REFUSALS[situation]
    with pytest.raises(LaunchError) as caught:
        decide_step(there, headless)
    assert caught.value.code == "PROFILE_LOCKED"
    assert why in str(caught.value)
    assert str(PROFILE) in str(caught.value)
    assert remedy in caught.value.hint
    assert caught.value.facts
