"""A browser that comes back: `starting → connected → degraded → connected | closing`.

The browser is touched at the first call that needs it, and again at the first call after it was
lost: attach to what runs now, else launch. In between nothing is retried in the background and no
call is repeated: what was under way when the browser went has failed, loudly.

A browser takes longer to come up than all of us to be loaded, so what is needed only to talk to it
(`connecting`) is loaded when it has been started.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import trio

from bridge import log
from bridge.errors import BridgeError, ChromeError, LinkError
from bridge.scope import held, open_scope
from bridge.timeouts import Timeouts
from bridge.transport.base import browser_gone
from launcher import record
from launcher.chrome import Chrome, open_chrome
from launcher.options import SIZE, LaunchOptions
from launcher.reaper import evict

if TYPE_CHECKING:
    from bridge.browser.browser import Browser, Prepare

_IDLE = 2.0  # a connection that was used and heard of a moment ago needs no check
_log = log.get("browser")


class State(Enum):
    """Where the browser is in its life, for status and logs."""

    IDLE = "idle"  # not touched yet
    STARTING = "starting"
    CONNECTED = "connected"
    DEGRADED = "degraded"  # lost; the next call brings it back
    CLOSING = "closing"


Opening = Callable[[], AbstractAsyncContextManager[tuple[Chrome, "Browser"]]]
"""Gets one browser, for as long as its block lasts."""


class _Attempt:
    """To get a browser: beside whoever asked, who may be called off before it is there."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()
        self.over = trio.Event()
        self.error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """What is there while connected."""

    chrome: Chrome
    browser: "Browser"
    stop: trio.CancelScope


class Lifecycle:
    """`browser()` is the only way to a browser; `patience` names what a sign of life may take.

    `lasting`: a person has to allow it, so an attempt does not end with the call that began it.
    """

    def __init__(
        self,
        opening: Opening,
        timeouts: Timeouts,
        nursery: trio.Nursery,
        *,
        patience: str = "probe",
        lasting: bool = False,
    ) -> None:
        self._opening = opening
        self._lasting = lasting
        self._timeouts = timeouts
        self._patience = patience
        self._nursery = nursery
        self._lock = trio.Lock()
        self._live: Live | None = None
        self._used_at = trio.current_time()
        self._attempt: _Attempt | None = None
        self._failed: BridgeError | None = None  # how the last attempt went that came to nothing
        self._state = State.IDLE
        self._lost: BridgeError | None = None
        self.recoveries = 0

    @property
    def state(self) -> State:
        """A browser that is there and was found to hang is as good as lost."""
        return self._state if self._hung is None else State.DEGRADED

    @property
    def lost(self) -> BridgeError | None:
        """How the last one was lost."""
        return self._hung or self._lost

    @property
    def _hung(self) -> BridgeError | None:
        """A person's own browser may be slow, and is not given up for it."""
        if self._live is None or self._live.browser.kind == "extension":
            return None
        return self._live.browser.connection.hung

    @property
    def live(self) -> Live | None:
        """The current browser, if there is one; never starts anything."""
        return self._live

    async def browser(self) -> "Browser":
        """The browser, started or recovered if need be; concurrent callers share one attempt."""
        before = self._failed
        async with held(self._lock):
            if self._failed is not None and self._failed is not before:
                raise self._failed.again()  # of the attempt we waited for
            if self._live is not None:
                await self._check(self._live)
            if self._live is None:
                await self._connect()
            if self._live is None:  # it went while we were being told that it had come
                raise (self._lost or browser_gone("it ended at once")).again()
            self._used_at = trio.current_time()
            return self._live.browser

    def expect(self) -> None:
        """Somebody will want the browser in a moment: start it. Failures are that somebody's."""

        async def come() -> None:
            try:
                await self.browser()
            except BridgeError:
                return
            except Exception:  # noqa: BLE001 -- who wants it meets the same, and has a border
                _log.exception("the browser that was expected did not start")

        self._nursery.start_soon(come)

    async def _check(self, live: Live) -> None:
        """A held connection that was idle is asked once; a browser that hangs is given up."""
        if live.browser.connection.end is not None:
            await self._drop(live, live.browser.connection.end)
        elif min(self._used_at, live.browser.connection.heard_at) < trio.current_time() - _IDLE:
            try:
                await live.browser.connection.probe(self._patience)
            except ChromeError as error:
                if error.code == "BROWSER_HUNG" and live.browser.kind == "extension":
                    raise _silent(error) from error
                await self._drop(live, error)
                if error.code == "BROWSER_HUNG":
                    await self._end_hung(live.chrome)

    async def _end_hung(self, chrome: Chrome) -> None:
        """Whoever shares a browser of ours that hangs has no use for it either."""
        known = record.read(chrome.profile) if chrome.profile is not None else None
        if known is not None and known.pid == chrome.pid:
            assert chrome.profile is not None
            await evict(chrome.profile, known, politely=False, timeouts=self._timeouts)

    async def _drop(self, live: Live, lost: BridgeError) -> None:
        self._live = None
        self._lost = lost
        if self._state is State.CONNECTED:
            self._note(State.DEGRADED, lost=lost)
        live.stop.cancel()
        await trio.lowlevel.checkpoint()

    async def _connect(self) -> None:
        """Have the attempt that is under way, or begin one."""
        if self._attempt is None:
            self._attempt = _Attempt()
            self._nursery.start_soon(self._try, self._attempt)
        attempt = self._attempt
        try:
            await attempt.over.wait()
        except trio.Cancelled:
            if not self._lasting:
                attempt.scope.cancel()
                with trio.CancelScope(shield=True):  # until nothing of it is left
                    await attempt.over.wait()
            raise
        if isinstance(attempt.error, BridgeError):
            self._failed = attempt.error.again()
            raise attempt.error.again()
        if attempt.error is not None:
            raise attempt.error

    async def _try(self, attempt: _Attempt) -> None:
        recovery = self._state is State.DEGRADED
        self._note(State.STARTING, recoveryAttempt=self.recoveries + 1 if recovery else None)
        attempt.error = browser_gone("we have left it")  # unless it comes to another end
        try:
            with attempt.scope:
                await self._nursery.start(self._serve, recovery)
                attempt.error = None
            if attempt.scope.cancelled_caught:
                self._note(State.DEGRADED if recovery else State.IDLE)
        except BridgeError as error:
            attempt.error = error
            self._note(State.DEGRADED, recoveryResult=error.code)
        except Exception as error:  # noqa: BLE001 -- who wants it meets the same, and has a border
            attempt.error = error
        finally:
            self._attempt = None
            attempt.over.set()

    async def _serve(self, recovery: bool, task_status: trio.TaskStatus[None]) -> None:
        """Hold one browser from its start to its loss."""
        with trio.CancelScope() as stop:
            async with self._opening() as (chrome, browser):
                self._live = live = Live(chrome, browser, stop)
                self.recoveries += recovery
                self._note(State.CONNECTED, recoveryResult="ok" if recovery else None)
                task_status.started()
                await browser.connection.ended.wait()
                if self._live is live:  # else it was given up before it went
                    self._live, self._lost = None, browser.connection.end
                    self._note(State.DEGRADED, lost=self._lost)

    def _note(self, state: State, **facts: object) -> None:
        if self._state is not State.CLOSING:
            self._state = state
        _log.info("%s", log.facts(runtimeState=self._state.value, **facts))

    def close(self) -> None:
        """Nothing is started any more."""
        self._note(State.CLOSING)


