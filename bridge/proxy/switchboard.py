"""One browser, and the guests who use it: whose answer, whose tab, whose event.

Over the extension a tab has one session, whoever asks, and what one client switches on in it
another would be told nothing of. So a tab is one guest's at a time, and free again once it is
let go of.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import trio

from bridge import log
from bridge.errors import BridgeError
from bridge.proxy.calls import GONE, Calls, refused
from bridge.proxy.downloads import BEGINS, Downloads, Wishes, wanted
from bridge.proxy.words import Message, params_of, read_message
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.transport.base import Transport

Info = dict[str, Any]
"""A TargetInfo, as the browser sends it."""

_MOST_LEAVES = 10  # how often a tab is let go of that was given several times
_ODD = (KeyError, TypeError, AttributeError)  # what the browser says is not as CDP has it
_log = log.get("proxy")


class Holder(Wishes, Protocol):
    """A guest, as seen from here. None of this may wait: one guest must not keep the others."""

    @property
    def collects(self) -> bool:
        """It wants every tab there is."""

    def answered(self, call: Message, answer: Message) -> None: ...
    def heard(self, session: str, message: Message, raw: bytes) -> None: ...
    def heard_of_download(self, message: Message) -> None: ...
    def shown(self, info: Info) -> None: ...
    def gone(self, target_id: str) -> None: ...
    def attached(self, session: str, info: Info) -> None: ...
    def detached(self, session: str, target_id: str) -> None: ...
    def ended(self, why: str) -> None: ...


class Switchboard:
    """Of one transport; made by `run_switchboard`."""

    def __init__(self, transport: Transport, timeouts: Timeouts, nursery: trio.Nursery) -> None:
        self.tabs: dict[str, Info] = {}
        self.over = False
        self._transport = transport
        self._nursery = nursery
        self._calls = Calls(transport, timeouts)
        self.ask, self.pass_on = self._calls.ask, self._calls.pass_on
        self._guests: list[Holder] = []
        self._holders: dict[str, Holder] = {}
        self._former: dict[str, Holder] = {}  # who may have it back, or has opened it
        self._sessions: dict[str, str] = {}  # of tabs: session to target
        self._taking: set[str] = set()
        self._leaving: dict[str, trio.Event] = {}
        self._quiet = trio.Event()
        self._downloads = Downloads[Holder]()
        self._creating = 0
        self._unclaimed: list[str] = []

    # For guests.

    @contextmanager
    def admit(self, guest: Holder) -> Iterator[None]:
        """Has part in it until the block ends; then its tabs are to be let go of."""
        self._guests.append(guest)
        try:
            if self.over:
                guest.ended(GONE)
            yield
        finally:
            self._guests.remove(guest)
            self._forget(guest)

    def _forget(self, guest: Holder) -> None:
        """What it was to be told, and what it could have had back."""
        self._calls.forget(guest)
        self._downloads.forget(guest)
        for target_id in [each for each, former in self._former.items() if former is guest]:
            del self._former[target_id]
            self.offer(target_id)

    def holder(self, target_id: str) -> Holder | None:
        """Who works on this tab."""
        return self._holders.get(target_id)

    def is_free(self, target_id: str, guest: Holder) -> bool:
        """Nobody works on it, nor may any other guest have it back."""
        return target_id not in self._holders and self._former.get(target_id, guest) is guest

    def keep(self, guest: Holder, target_id: str) -> None:
        """A tab it has opened is for it to attach to, or for nobody."""
        if target_id not in self._holders:
            self._former[target_id] = guest

    def session(self, target_id: str) -> str:
        """The session of a tab that is held; "" while there is none."""
        found = (session for session, target in self._sessions.items() if target == target_id)
        return next(found, "")

    async def take(self, guest: Holder, target_id: str) -> str:
        """The session of a tab that is this guest's from now on.

        Who is cancelled waits for the answer all the same: else the browser gives the tab to
        somebody who has gone, and the next one gets it twice.
        """
        if target_id in self._holders or target_id in self._leaving:
            raise refused("another client of this endpoint works on that tab")
        self._holders[target_id] = guest
        self._taking.add(target_id)
        try:
            with trio.CancelScope(shield=True):
                answer = await self.ask("Target.attachToTarget", targetId=target_id, flatten=True)
        except BridgeError:
            if not self.session(target_id):
                self._holders.pop(target_id, None)
            raise
        finally:
            self._taking.discard(target_id)
            self._tell_quiet()
        return str(answer.get("sessionId"))

    async def let_go(self, guest: Holder) -> None:
        """Everything it holds; what it had switched on there ends with the session.

        Whoever cannot wait for the end of it may go: it is done all the same.
        """
        if guest.downloads is not None and not self.over:
            self._nursery.start_soon(self._try_to_settle_downloads)
        held = [each for each, holder in self._holders.items() if holder is guest]
        # What is being taken for it is let go of by whoever takes it.
        await self._part([each for each in held if each not in self._taking])

    async def release(self, guest: Holder, target_id: str) -> None:
        """One tab it holds; it is another guest's turn."""
        await self._part([target_id], but=guest)

    async def _part(self, targets: list[str], but: Holder | None = None) -> None:
        if not self.over:
            for done in [self._begin_to_leave(each, but) for each in targets]:
                await done.wait()

    def _begin_to_leave(self, target_id: str, but: Holder | None = None) -> trio.Event:
        done = self._leaving.get(target_id)
        if done is None:
            done = self._leaving[target_id] = trio.Event()
            self._nursery.start_soon(self._leave, target_id, but)
        return done

    async def _leave(self, target_id: str, but: Holder | None) -> None:
        """A tab that was given several times has to be let go of as often."""
        session = self.session(target_id)
        try:
            for _ in range(_MOST_LEAVES):
                if session not in self._sessions:
                    break
                await self.ask("Target.detachFromTarget", sessionId=session)
        except BridgeError as error:
            _log.debug("not let go of: %s", error)
        finally:
            self._detach(session)  # the next one has it by the same name: nobody else may go on
            self._leaving.pop(target_id).set()
            self._tell_quiet()
            self._free(target_id, but)

    async def wait_quiet(self) -> None:
        """Until no tab is changing hands: who comes as another one leaves gets its tabs."""
        while self._taking or self._leaving:
            await self._quiet.wait()

    def _tell_quiet(self) -> None:
        if not self._taking and not self._leaving:
            self._quiet.set()
            self._quiet = trio.Event()

    async def settle_downloads(self) -> None:
        """Ask for what the guests together want."""
        await self.ask("Browser.setDownloadBehavior", **wanted(self._guests))

    async def _try_to_settle_downloads(self) -> None:
        try:
            await self.settle_downloads()
        except BridgeError as error:
            _log.debug("downloads: %s", error)

    @contextmanager
    def creating(self) -> Iterator[None]:
        """What appears meanwhile may be the tab that somebody has asked for."""
        self._creating += 1
        try:
            yield
        finally:
            self._creating -= 1
            if not self._creating:
                waiting, self._unclaimed = self._unclaimed, []
                for target_id in waiting:
                    self.offer(target_id)

    def offer(self, target_id: str, but: Holder | None = None) -> None:
        """Give a tab that nobody holds to the guest whose tab opened it, or to the first."""
        if self.over or target_id not in self.tabs:
            return
        if target_id in self._holders or target_id in self._leaving:
            return
        if self._creating:
            self._unclaimed.append(target_id)
            return
        former = self._former.get(target_id)
        if former is not None and not former.collects:
            return  # it asks for its tabs one by one
        nearest = (former, self._holders.get(self.tabs[target_id].get("openerId", "")))
        takers = [
            guest
            for guest in (*nearest, *self._guests)
            if guest in self._guests and guest.collects and guest is not but
        ]
        if takers:
            self._nursery.start_soon(self.try_to_take, takers[0], target_id)

    async def try_to_take(self, guest: Holder, target_id: str) -> None:
        """The same where the browser may refuse: an address that is not allowed, say."""
        if guest not in self._guests:
            self.offer(target_id)
            return
        try:
            await self.take(guest, target_id)
        except BridgeError as error:
            _log.debug("not taken: %s", error)
        if guest not in self._guests and self._holders.get(target_id) is guest:
            await self._part([target_id])

    # The browser's side.

    async def pump(self) -> None:
        """Sort what the browser says, until it is gone."""
        try:
            while True:
                for each in await self._transport.receive():
                    self._sort(each)
        finally:
            self._end()

    def _sort(self, each: bytes) -> None:
        message = read_message(each)
        if message is None:
            _log.debug("unreadable: %d bytes", len(each))
        elif message.id is not None:
            self._calls.settle(message)
        elif message.session_id is not None:
            self._hear(message, each)
        else:
            self._try_to_follow(message)

    async def read(self) -> None:
        """Which tabs there are: a browser that was told before says it once."""
        before = set(self.tabs)
        found = await self.ask("Target.getTargets")
        infos = {info["targetId"]: info for info in found["targetInfos"]}
        # What came or went since then we have been told of.
        gone = before - self.tabs.keys()
        for target_id in before - gone - infos.keys():
            self._drop(target_id)
        for info in (infos[each] for each in infos if each not in gone):
            self._show(info)
            if info.get("attached") is False and (session := self.session(info["targetId"])):
                self._detach(session)
                self.offer(info["targetId"])

    async def _try_to_read(self) -> None:
        try:
            await self.read()
        except (BridgeError, *_ODD) as error:
            _log.debug("not read again: %s", error)

    def _end(self) -> None:
        """Nobody answers any more."""
        self.over = True
        self._calls.end()
        for guest in list(self._guests):
            guest.ended(GONE)

    def _hear(self, message: Message, raw: bytes) -> None:
        session = message.session_id or ""
        target = self._sessions.get(session.partition(".")[0], "")
        holder = self._holders.get(target)
        if holder is not None:
            if message.method == BEGINS:
                self._downloads.begin(message, holder)
            holder.heard(session, message, raw)

    def _try_to_follow(self, message: Message) -> None:
        """What cannot be read ends nothing."""
        try:
            self._follow(message)
        except _ODD:
            _log.debug("unreadable: %s", message.method)

    def _follow(self, message: Message) -> None:
        """Tabs and their sessions come and go."""
        params = params_of(message)
        match message.method:
            case "Target.targetCreated" | "Target.targetInfoChanged":
                self._show(params["targetInfo"])
            case "Target.targetDestroyed":
                self._drop(params["targetId"])
            case "Target.attachedToTarget":
                self._attach(params["sessionId"], params["targetInfo"])
            case "Target.detachedFromTarget":
                self._detach(params["sessionId"])
            case "Bridge.detached" | "Bridge.resumed":
                again = [params["targetId"]] if "targetId" in params else list(self.tabs)
                for target_id in again:
                    self.offer(target_id)
            case "Browser.downloadWillBegin" | "Browser.downloadProgress":
                if (holder := self._downloads.whose(message)) is not None:
                    holder.heard_of_download(message)
            case "Bridge.gap":
                self._nursery.start_soon(self._try_to_read)

    def _show(self, info: Info) -> None:
        target_id = info["targetId"]
        known = self.tabs.get(target_id)
        self.tabs[target_id] = info
        for guest in self._guests:
            if self._holders.get(target_id, guest) is guest:
                guest.shown(info)
        came = info.get("url") and (not known or info["url"] != known.get("url"))
        if known is None or (came and (target_id in self._former or not known.get("url"))):
            self.offer(target_id)

    def _drop(self, target_id: str) -> None:
        self._detach(self.session(target_id))  # what told of its end may have been lost in a gap
        self.tabs.pop(target_id, None)
        self._holders.pop(target_id, None)
        self._former.pop(target_id, None)
        for guest in self._guests:
            guest.gone(target_id)

    def _attach(self, session: str, info: Info) -> None:
        target_id = info["targetId"]
        self.tabs.setdefault(target_id, info)
        known = self._sessions.get(session) == target_id
        self._sessions[session] = target_id
        holder = self._holders.get(target_id)
        if holder is None:  # it was given too late
            self._begin_to_leave(target_id)
        elif not known:
            self._former.pop(target_id, None)
            holder.attached(session, info)

    def _detach(self, session: str) -> None:
        target_id = self._sessions.pop(session, "")
        holder = self._holders.pop(target_id, None)
        if holder is not None:
            holder.detached(session, target_id)
            if target_id not in self._leaving and holder in self._guests:
                self._former[target_id] = holder

    def _free(self, target_id: str, but: Holder | None) -> None:
        self._holders.pop(target_id, None)
        self._former.pop(target_id, None)
        if target_id in self.tabs:
            for guest in self._guests:
                guest.shown(self.tabs[target_id])
            self.offer(target_id, but)


async def run_switchboard(
    transport: Transport,
    timeouts: Timeouts,
    *,
    task_status: trio.TaskStatus[Switchboard] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Stand between a browser and guests until it is gone."""
    board = None
    try:
        async with open_scope() as nursery:
            made = Switchboard(transport, timeouts, nursery)
            nursery.start_soon(made.pump)
            await made.ask("Target.setDiscoverTargets", discover=True)
            await made.read()
            board = made
            task_status.started(board)
            await trio.sleep_forever()
    except BridgeError as error:
        if board is None:
            raise
        _log.info("the browser is gone: %s", error)
    finally:
        with trio.CancelScope(shield=True):
            await transport.aclose()
