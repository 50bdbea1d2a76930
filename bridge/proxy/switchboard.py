"""One browser, and the guests who use it: whose answer, whose tab, whose event.

Over the extension a tab has one session, whoever asks, and what one client switches on in it
another would be told nothing of. So a tab is one guest's at a time, and free again once it is
let go of.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

import msgspec
import trio

from bridge import log
from bridge.errors import BridgeError, ChromeError
from bridge.proxy.words import Message, encode, params_of, raw, read_message
from bridge.scope import open_scope
from bridge.timeouts import Timeouts, deadline
from bridge.transport.base import Transport

Info = dict[str, Any]
"""A TargetInfo, as the browser sends it."""

_log = log.get("proxy")


class Holder(Protocol):
    """A guest, as seen from here. None of this may wait: one guest must not keep the others."""

    @property
    def collects(self) -> bool:
        """It wants every tab there is."""
        ...

    def answered(self, call: Message, answer: Message) -> None: ...
    def heard(self, session: str, message: Message, raw: bytes) -> None: ...
    def heard_of_download(self, message: Message) -> None: ...
    def shown(self, info: Info) -> None: ...
    def gone(self, target_id: str) -> None: ...
    def attached(self, session: str, info: Info) -> None: ...
    def detached(self, session: str, target_id: str) -> None: ...
    def ended(self, why: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call of a guest that is under way, under a number of ours."""

    holder: Holder
    call: Message


class _Waiting:
    """A call of our own."""

    def __init__(self) -> None:
        self.answer: Message | None = None
        self.come = trio.Event()


