"""What the pages of a tab ask the network for, and what became of it.

One log for all processes of the tab: a frame's document is asked for by one process and answered in
another, under the same id. Frames of sockets and chunks of bodies are not listened to, so traffic
costs what its requests cost. `data:` addresses never reach a network and are left out.

Chrome never says that a request ended with the page that made it, so that is concluded here from
the page's leaving; otherwise it would be pending for ever.
"""

from collections import deque
from collections.abc import Callable, Iterator

import msgspec

from bridge import cdp
from bridge.cdp.base import Event
from bridge.errors import BridgeError
from bridge.page.exchange import Began, Exchange, Named, read
from bridge.page.processes import on_each_process
from bridge.session.session import Session

KEEP = 1_000
KEEP_BYTES = 8 * 1024 * 1024


class Network:
    """The requests of one tab, over all its pages and frames."""

    def __init__(self, session: Session) -> None:
        self.count = 0  # all there ever were
        self._ring: deque[Exchange] = deque()
        self._by_id: dict[str, Exchange] = {}
        self._open: dict[str, Exchange] = {}
        self._bytes = 0
        on_each_process(session, self._hear, ("iframe", "worker"))

    def __iter__(self) -> Iterator[Exchange]:
        """All that are still known, oldest first."""
        return iter(list(self._ring))

    @property
    def size(self) -> int:
        """Bytes of what is kept."""
        return self._bytes

    def status(self, loader: str) -> int | None:
        """Of the answer that became this document; None if it is not known (any more)."""
        request = self._by_id.get(loader)
        return (request.head.status or None) if request is not None else None

    def posted_by(self, loader: str) -> bool:
        """Whether this document is the answer to what a form sent; False if it is not known."""
        request = self._by_id.get(loader)
        return request is not None and request.method not in ("GET", "HEAD")

    async def body(self, request: Exchange) -> tuple[str, bool]:
        """The body of the answer, and whether that is base64 of it; CDP_ERROR if it is not kept."""
        command = cdp.network.get_response_body(cdp.network.RequestId(request.id))
        answer = await request.session.execute(command, timeout="read")
        return answer.body, answer.base64_encoded

    async def posted(self, request: Exchange) -> str:
        """What the request sent along; "" if nothing."""
        asked = request.asked
        if asked.post_data is not None or not asked.has_post_data:
            return asked.post_data or ""
        command = cdp.network.get_request_post_data(cdp.network.RequestId(request.id))
        try:
            return (await request.session.execute(command, timeout="read")).post_data
        except BridgeError:
            return ""

    # What Chrome tells.

    def _hear(self, session: Session) -> None:
        def on(kind: type[Event], take: Callable[[Session, msgspec.Raw], None]) -> None:
            session.tap(kind, lambda event: take(session, event.params))

        on(cdp.network.RequestWillBeSent, self._begun)
        on(cdp.network.WebSocketCreated, self._opened)
        on(cdp.network.WebTransportCreated, self._opened)
        on(cdp.network.ResponseReceived, self._answered)
        on(cdp.network.WebSocketHandshakeResponseReceived, self._answered)
        on(cdp.network.RequestWillBeSentExtraInfo, self._sent)
        on(cdp.network.ResponseReceivedExtraInfo, self._received)
        on(cdp.network.LoadingFinished, self._ended)
        on(cdp.network.LoadingFailed, self._ended)
        on(cdp.network.WebSocketFrameError, self._ended)
        on(cdp.network.WebSocketClosed, self._closed)
        on(cdp.network.WebTransportClosed, self._closed)
        session.mirror(cdp.page.DownloadWillBegin, self._saved)
        session.mirror(cdp.page.FrameNavigated, self._navigated)
        session.mirror(cdp.page.FrameDetached, lambda event: self._detached(session, event))
        session.mirror(cdp.inspector.TargetCrashed, lambda _: self._lost(session))
        session.mirror(cdp.target.DetachedFromTarget, lambda _: self._abandoned())

    def _begun(self, session: Session, raw: msgspec.Raw) -> None:
        began = read(Began, raw)
        if began.request is None or began.request.url.startswith("data:"):
            return
        known = self._open.get(began.id)
        if known is not None:
            known.earlier.append(known.begun)
            known.url, known.method = began.request.url, began.request.method
            self._keep(known, "begun", raw)
        else:
            self._add(session, began, began.request.url, began.request.method, began.type, raw)

    def _opened(self, session: Session, raw: msgspec.Raw) -> None:
        began = read(Began, raw)
        kind = "WebSocket" if began.request_id else "Other"
        self._add(session, began, began.url, "GET", kind, raw)

    def _add(
        self, session: Session, began: Began, url: str, method: str, kind: str, raw: msgspec.Raw
    ) -> None:
        self.count += 1
        request = Exchange(
            self.count, began.id, session, url, method, kind, began.frame_id, began.loader_id
        )
        self._ring.append(request)
        self._by_id[request.id] = self._open[request.id] = request
        self._keep(request, "begun", raw)

    def _answered(self, session: Session, raw: msgspec.Raw) -> None:
        request = self._find(raw)
        if request is not None:
            request.session = session
            self._keep(request, "answered", raw)

    def _sent(self, session: Session, raw: msgspec.Raw) -> None:
        request = self._find(raw)
        if request is not None:
            self._keep(request, "sent", raw)

    def _received(self, session: Session, raw: msgspec.Raw) -> None:
        request = self._find(raw)
        if request is not None:
            self._keep(request, "received", raw)

    def _ended(self, session: Session, raw: msgspec.Raw) -> None:
        request = self._find(raw)
        if request is None or request.ended:
            return  # a navigation that has failed, and then Chrome's error page in its name
        request.session = session
        self._keep(request, "ended", raw)
        self._end(request)

    def _closed(self, session: Session, raw: msgspec.Raw) -> None:
        request = self._find(raw)
        if request is not None:
            if not request.ended:
                self._keep(request, "ended", raw)
            self._end(request)

    def _find(self, raw: msgspec.Raw) -> Exchange | None:
        return self._by_id.get(read(Named, raw).id)

    def _keep(self, request: Exchange, what: str, raw: msgspec.Raw) -> None:
        setattr(request, what, raw)
        request.size += len(raw)
        self._bytes += len(raw)
        while len(self._ring) > KEEP or (self._bytes > KEEP_BYTES and len(self._ring) > 1):
            self._drop(self._ring.popleft())

    def _drop(self, request: Exchange) -> None:
        self._bytes -= request.size
        if self._by_id.get(request.id) is request:
            del self._by_id[request.id]
        self._end(request)

    def _end(self, request: Exchange) -> None:
        if self._open.get(request.id) is request:
            del self._open[request.id]
        request.done.set()

    def _saved(self, event: cdp.page.DownloadWillBegin) -> None:
        """A document that Chrome saves is called off (net::ERR_ABORTED), and nothing has failed."""
        for request in reversed(self._ring):
            if request.id == request.loader_id and request.frame_id == event.frame_id:
                same = request.url.partition("#")[0] == event.url.partition("#")[0]
                request.saved |= same and bool(request.error or not request.ended)
                return

    # Pages that leave before their requests have ended.

    def _navigated(self, event: cdp.page.FrameNavigated) -> None:
        loader = event.frame.loader_id
        self._leave(lambda r: r.frame_id == event.frame.id and r.loader_id != loader)

    def _detached(self, session: Session, event: cdp.page.FrameDetached) -> None:
        if event.reason != "swap":
            self._leave(lambda r: r.frame_id == event.frame_id)

    def _lost(self, session: Session) -> None:
        self._leave(lambda request: request.session is session)

    def _abandoned(self) -> None:
        """A process that has no frame of the tab any more tells nothing of the frames in that one.

        A document may have gone over into another process, and is told of by that.
        """
        self._leave(lambda r: r.session.end is not None and r.id != r.loader_id)

    def _leave(self, leaves: Callable[[Exchange], bool]) -> None:
        for request in list(self._open.values()):
            if leaves(request):
                request.left = True
                self._end(request)