@asynccontextmanager
async def open_session(
    options: LaunchOptions,
    timeouts: Timeouts,
    *,
    close_tabs: bool = True,
    prepare: "Prepare | None" = None,
) -> AsyncIterator[tuple[Chrome, "Browser"]]:
    """One browser, got by the launcher and connected, until the block ends."""
    begun = trio.current_time()
    async with open_chrome(options, timeouts) as chrome:
        from bridge.browser.connecting import connect  # while the browser comes up

        hidden = chrome.headless or options.headless
        size = (options.window_size or SIZE) if hidden else None
        connected = connect(
            chrome, timeouts, begun, close_tabs=close_tabs, prepare=prepare, size=size
        )
        async with connected as browser:
            yield chrome, browser


def _silent(error: ChromeError) -> LinkError:
    """A person's browser that is slow keeps our tabs: the next call may find it awake."""
    return LinkError(
        "EXTENSION_DISCONNECTED",
        error.message.replace("browser", "extension"),
        hint="Nothing was sent; try again.",
        retryable=True,
    )


@asynccontextmanager
async def open_lifecycle(
    options: LaunchOptions, timeouts: Timeouts | None = None, prepare: "Prepare | None" = None
) -> AsyncIterator[Lifecycle]:
    """A browser for as long as the block lasts, however often it has to come back.

    Each of them is given to `prepare` before any page of it is touched.
    """
    timeouts = timeouts or Timeouts()
    opening = partial(open_session, options, timeouts, prepare=prepare)
    async with keep_alive(opening, timeouts, lasting=options.auto_connect) as lifecycle:
        yield lifecycle


@asynccontextmanager
async def keep_alive(
    opening: Opening, timeouts: Timeouts, *, patience: str = "probe", lasting: bool = False
) -> AsyncIterator[Lifecycle]:
    """The same for a browser that is got in some other way."""
    async with open_scope() as nursery:
        lifecycle = Lifecycle(opening, timeouts, nursery, patience=patience, lasting=lasting)
        try:
            yield lifecycle
        finally:
            lifecycle.close()
