"""The gate over CDP: what our tabs ask for stops here, and passes only where the policy lets it.

Alone in a browser one command does it all: `Fetch` on the browser's own session sees what any page,
frame, worker or pop-up asks for, each hop of a redirect anew, before its first byte (Chromium 156).
In a shared browser that would stop everybody's requests whenever this process is slow, so there the
gate stands on each session of ours instead; what that cannot hold, `missing` says.

`Fetch` never sees WebSockets and WebRTC. Network conditions do: every host that is not allowed is
offline to them, once `Network` is enabled. (`Network.setBlockedURLs` does not stop a WebSocket.)
Behind the proxy they are not needed.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol
from weakref import WeakSet

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.gate.refusals import Refusals
from bridge.policy.hosts import parse_address
from bridge.policy.patterns import Pattern
from bridge.policy.rules import Policy, decide_request
from bridge.session.connection import Connection
from bridge.session.session import Session

_log = log.get("gate")

_EVERYTHING = [cdp.fetch.RequestPattern(url_pattern="*")]
_MISSING_WHEN_SHARED = (
    "the first request of a pop-up that a page opens may leave before the gate stands",
    "requests of shared workers pass",
    "names may be looked up, and connections made, ahead of a request that is then refused",
)


class Guarded(Protocol):
    """What the gate needs of a browser."""

    @property
    def tabs(self) -> "Sequence[_Page]": ...
    @property
    def connection(self) -> Connection: ...
    @property
    def exclusive(self) -> bool: ...
    def start(self, work: Callable[..., Awaitable[None]], *args: Any) -> None: ...
    def add_opening(self, *commands: Command[Any]) -> None: ...
    def on_session(self, call: Callable[[Session, str], Iterable[Command[Any]]]) -> None: ...


class _Shown(Protocol):
    @property
    def id(self) -> str: ...


class _Page(Protocol):
    @property
    def target_id(self) -> str: ...
    @property
    def frames(self) -> Iterable[_Shown]: ...


class Gate:
    """One for a server; each browser it gets is given to `prepare` before a page is touched."""

    def __init__(self, policy: Callable[[], Policy], *, proxied: bool = False) -> None:
        self.refusals = Refusals()
        self.missing: tuple[str, ...] = ()  # what it cannot hold in this browser, for status
        self._policy = policy
        self._proxied = proxied
        self._ruled: Policy | None = None
        self._sockets: WeakSet[Session] = WeakSet()  # where rules for sockets are in force

    def prepare(self, browser: Guarded) -> None:
        """Stand in this browser; costs nothing where every host is allowed."""
        if not self._policy().restricts:
            return
        self.missing = () if browser.exclusive else _MISSING_WHEN_SHARED
        if browser.exclusive:
            root = browser.connection.root
            root.mirror(cdp.fetch.RequestPaused, self._judge_for(browser, root))
            browser.add_opening(cdp.fetch.enable(patterns=_EVERYTHING))

        def set_up(session: Session, kind: str) -> Iterator[Command[Any]]:
            if not browser.exclusive:
                session.mirror(cdp.fetch.RequestPaused, self._judge_for(browser, session))
                yield cdp.fetch.enable(patterns=_EVERYTHING)
            if not self._proxied:
                self._sockets.add(session)
                self._ruled = self._policy()
                yield cdp.network.enable()
                yield socket_rules(self._ruled)

        browser.on_session(set_up)

    def _judge_for(
        self, browser: Guarded, session: Session
    ) -> Callable[[cdp.fetch.RequestPaused], None]:
        def judge(event: cdp.fetch.RequestPaused) -> None:
            policy = self._policy()
            if policy is not self._ruled:
                self._rule_again(browser, policy)
            if decide_request(event.request.url, policy).allowed:
                browser.start(_answer, session, cdp.fetch.continue_request(event.request_id))
                return
            address = parse_address(event.request.url)
            host = address.host or f"{address.scheme}:" if address is not None else ""
            self.refusals.note(_tab_of(event.frame_id, browser), host, event.resource_type)
            refusal = cdp.fetch.fail_request(event.request_id, "BlockedByClient")
            browser.start(_answer, session, refusal)

        return judge

    def _rule_again(self, browser: Guarded, policy: Policy) -> None:
        """What is allowed has changed: sockets have to know."""
        self._ruled = policy
        for session in list(self._sockets):
            if session.end is None:
                browser.start(_answer, session, socket_rules(policy))


def _tab_of(frame_id: str, browser: Guarded) -> str:
    """The target of the tab that shows this frame; a new tab's is its main frame's id."""
    for tab in browser.tabs:
        if any(frame.id == frame_id for frame in tab.frames):
            return tab.target_id
    return frame_id


async def _answer(session: Session, command: Command[Any]) -> None:
    try:
        await session.execute(command)
    except BridgeError as error:  # the request, or its page, went first
        _log.debug("unanswered: %s", error)


def socket_rules(policy: Policy) -> Command[Any]:
    """Conditions under which WebSockets and WebRTC reach only what is allowed.

    The first rule that matches holds. Plain requests are left to `Fetch`, which can say why.
    """
    return cdp.network.emulate_network_conditions_by_rule(conditions(policy))


def conditions(policy: Policy) -> list[cdp.network.NetworkConditions]:
    """The same as data, for whoever lays conditions of their own over it."""
    return [
        *(_condition(text, offline=True) for each in policy.never for text in _patterns(each)),
        *(_condition(text, offline=False) for each in policy.visited for text in _patterns(each)),
        _condition("http{s}?://*:*/*", offline=False),
        _condition("", offline=True),
    ]


def _patterns(pattern: Pattern) -> Iterator[str]:
    """A pattern of ours in the syntax of URLPattern, where a scheme's usual port is written ""."""
    host = pattern.host.replace(":", "\\:") or "*"
    name = f"{{*.}}?{host}" if pattern.below else host
    for scheme, usual in (("ws", 80), ("wss", 443)):
        if pattern.port is None:
            yield f"{scheme}://{name}:*/*"
        elif pattern.port == usual:
            yield f"{scheme}://{name}/*"
        else:
            yield f"{scheme}://{name}:{pattern.port}/*"


def _condition(url_pattern: str, *, offline: bool) -> cdp.network.NetworkConditions:
    return cdp.network.NetworkConditions(
        url_pattern=url_pattern,
        latency=0,
        download_throughput=-1,
        upload_throughput=-1,
        offline=offline,
    )