class Switchboard:
    """Of one transport; made by `run_switchboard`."""

    def __init__(self, transport: Transport, timeouts: Timeouts, nursery: trio.Nursery) -> None:
        self.tabs: dict[str, Info] = {}
        self.over = False
        self._transport = transport
        self._timeouts = timeouts
        self._nursery = nursery
        self._numbers = count(1)
        self._asked: dict[int, _Asked | _Waiting] = {}
        self._guests: list[Holder] = []
        self._holders: dict[str, Holder] = {}
        self._former: dict[str, Holder] = {}  # who was thrown off a tab that may come back
        self._sessions: dict[str, str] = {}  # of tabs: session to target
        self._changes = 0  # tabs that are being taken or let go of
        self._quiet = trio.Event()
        self._creating = 0
        self._unclaimed: list[str] = []

    # For guests.

    @contextmanager
    def admit(self, guest: Holder) -> Iterator[None]:
        """Has part in it until the block ends; then its tabs are to be let go of."""
        self._guests.append(guest)
        try:
            yield
        finally:
            self._guests.remove(guest)

    def holder(self, target_id: str) -> Holder | None:
        """Who works on this tab."""
        return self._holders.get(target_id)

    def session(self, target_id: str) -> str:
        """The session of a tab that is held; "" while there is none."""
        found = (session for session, target in self._sessions.items() if target == target_id)
        return next(found, "")

    async def ask(self, method: str, **params: object) -> dict[str, Any]:
        """A call of ours; ChromeError with the browser's words where it refuses."""
        number, waiting = next(self._numbers), _Waiting()
        self._asked[number] = waiting
        try:
            with deadline(self._timeouts, "new_tab", method):
                await self._transport.send(
                    encode(Message(id=number, method=method, params=raw(params)))
                )
                await waiting.come.wait()
        finally:
            self._asked.pop(number, None)
        return _result_of(method, waiting.answer)

    async def pass_on(self, guest: Holder, call: Message, session: str | None) -> None:
        """A call of a guest; `answered` tells what became of it."""
        number = next(self._numbers)
        self._asked[number] = _Asked(guest, call)
        sent = Message(id=number, method=call.method, params=call.params, session_id=session)
        await self._transport.send(encode(sent))

    async def take(self, guest: Holder, target_id: str) -> str:
        """The session of a tab that is this guest's from now on."""
        holder = self._holders.get(target_id)
        if holder is not None:
            raise refused("another client of this endpoint works on that tab")
        self._holders[target_id] = guest
        self._former.pop(target_id, None)
        try:
            with self._changing():
                answer = await self.ask("Target.attachToTarget", targetId=target_id, flatten=True)
        except BaseException:
            if not self.session(target_id):
                self._holders.pop(target_id, None)
            raise
        return str(answer.get("sessionId"))

    async def let_go(self, guest: Holder) -> None:
        """Everything it holds; what it had switched on there ends with the session."""
        held = [target_id for target_id, holder in self._holders.items() if holder is guest]
        with self._changing():
            try:
                async with trio.open_nursery() as nursery:
                    for session in filter(None, map(self.session, held)):
                        nursery.start_soon(self._leave, session)
            finally:
                for target_id in held:
                    if self._holders.get(target_id) in (guest, None):
                        self._free(target_id)

    async def _leave(self, session: str) -> None:
        try:
            await self.ask("Target.detachFromTarget", sessionId=session)
        except BridgeError as error:
            _log.debug("not let go of: %s", error)

    async def wait_quiet(self) -> None:
        """Until no tab is changing hands: who comes as another one leaves gets its tabs."""
        while self._changes:
            await self._quiet.wait()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        if not self._changes:
            self._quiet = trio.Event()
        self._changes += 1
        try:
            yield
        finally:
            self._changes -= 1
            if not self._changes:
                self._quiet.set()

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

    def offer(self, target_id: str) -> None:
        """Give a tab that nobody holds to the guest whose tab opened it, or to the first."""
        if target_id not in self.tabs or target_id in self._holders:
            return
        if self._creating:
            self._unclaimed.append(target_id)
            return
        nearest = (
            self._former.get(target_id),
            self._holders.get(self.tabs[target_id].get("openerId", "")),
        )
        takers = [guest for guest in (*nearest, *self._guests) if guest and guest.collects]
        if takers:
            self._nursery.start_soon(self.try_to_take, takers[0], target_id)

    async def try_to_take(self, guest: Holder, target_id: str) -> None:
        """The same where the browser may refuse: an address that is not allowed, say."""
        try:
            await self.take(guest, target_id)
        except BridgeError as error:
            _log.debug("not taken: %s", error)

    # The browser's side.

    async def pump(self) -> None:
        """Sort what the browser says, until it is gone."""
        while True:
            for each in await self._transport.receive():
                message = read_message(each)
                if message is None:
                    _log.debug("unreadable: %d bytes", len(each))
                elif message.id is not None:
                    self._settle(message)
                elif message.session_id is not None:
                    self._hear(message, each)
                else:
                    self._try_to_follow(message)

    def end(self, why: str) -> None:
        """Nobody answers any more."""
        self.over = True
        for guest in list(self._guests):
            guest.ended(why)

    def _settle(self, message: Message) -> None:
        assert message.id is not None
        asked = self._asked.pop(message.id, None)
        if isinstance(asked, _Waiting):
            asked.answer = message
            asked.come.set()
        elif asked is not None and asked.holder in self._guests:
            asked.holder.answered(asked.call, message)

    def _hear(self, message: Message, raw: bytes) -> None:
        session = message.session_id or ""
        target = self._sessions.get(session.partition(".")[0], "")
        holder = self._holders.get(target)
        if holder is not None:
            holder.heard(session, message, raw)

    def _try_to_follow(self, message: Message) -> None:
        """What cannot be read ends nothing."""
        try:
            self._follow(message)
        except (KeyError, TypeError, AttributeError):
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
                for guest in self._guests:
                    guest.heard_of_download(message)

    def _show(self, info: Info) -> None:
        target_id = info["targetId"]
        known = self.tabs.get(target_id)
        self.tabs[target_id] = info
        for guest in self._guests:
            if self._holders.get(target_id, guest) is guest:
                guest.shown(info)
        if known is None or (info.get("url") and not known.get("url")):
            self.offer(target_id)

    def _drop(self, target_id: str) -> None:
        self.tabs.pop(target_id, None)
        self._holders.pop(target_id, None)
        self._former.pop(target_id, None)
        for guest in self._guests:
            guest.gone(target_id)

    def _attach(self, session: str, info: Info) -> None:
        target_id = info["targetId"]
        self.tabs.setdefault(target_id, info)
        self._sessions[session] = target_id
        holder = self._holders.get(target_id)
        if holder is None:  # it went while it was given the tab
            self._nursery.start_soon(self._leave, session)
        else:
            holder.attached(session, info)

    def _detach(self, session: str) -> None:
        target_id = self._sessions.pop(session, "")
        holder = self._holders.get(target_id)
        if holder is not None:
            holder.detached(session, target_id)
            self._former[target_id] = self._holders.pop(target_id)

    def _free(self, target_id: str) -> None:
        self._holders.pop(target_id, None)
        self._former.pop(target_id, None)
        if target_id in self.tabs:
            for guest in self._guests:
                guest.shown(self.tabs[target_id])
            self.offer(target_id)


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
            board = made
            task_status.started(board)
            await trio.sleep_forever()
    except BridgeError as error:
        if board is None:
            raise
        _log.info("the browser is gone: %s", error)
    finally:
        if board is not None:
            board.end("the browser is not connected any more")
        with trio.CancelScope(shield=True):
            await transport.aclose()


def _result_of(method: str, answer: Message | None) -> dict[str, Any]:
    if answer is None or answer.error:
        said = msgspec.json.decode(answer.error, type=dict[str, Any]) if answer else {}
        raise refused(str(said.get("message", f"{method} was not answered")))
    found: dict[str, Any] = msgspec.json.decode(answer.result, type=dict[str, Any])
    return found


def refused(why: str) -> ChromeError:
    """What a client is told in the browser's stead."""
    return ChromeError("CDP_ERROR", why, hint="See which tabs are shared, and with whom.")
