"""A process that holds a browser and does what it is told, for tests that end it in every way.

    python -m tests.support.holder '{"options": {...}, "timeouts": {...}}'

Options are fields of LaunchOptions. It says `{"event": "hello"}` once it runs, then tries for a
browser and says `up` or `failed`. Commands come as JSON lines on stdin and are done side by side,
so one that hangs holds up no other. It ends in order when stdin ends, on SIGTERM, SIGINT and
SIGHUP, and when its parent is gone.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import trio

from bridge.app.endings import until_ended
from bridge.browser.lifecycle import Lifecycle, open_lifecycle
from bridge.browser.tab import Tab
from bridge.errors import BridgeError
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions

assert sys.platform != "win32"  # stdin is read as POSIX does

_PATHS = ("data_dir", "user_data_dir", "executable")
_FOREVER = "new Promise(() => {})"

Facts = dict[str, Any]


class Hand:
    """The commands."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle
        self._tab: Tab | None = None
        self.commands: dict[str, Callable[[Facts], Awaitable[Facts]]] = {
            "browser": self.browser,
            "go": self.go,
            "evaluate": self.evaluate,
            "hang": self.hang,
            "state": self.state,
        }

    async def browser(self, _: Facts) -> Facts:
        """Get a browser and a tab in it."""
        browser = await self._lifecycle.browser()
        self._tab = await browser.new_tab()
        return {"tab": self._tab.target_id, **await self.state({})}

    async def go(self, given: Facts) -> Facts:
        arrival = await self._ours.navigate(given["url"])
        return {"title": arrival.title}

    async def evaluate(self, given: Facts) -> Facts:
        return {"value": await self._ours.evaluate(given["expression"])}

    async def hang(self, _: Facts) -> Facts:
        """A call that is under way until something ends it; says so first."""
        assert await self._ours.evaluate("1 + 1") == 2
        say(event="hanging")
        return {"value": await self._ours.evaluate(_FOREVER)}

    async def state(self, _: Facts) -> Facts:
        live = self._lifecycle.live
        chrome = live.chrome if live else None
        return {
            "state": self._lifecycle.state.value,
            "recoveries": self._lifecycle.recoveries,
            "pid": chrome.pid if chrome else 0,
            "url": chrome.url if chrome else "",
            "ownership": chrome.ownership if chrome else "",
        }

    @property
    def _ours(self) -> Tab:
        assert self._tab is not None
        return self._tab


def say(**facts: object) -> None:
    """One line to whoever started us; nobody may be there any more."""
    try:
        os.write(1, json.dumps(facts).encode() + b"\n")
    except BrokenPipeError:
        return


async def obey(hand: Hand) -> None:
    """Read commands until stdin ends."""
    stdin = trio.lowlevel.FdStream(os.dup(0))
    async with open_scope() as nursery:
        nursery.start_soon(answer, hand, {"do": "browser", "event": "up"})
        buffer = b""
        while chunk := await stdin.receive_some(65536):
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                nursery.start_soon(answer, hand, json.loads(line))


async def answer(hand: Hand, given: Facts) -> None:
    """Do one command and say what came of it."""
    try:
        facts = await hand.commands[given["do"]](given)
    except BridgeError as error:
        facts = {"error": error.code, "message": error.message}
        given = {**given, "event": "failed"} if "event" in given else given
    say(event=given.get("event"), re=given.get("id"), **facts)


async def hold(options: LaunchOptions, timeouts: Timeouts) -> None:
    """A browser and an ear until something ends us."""

    async def work() -> None:
        async with open_lifecycle(options, timeouts) as lifecycle:
            say(event="hello")
            await obey(Hand(lifecycle))

    say(event="bye", why=await until_ended(work))


def main() -> None:
    """Read what to hold from the command line."""
    given = json.loads(sys.argv[1])
    options: Facts = {k: Path(v) if k in _PATHS else v for k, v in given["options"].items()}
    trio.run(hold, LaunchOptions(**options), replace(Timeouts(), **given["timeouts"]))


if __name__ == "__main__":
    main()
