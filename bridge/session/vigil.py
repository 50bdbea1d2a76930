"""Keeps the time of all pending calls: deadlines, and signs of life of the browser.

One task for the whole connection instead of a cancel scope for each call: a call costs two
comparisons, and the task sleeps until the first thing that can fall due. A browser that says
nothing at all while calls wait is asked for a sign of life, which its main process gives in
milliseconds however many pages hang; if that stays out too, every call it owes an answer fails. One
that is still starting has said nothing yet, and takes as long as the machine is busy.
"""

from collections.abc import Awaitable, Callable
from math import inf

import outcome
import trio

from bridge.errors import BridgeError
from bridge.session import faults, wire


class Call:
    """A command on its way; `reply` or `error` is set once.

    `task` is set while somebody waits for it, `sending` while it waits for room to be sent.
    """

    __slots__ = (
        "deadline",
        "error",
        "field",
        "method",
        "number",
        "reply",
        "seconds",
        "sending",
        "session",
        "since",
        "task",
    )

    def __init__(
        self, number: int, session: str, method: str, since: float, seconds: float, field: str
    ) -> None:
        self.number = number
        self.session = session
        self.method = method
        self.since = since
        self.seconds = seconds
        self.deadline = since + seconds
        self.field = field  # of Timeouts, for the error
        self.reply: wire.Reply | None = None
        self.error: BridgeError | None = None
        self.task: trio.lowlevel.Task | None = None
        self.sending: trio.CancelScope | None = None

    @property
    def settled(self) -> bool:
        return self.reply is not None or self.error is not None

    def fail(self, error: BridgeError) -> None:
        """It will not be answered, or not in time."""
        if not self.settled:
            self.error = error
            self.wake()
            if self.sending is not None:
                self.sending.cancel()

    def take_error(self) -> BridgeError:
        """To be raised: kept here as well, it and all frames it passes through would be a ring."""
        error, self.error = self.error, None
        assert error is not None
        return error

    def wake(self) -> None:
        if self.task is not None:
            trio.lowlevel.reschedule(self.task, outcome.Value(None))
            self.task = None

    async def wait(self) -> None:
        """Until it is settled; a cancelled wait leaves nothing behind."""
        if self.settled:
            await trio.lowlevel.checkpoint_if_cancelled()
            return

        def abandon(_: object) -> trio.lowlevel.Abort:
            self.task = None
            return trio.lowlevel.Abort.SUCCEEDED

        self.task = trio.lowlevel.current_task()
        await trio.lowlevel.wait_task_rescheduled(abandon)


class Vigil:
    """Watches the pending calls of one connection."""

    def __init__(
        self,
        calls: dict[int, Call],
        patience: float,
        ask: Callable[[], Awaitable[None]],
        *,
        first: float | None = None,  # patience until something is heard at all
    ) -> None:
        self._calls = calls
        self._later = patience
        self._patience = patience if first is None else first
        self._ask = ask
        self._due = inf
        self._roused = trio.Event()
        self._asked_at: float | None = None
        self.heard_at = trio.current_time()
        self.hung: BridgeError | None = None  # calls failed for that, and nothing came since

    def begin(self, call: Call) -> None:
        """A call is about to be sent."""
        if call.deadline < self._due or call.since + self._patience < self._due:
            self._due = -inf
            self._roused.set()

    def hear(self) -> None:
        """Something came from the browser, whatever it was."""
        self.heard_at = trio.current_time()
        self._asked_at = self.hung = None
        self._patience = self._later

    async def run(self) -> None:
        """Let what is overdue fail, for as long as the connection lasts."""
        while True:
            self._due = self._next_due()
            with trio.move_on_at(self._due):
                await self._roused.wait()
            self._roused = trio.Event()
            now = trio.current_time()
            self._expire(now)
            if self._waiting() and self._asked_at is None and self._doubt_at() <= now:
                self._asked_at = now
                await self._ask()

    def _next_due(self) -> float:
        waiting = self._waiting()
        if not waiting:
            self._asked_at = None
            return inf
        return min(self._doubt_at(), min(call.deadline for call in waiting))

    def _waiting(self) -> list[Call]:
        return [call for call in self._calls.values() if not call.settled]

    def _doubt_at(self) -> float:
        """When the silence will have lasted too long: to be asked, or to be given up."""
        if self._asked_at is not None:
            return self._asked_at + self._patience
        return max(self.heard_at, min(call.since for call in self._waiting())) + self._patience

    def _expire(self, now: float) -> None:
        for call in self._waiting():
            if call.deadline <= now:
                call.fail(faults.too_slow(call.method, call.field, call.seconds))
        if self._asked_at is not None and self._doubt_at() <= now:
            self._asked_at = None
            self.hung = hung = faults.hung(self._patience)
            for call in self._waiting():
                call.fail(faults.in_flight(hung, call.method))
