"""The gate before shared workers, in a browser that others use as well.

Nothing may pause them for us: whoever attaches to new targets on the browser's own session, shared
workers alone and without a pause, stops every `window.open` of everybody for good (Chromium 156).
But a page of ours asks for the worker's script on its own session, after the worker is announced.
There it waits until the worker has the gate. A worker whose script nobody of ours has asked for
belongs to others, and is left alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import trio

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.gate.guarded import EVERYTHING, Guarded, answer, ask
from bridge.policy.hosts import parse_address
from bridge.session.session import Session

_log = log.get("gate")
_FRESH = 5.0  # from a worker's coming to its script's request; they come in one go


@dataclass(slots=True, eq=False)
class _Worker:
    target_id: cdp.target.TargetID
    url: str
    since: float = field(default_factory=trio.current_time)
    taken: bool = False
    seen: bool = False  # what it asks for has to pass the gate
    guarded: trio.Event = field(default_factory=trio.Event)


class Workers:
    """Of one browser; `set_up` gives what a session needs to have the gate."""

    def __init__(
        self,
        browser: Guarded,
        set_up: Callable[[Session], Iterable[Command[Any]]],
        sockets: Callable[[], str],
    ) -> None:
        self._sockets = sockets
        self._browser = browser
        self._set_up = set_up
        self._root = browser.connection.root
        self._there: dict[str, _Worker] = {}
        self._root.mirror(cdp.target.TargetCreated, self._created)
        self._root.mirror(cdp.target.TargetDestroyed, self._destroyed)

    @property
    def foreign(self) -> int:
        """How many there are that we leave alone; a page of ours may come to talk to one."""
        return sum(not worker.taken for worker in self._there.values())

    def starting(self, event: cdp.fetch.RequestPaused) -> list[_Worker]:
        """The workers this request of a page of ours may be the script of."""
        if event.resource_type != "Other":
            return []
        since = trio.current_time() - _FRESH
        return [
            worker
            for worker in self._there.values()
            if worker.url == event.request.url and (worker.taken or worker.since > since)
        ]

    async def admit(
        self, session: Session, event: cdp.fetch.RequestPaused, workers: Iterable[_Worker]
    ) -> None:
        """Let the script come once what the worker asks for is seen, and tie its sockets.

        Not where a worker that is there cannot be seen: it would ask for what it wants.
        """
        for worker in workers:
            await self._take(worker)
            if not worker.seen and worker.target_id in self._there:
                refusal = cdp.fetch.fail_request(event.request_id, "BlockedByClient")
                await answer(session, refusal)
                return
        go_on = cdp.fetch.continue_request(event.request_id, intercept_response=True)
        if event.response_error_reason is not None:
            go_on = cdp.fetch.continue_request(event.request_id)
        elif event.response_status_code is not None:
            # Network conditions do nothing to a worker that does not run yet (Chromium 156).
            name, value = "Content-Security-Policy", self._sockets()
            headers = event.response_headers or []
            go_on = cdp.fetch.continue_response(
                event.request_id,
                response_code=event.response_status_code,
                response_headers=[*headers, cdp.fetch.HeaderEntry(name=name, value=value)],
            )
        await answer(session, go_on)

    def _created(self, event: cdp.target.TargetCreated) -> None:
        info = event.target_info
        if info.type == "shared_worker":
            url = info.url.partition("#")[0]
            self._there[info.target_id] = worker = _Worker(info.target_id, url)
            if self._is_at_hand(url):
                self._browser.start(self._take, worker)

    def _destroyed(self, event: cdp.target.TargetDestroyed) -> None:
        self._there.pop(event.target_id, None)

    def _is_at_hand(self, url: str) -> bool:
        """Whether its script is asked of nobody, and a page of ours may have started it."""
        if url.startswith("data:"):
            return bool(self._browser.tabs)
        if not url.startswith("blob:"):
            return False
        origin = parse_address(url.removeprefix("blob:"))
        shown = (parse_address(frame.url) for tab in self._browser.tabs for frame in tab.frames)
        return origin is not None and any(
            each is not None and (each.host, each.port) == (origin.host, origin.port)
            for each in shown
        )

    async def _take(self, worker: _Worker) -> None:
        if worker.taken:
            await worker.guarded.wait()
            return
        worker.taken = True
        try:
            attach = cdp.target.attach_to_target(worker.target_id, flatten=True)
            session = self._root.attach((await self._root.execute(attach)).session_id)
            # All are heard at once, but some are answered only when the worker runs.
            self._browser.start(answer, session, *self._set_up(session))
            worker.seen = await ask(session, cdp.fetch.enable(patterns=EVERYTHING))
        except BridgeError as error:  # it went first, or Chrome did not answer in time
            _log.info("a shared worker has no gate: %s", error.code)
        finally:
            worker.guarded.set()
