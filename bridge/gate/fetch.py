"""The gate over CDP: what our tabs ask for stops here, and passes only where the policy lets it.

Alone in a browser one command does it all: `Fetch` on the browser's own session sees what any page,
frame, worker or pop-up asks for, each hop of a redirect anew, before its first byte (Chromium 156).
In a shared browser that would stop everybody's requests whenever this process is slow, so there the
gate stands on each session of ours instead, before the pop-ups and shared workers of our pages as
far as that goes (`popups`, `workers`); what it cannot hold, `missing` says.

`Fetch` never sees WebSockets and WebRTC. Network conditions do: every host that is not allowed is
offline to them, once `Network` is enabled. (`Network.setBlockedURLs` does not stop a WebSocket.)
Behind the proxy they are not needed.

In a shared browser no service worker answers our pages: what they ask for goes to the network, past
the gate. One that Chrome had started again was not held to the rules for its sockets; and where the
gate had once refused it a request, Chrome never came to start it again, and every navigation to its
site took its whole time and failed (Chromium 156).
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from weakref import WeakSet

from bridge import cdp
from bridge.cdp.base import Command
from bridge.gate.guarded import EVERYTHING, PASS, Guarded, answer, tab_of
from bridge.gate.popups import Popups
from bridge.gate.refusals import Refusals
from bridge.gate.workers import Workers
from bridge.policy.hosts import told
from bridge.policy.patterns import Pattern, other_spellings
from bridge.policy.rules import Policy, decide_request
from bridge.session.session import Session

_MISSING_WHEN_SHARED = (
    "in its first moment, sockets of a pop-up, and all of a blank or blob: pop-up and of a shared "
    "worker that was not fetched (data:, blob:, by a service worker)",
    "the first request of a pop-up that no call of yours has opened, but a person, say",
    "names may be looked up, and connections made, ahead of a request that is then refused",
    "what outlives its page: where a request under way is redirected when its tab, pop-up or frame "
    "has gone; what a pop-up that closes itself, or a frame, asks for while it goes; and what a "
    "service worker asks for when no tab of yours shows its site",
    "if the browser was launched without such a policy: reports of pages (Reporting API, NEL) and "
    "what Chrome fetches when they are gone (Background Fetch, fetchLater); --isolated holds all",
    "WebTransport, WebRTC over TCP (TURN), and what Chrome itself asks for on a page's behalf "
    "(payments, sign-in by FedCM, passkeys)",
)
_MISSING_BEHIND_EXTENSION = (
    "WebSockets of a shared worker; in its first moment, WebRTC of a pop-up",
    "where a tab of the person's shows the same site: what a worker asks for by itself, and in its "
    "first moment a blank or blob: pop-up",
    "workers that a frame of another site starts, and the first moment of a pop-up that it, or a "
    "sandboxed page, opens: its address may be any",
    *_MISSING_WHEN_SHARED[2:],
)
_DOCUMENTS = ("page", "iframe")
_SOCKETS = ("ws", 80), ("wss", 443)
_SCHEME = 20  # characters of one that are told; it may be anything


class Gate:
    """One for a server; each browser it gets is given to `prepare` before a page is touched."""

    def __init__(
        self,
        policy: Callable[[], Policy],
        *,
        proxied: bool = False,
        unreached: Callable[[str], str] = lambda _: "",
    ) -> None:
        self.refusals = Refusals()
        self.unreached = unreached  # why there was no connection for an address, if that is known
        self._missing: tuple[str, ...] = ()
        self._popups: Popups | None = None
        self._workers: Workers | None = None
        self._policy = policy
        self._proxied = proxied
        self._ruled: Policy | None = None
        self._sockets: WeakSet[Session] = WeakSet()  # where rules for sockets are in force

    @property
    def missing(self) -> tuple[str, ...]:
        """What it cannot hold in this browser, for status."""
        foreign = self._workers.foreign if self._workers is not None else 0
        theirs = f"shared workers that others have started ({foreign})"
        return (*self._missing, theirs) if foreign else self._missing

    @asynccontextmanager
    async def acting(self) -> AsyncIterator[None]:
        """Around whatever may let a page of ours open another one."""
        if self._popups is None:
            yield
            return
        async with self._popups.acting():
            yield

    def prepare(self, browser: Guarded) -> None:
        """Stand in this browser; costs nothing where every host is allowed."""
        if not self._policy().restricts:
            return
        if browser.exclusive:
            root = browser.connection.root
            root.mirror(cdp.fetch.RequestPaused, self._judge_for(browser, root))
            browser.add_opening(cdp.fetch.enable(patterns=EVERYTHING))
        elif browser.kind == "extension":  # which blocks by rules of its own besides
            self._missing = _MISSING_BEHIND_EXTENSION
        else:
            self._missing = _MISSING_WHEN_SHARED
            browser.partings.append(lambda: (blocked(self._policy()),))
            self._popups = Popups(
                browser,
                lambda event: self._verdict(browser, event),
                lambda: (socket_rules(self._policy()), cdp.fetch.enable(patterns=EVERYTHING)),
            )
            self._workers = Workers(
                browser,
                lambda session: self._set_up(browser, session, "shared_worker"),
                lambda: socket_sources(self._policy()),
            )
        browser.on_session(lambda session, kind: self._set_up(browser, session, kind))

    def _set_up(self, browser: Guarded, session: Session, kind: str) -> Iterator[Command[Any]]:
        if not browser.exclusive:
            session.mirror(cdp.fetch.RequestPaused, self._judge_for(browser, session))
            yield cdp.fetch.enable(patterns=EVERYTHING)
        if not self._proxied:
            self._sockets.add(session)
            self._ruled = self._policy()
            yield cdp.network.enable()
            yield socket_rules(self._ruled)
        if self._workers is not None and kind in _DOCUMENTS:
            yield cdp.network.set_bypass_service_worker(bypass=True)

    def _judge_for(
        self, browser: Guarded, session: Session
    ) -> Callable[[cdp.fetch.RequestPaused], None]:
        def judge(event: cdp.fetch.RequestPaused) -> None:
            verdict = self._verdict(browser, event)
            workers = self._workers
            passes = verdict.method == PASS
            if workers is not None and passes and (starting := workers.starting(event)):
                browser.start(workers.admit, session, event, starting)
            else:
                browser.start(answer, session, verdict)

        return judge

    def _verdict(self, browser: Guarded, event: cdp.fetch.RequestPaused) -> Command[Any]:
        policy = self._policy()
        if policy is not self._ruled:
            self._rule_again(browser, policy)
        verdict = decide_request(event.request.url, policy)
        if verdict.allowed:
            return cdp.fetch.continue_request(event.request_id)
        scheme = event.request.url.partition(":")[0]
        host = told(verdict.host) if verdict.host else f"{scheme[:_SCHEME]}:"
        tab = tab_of(event.frame_id, browser) or event.frame_id  # a new tab's main frame
        self.refusals.note(tab, host, event.resource_type, verdict.flag)
        return cdp.fetch.fail_request(event.request_id, "BlockedByClient")

    def _rule_again(self, browser: Guarded, policy: Policy) -> None:
        """What is allowed has changed: sockets have to know."""
        self._ruled = policy
        for session in list(self._sockets):
            if session.end is None:
                browser.start(answer, session, socket_rules(policy))


def socket_rules(policy: Policy) -> Command[Any]:
    """Conditions under which WebSockets and WebRTC reach only what is allowed.

    The first rule that matches holds. Plain requests are left to `Fetch`, which can say why.
    """
    return cdp.network.emulate_network_conditions_by_rule(conditions(policy))


def conditions(policy: Policy) -> list[cdp.network.NetworkConditions]:
    """The same as data, for whoever lays conditions of their own over it."""
    return [
        *(_condition(text, offline=True) for each in policy.never for text in _refusing(each)),
        *(_condition(text, offline=False) for each in policy.visited for text in _patterns(each)),
        _condition("http{s}?://*:*/*", offline=False),
        _condition("", offline=True),
    ]


def blocked(policy: Policy) -> Command[Any]:
    """What keeps a page from asking for anything that is not allowed, in its own process.

    For the end of a page, which `Fetch` does not outlive. Before that `Fetch` is better: it knows
    what was refused, and each hop of a redirect.
    """
    web = ("http", 80), ("https", 443)
    rules = [
        *((text, True) for each in policy.never for text in _refusing(each, web)),
        *((text, False) for each in policy.visited for text in _patterns(each, web)),
        *((f"{scheme}://*:*/*", True) for scheme, _ in web),
    ]
    return cdp.network.set_blocked_urls(
        url_patterns=[cdp.network.BlockPattern(url_pattern=text, block=no) for text, no in rules]
    )


def socket_sources(policy: Policy) -> str:
    """A Content-Security-Policy with which a worker's sockets reach only what is allowed.

    A host beside one that is never allowed is left out, for this has no way to say "but not".
    """
    hosts = [pattern for pattern in policy.visited if not _overlaps(pattern, policy.never)]
    names = [name for each in hosts for name in _sources(each)]
    return " ".join(["connect-src http: https: data: blob: filesystem:", *names])


def _sources(pattern: Pattern) -> Iterator[str]:
    port = "*" if pattern.port is None else pattern.port
    for scheme in ("ws", "wss"):
        if not pattern.host:
            yield f"{scheme}://*:{port}"
        elif not pattern.host.startswith("["):  # there is no way to write IPv6
            yield f"{scheme}://{pattern.host}:{port}"
            if pattern.below:
                yield f"{scheme}://*.{pattern.host}:{port}"


def _overlaps(pattern: Pattern, never: Iterable[Pattern]) -> bool:
    return any(
        not pattern.host
        or each.covers(pattern.host, each.port)
        or pattern.matches(each.host, pattern.port)
        for each in never
    )


def _patterns(pattern: Pattern, schemes: Iterable[tuple[str, int]] = _SOCKETS) -> Iterator[str]:
    """A pattern of ours in the syntax of URLPattern, where a scheme's usual port is written ""."""
    host = pattern.host.replace(":", "\\:") or "*"
    name = f"{{*.}}?{host}" if pattern.below else host
    for scheme, usual in schemes:
        if pattern.port is None:
            yield f"{scheme}://{name}:*/*"
        elif pattern.port == usual:
            yield f"{scheme}://{name}/*"
        else:
            yield f"{scheme}://{name}:{pattern.port}/*"


def _refusing(pattern: Pattern, schemes: Iterable[tuple[str, int]] = _SOCKETS) -> Iterator[str]:
    """The same with all spellings that reach the same machine, as `Pattern.covers` knows them."""
    yield from _patterns(pattern, schemes)
    for host in other_spellings(pattern.host):
        yield from _patterns(replace(pattern, host=host), schemes)


def _condition(url_pattern: str, *, offline: bool) -> cdp.network.NetworkConditions:
    return cdp.network.NetworkConditions(
        url_pattern=url_pattern,
        latency=0,
        download_throughput=-1,
        upload_throughput=-1,
        offline=offline,
    )
