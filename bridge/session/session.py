"""A flat CDP session: commands and events of one target, or of the browser itself.

Three ways to hear: `events` gives a bounded subscription to a task; `mirror` calls a function from
the pump itself, in order and before any later reply is delivered, for state that has to be right
when a call returns (frame trees, tab tables); `tap` does so with the undecoded event, for logs that
are seldom read. Mirrors and taps are short and cannot wait.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from bridge import cdp, log
from bridge.cdp.base import Command, Event, Object
from bridge.errors import BridgeError
from bridge.session import faults, wire
from bridge.session.events import KEEP, Loss, RawEvent, Subscription, decode
from bridge.timeouts import deadline

if TYPE_CHECKING:
    from bridge.session.connection import Connection

SessionKey = str
R = TypeVar("R", bound=Object)
E = TypeVar("E", bound=Event)
_log = log.get("session")

# What the browser process answers when the renderer is dead (each tried on Chromium 156); the rest
# would wait for ever. Fetch is among it: it may have to let the reviving navigation through.
_ANSWERED_AFTER_CRASH = frozenset(
    {
        "Page.bringToFront",
        "Page.close",
        "Page.getNavigationHistory",
        "Page.handleJavaScriptDialog",
        "Page.navigate",
        "Page.navigateToHistoryEntry",
        "Page.reload",
        "Page.stopLoading",
    }
)
_ANSWERING_DOMAINS = ("Browser.", "Fetch.", "Target.")


class Session:
    """Made by `Connection`; ends with its target, its parent or the connection."""

    def __init__(self, connection: "Connection", key: SessionKey, parent: "Session | None") -> None:
        self.connection = connection
        self.key = key
        self.parent = parent
        self.children: dict[Session, None] = {}
        self.crashed = False
        self.end: BridgeError | None = None
        self._closing_reason = ""
        self._heard: dict[str, list[Subscription[Any]]] = {}
        self._mirrors: dict[str, list[Callable[[Any], None]]] = {}
        self._taps: dict[str, list[Callable[[wire.Event], None]]] = {}
        if parent is not None:
            parent.children[self] = None

    async def execute(self, command: Command[R], *, timeout: str = "command") -> R:
        """Send a command and return its typed result; `timeout` names a field of Timeouts."""
        self._check(command)
        return await self.connection.call(self, command, timeout)

    async def execute_all(self, *commands: Command[Any], timeout: str = "command") -> list[Any]:
        """Send several in this order, without waiting in between; their results, in order.

        What Chrome only answers after a later command (a paused page does so) can be sent no other
        way. Fails with the first failure, once all have been answered.
        """
        for command in commands:
            self._check(command)
        return await self.connection.call_all(self, commands, timeout)

    def attach(self, key: SessionKey) -> "Session":
        """The child session of this id, as `Target.attachToTarget` or an event named it."""
        return self.connection.session(key) or self.connection.adopt(key, self)

    @contextmanager
    def events(
        self, *kinds: type[E], loss: Loss = Loss.OLDEST, keep: int = KEEP
    ) -> Iterator[Subscription[E]]:
        """Hear these events, in order, until the block ends. Subscribe first, then act."""
        subscription: Subscription[E] = Subscription(loss, keep)
        if self.end is not None:
            subscription.finish(self.end)
        for kind in kinds:
            self._heard.setdefault(kind.METHOD, []).append(subscription)
        try:
            yield subscription
        finally:
            for kind in kinds:
                self._heard[kind.METHOD].remove(subscription)
                if not self._heard[kind.METHOD]:
                    del self._heard[kind.METHOD]

    async def wait_for(
        self,
        kind: type[E],
        where: Callable[[E], bool] | None = None,
        *,
        timeout: str = "command",
    ) -> E:
        """The next event of this kind (that the predicate accepts); one already past is missed."""
        limit = deadline(self.connection.timeouts, timeout, f"waiting for {kind.METHOD}")
        with self.events(kind) as events, limit:
            return await (events.receive() if where is None else events.first(where))

    def mirror(self, kind: type[E], apply: Callable[[E], None]) -> None:
        """Call `apply` from the pump for every such event, for the life of the session."""
        self._mirrors.setdefault(kind.METHOD, []).append(apply)

    def tap(self, kind: type[Event], take: Callable[[wire.Event], None]) -> None:
        """Hand every such event to `take` undecoded, from the pump, for the life of the session."""
        self._taps.setdefault(kind.METHOD, []).append(take)

    # Called by the connection.

    def publish(self, event: wire.Event) -> bool:
        """Deliver one event; False if nobody wanted it."""
        method = event.method
        if method in _LIFE:
            self._live(event)
        mirrors = self._mirrors.get(method)
        heard = self._heard.get(method)
        taps = self._taps.get(method)
        if mirrors is not None:
            self._reflect(mirrors, event)
        if taps is not None:
            self._pass_on(taps, event)
        if heard is not None:
            for subscription in heard:
                subscription.publish(event)
        return mirrors is not None or heard is not None or taps is not None

    def finish(self, error: BridgeError) -> None:
        """Over: subscribers are told, commands are refused from now on."""
        self.end = error
        if self.parent is not None:
            self.parent.children.pop(self, None)
        for subscriptions in self._heard.values():
            for subscription in subscriptions:
                subscription.finish(error)
        # Whoever follows a session holds it as well. As a ring, a tab that is gone would stay until
        # the garbage collector comes: the memory of hundreds, which is never quite given back.
        self._mirrors.clear()
        self._taps.clear()

    def _reflect(self, mirrors: list[Callable[[Any], None]], event: wire.Event) -> None:
        typed = decode(event)
        if isinstance(typed, RawEvent):
            _log.warning("%s cannot be read: nothing follows it", event.method)
            return
        for apply in list(mirrors):
            try:
                apply(typed)
            except Exception:  # noqa: BLE001 -- a broken mirror must not stop the pump of everybody
                _log.exception("mirror of %s failed", event.method)

    def _pass_on(self, taps: list[Callable[[wire.Event], None]], event: wire.Event) -> None:
        for take in taps:
            try:
                take(event)
            except Exception:  # noqa: BLE001 -- a broken log must not stop the pump of everybody
                _log.exception("tap of %s failed", event.method)

    def _live(self, event: wire.Event) -> None:
        """Keep track of children, crashes and ends."""
        match decode(event):
            case cdp.target.AttachedToTarget() as begun:
                self.attach(begun.session_id)
            case cdp.target.DetachedFromTarget() as over:
                child = self.connection.session(over.session_id)
                if child is not None:
                    sure = self.connection.kind != "extension"
                    ended = faults.detached(child._closing_reason, sure=sure)
                    self.connection.forget(child, ended)
            case cdp.inspector.Detached() as detached:
                self._closing_reason = detached.reason
            case cdp.inspector.TargetCrashed():
                self.crashed = True
                self.connection.fail_calls(self, faults.crashed())
            case cdp.inspector.TargetReloadedAfterCrash():
                self.crashed = False

    def _check(self, command: Command[Any]) -> None:
        """Refuse what a dead renderer would leave unanswered."""
        dead = self.crashed and self.end is None
        if dead and not _answered_after_crash(command.method):
            raise faults.crashed()


def _answered_after_crash(method: str) -> bool:
    return method in _ANSWERED_AFTER_CRASH or method.startswith(_ANSWERING_DOMAINS)


_LIFE = frozenset(
    {
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Inspector.detached",
        "Inspector.targetCrashed",
        "Inspector.targetReloadedAfterCrash",
    }
)
