"""The gate before a pop-up's first request, in a browser that others use as well.

A pop-up asks for its page before we have a session of it; only the browser's own session sees that.
But whoever listens there holds up the navigations of everybody. So it stands only while a page of
ours can open anything: from before a call that acts until what it gave the page, the right to open
a window for 5 s, has run out. (Without it a page opens nothing: Chromium 156.) What is not known to
be of a page of ours passes, and a page by itself is known: Chrome tells of it, and of its opener,
before it asks for anything.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any

import trio

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.gate.guarded import PASS, Coming, Guarded, answer, ask, tab_of
from bridge.scope import held

Judge = Callable[[cdp.fetch.RequestPaused], Command[Any]]
"""What a waiting request is answered: that it may go on, or that it failed."""

_REDIRECTED = 3
_PAGES = [cdp.fetch.RequestPattern(url_pattern="*", resource_type="Document")]
_log = log.get("gate")


class Popups:
    """Of one browser."""

    def __init__(
        self,
        browser: Guarded,
        judge: Judge,
        stand: Callable[[], Iterable[Command[Any]]],
    ) -> None:
        self._browser = browser
        self._judge = judge
        self._stand = stand  # what makes a session a gate, of which the browser itself answers all
        self._first: set[str] = set()  # pop-ups whose first page is still to come
        self._root = browser.connection.root
        self._timeouts = browser.connection.timeouts
        self._reasons = 0  # to stand: calls at work, the time after them, requests that wait
        self._until = -inf  # when the last of the calls that are over gives no more reason
        self._staying = False  # for them
        self._standing = False  # the browser has said so
        self._changing = trio.Lock()  # that: what is sent last has to hold
        self._root.mirror(cdp.fetch.RequestPaused, self._paused)
        self._root.mirror(cdp.target.TargetDestroyed, lambda event: self._forget(event.target_id))

    @asynccontextmanager
    async def acting(self) -> AsyncIterator[None]:
        """Stand before anything a page can open meanwhile, and for as long as it still may.

        A call that failed may have left a click with a page that is too busy to take it yet.
        """
        lasting = self._timeouts.unanswered
        self._reasons += 1
        try:
            async with held(self._changing):
                if not self._standing:  # whatever the reasons: one before may not have come to it
                    await self._root.execute(cdp.fetch.enable(patterns=_PAGES))
                    self._standing = True
            yield
            lasting = self._timeouts.activation
        finally:
            self._linger(lasting)

    def _linger(self, seconds: float) -> None:
        """Stay so long after a call; one task does for all, and has their reason.

        A task for each, of which 5,000 were alive when calls took a millisecond, cost 17 MB.
        """
        self._until = max(self._until, trio.current_time() + seconds)
        if self._staying:
            self._reasons -= 1
        else:
            self._staying = True
            self._browser.start(self._stay)

    async def _stay(self) -> None:
        await trio.sleep_until(self._until)
        if trio.current_time() < self._until:  # other calls have moved it
            self._browser.start(self._stay)
            return
        self._staying = False
        await self._leave()

    async def _leave(self) -> None:
        self._reasons -= 1
        async with held(self._changing):
            if self._reasons == 0:
                self._standing = False
                await answer(self._root, cdp.fetch.disable())
                _log.debug("pop-ups are watched no longer")

    def _paused(self, event: cdp.fetch.RequestPaused) -> None:
        browser = self._browser
        target_id = cdp.target.TargetID(event.frame_id)  # the same of a page's main frame
        coming = browser.coming.get(target_id)
        if event.response_status_code is not None or event.response_error_reason is not None:
            browser.start(answer, self._root, self._answered(event))
        elif coming is not None:
            self._hold(self._admit, event, coming)
        elif tab_of(event.frame_id, browser) is not None:
            browser.start(answer, self._root, self._proceed(event))
        elif browser.coming and browser.targets.page(target_id) is None:
            blank = [page for key, page in browser.coming.items() if key not in self._first]
            self._hold(self._place, event, blank)
        else:
            browser.start(answer, self._root, cdp.fetch.continue_request(event.request_id))

    def _hold(self, work: Callable[..., Any], *args: Any) -> None:
        self._reasons += 1  # what waits would go on if we left
        self._browser.start(self._holding, work, *args)

    async def _holding(self, work: Callable[..., Any], *args: Any) -> None:
        await work(*args)
        await self._leave()

    async def _admit(self, event: cdp.fetch.RequestPaused, coming: Coming) -> None:
        """Let a pop-up's first request go once what the page asks for next will be seen."""
        verdict = self._judge(event)
        if verdict.method == PASS:
            session = await coming.session()
            # These the browser answers itself: a page that is about to go elsewhere does not.
            if session is None or not await ask(session, *self._stand()):
                verdict = cdp.fetch.fail_request(event.request_id, "BlockedByClient")
            else:
                verdict = self._follow(event)
        if verdict.method != PASS:
            self._forget(event.frame_id)
        await answer(self._root, verdict)

    def _follow(self, event: cdp.fetch.RequestPaused) -> Command[Any]:
        """Let a request for a pop-up's first page go, and stay: the answer may redirect."""
        if event.frame_id not in self._first:
            self._first.add(event.frame_id)
            self._reasons += 1
        return cdp.fetch.continue_request(event.request_id, intercept_response=True)

    def _proceed(self, event: cdp.fetch.RequestPaused) -> Command[Any]:
        """A tab of ours; where its first page is still to come, that is followed."""
        verdict = self._judge(event)
        if verdict.method == PASS and event.frame_id in self._first:
            return self._follow(event)
        self._forget(event.frame_id)
        return verdict

    def _answered(self, event: cdp.fetch.RequestPaused) -> Command[Any]:
        """The first page comes, or is somewhere else."""
        if (event.response_status_code or 0) // 100 != _REDIRECTED:
            self._forget(event.frame_id)
        return cdp.fetch.continue_request(event.request_id)

    def _forget(self, frame_id: str) -> None:
        if frame_id in self._first:
            self._first.remove(frame_id)
            self._browser.start(self._leave)

    async def _place(self, event: cdp.fetch.RequestPaused, coming: list[Coming]) -> None:
        """Of a frame nobody has told us of: in a pop-up that is on its way, or somebody else's."""
        with trio.move_on_after(self._timeouts.new_tab):
            for each in coming:
                with suppress(BridgeError):
                    await each.wait()
        ours = tab_of(event.frame_id, self._browser) is not None
        passes = cdp.fetch.continue_request(event.request_id)
        await answer(self._root, self._judge(event) if ours else passes)
