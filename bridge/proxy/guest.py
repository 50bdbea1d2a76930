"""One client of the endpoint, which takes us for a browser.

What it asks of a tab goes to the browser as it is. What it asks of the browser is answered here,
for the extension has no word for half of it, and clients want it exactly as Chrome does it: a tab
is told of before the call that brought it is answered; Puppeteer wants a `tab` around every page;
Playwright attaches to the browser itself, and twice to one tab.
"""

from collections.abc import Awaitable, Callable, Iterable
from itertools import count
from typing import Any

import trio

from bridge.errors import BridgeError, ChromeError
from bridge.proxy import words
from bridge.proxy.calls import refused
from bridge.proxy.switchboard import Info, Switchboard
from bridge.proxy.words import CONTEXT_ID, Message

_AROUND = "tab-"  # before the names of a page and of its session: those of the tab around it
_BROWSER = {
    "targetId": "browser",
    "type": "browser",
    "title": "",
    "url": "",
    "attached": True,
    "canAccessOpener": False,
}
_DEFAULT = [{"type": "browser", "exclude": True}, {"type": "tab", "exclude": True}, {}]
_MOST_WAITING = 1000  # calls that are answered one after the other
_Do = Callable[["Guest", Message, dict[str, Any]], Awaitable[Any]]


class Guest:
    """`say` takes what it is told, `leave` hangs up; `page` is the tab of a socket for one tab."""

    def __init__(
        self,
        board: Switchboard,
        say: Callable[[bytes], None],
        leave: Callable[[str], None],
        page: str = "",
    ) -> None:
        self.collects = False
        self.downloads: str | None = None  # what is to become of them; None: not asked to say
        self.download_events = False
        self._board = board
        self._say = say
        self._leave = leave
        self._page = page
        self._discovers: Callable[[str], bool] = _wants([])
        self._collected: Callable[[str], bool] = _wants([])
        self._known: set[str] = set()  # the targets it was told of
        self._names: dict[str, list[str | None]] = {}  # of a session of the browser: ours for it
        self._auto: dict[str, bool] = {}  # sessions it did not ask for: whether in a tab around
        self._inside: set[str] = set()  # those it was told of in the tab around
        self._roots: set[str] = set()  # sessions of the browser itself
        self._asking: dict[str, str | None] = {}  # targets, by the root session that asked for them
        self._parting = ""  # why it goes once it is answered
        self._numbers = count(1)
        self._there = trio.Event()  # its one tab
        self._line, self._queue = trio.open_memory_channel[Message](_MOST_WAITING)

    # What it says.

    async def attend(self) -> None:
        """Answer what is asked of the browser, one after the other."""
        if self._page:
            await self._board.take(self, self._page)
            self._there.set()
        async for call in self._queue:
            await self._answer(call)

    async def hear(self, said: bytes) -> None:
        """A message of the client."""
        if self._page:
            await self._there.wait()
        call = words.read_message(said)
        if call is not None and call.session_id == "":
            call.session_id = None  # as Chrome takes it
        if call is None or call.id is None:
            error = {"code": words.NO_JSON, "message": "this is no call: JSON with an id is"}
            self._say(words.encode(Message(error=words.raw(error))))
        elif not call.method:
            self._say(words.refusal(call, words.NO_CALL, "Message must have string 'method'"))
        elif self._is_root(call.session_id):
            await self._line.send(call)
        elif (call.session_id or "").startswith(_AROUND):
            self._ask_tab(call)
        else:
            await self._ask_page(call)

    async def _ask_page(self, call: Message) -> None:
        session = self._session(call.session_id)
        if session is None:
            self._say(words.refusal(call, words.NO_SESSION, "Session with given id not found."))
            return
        try:
            await self._board.pass_on(self, call, session)
        except BridgeError as error:  # the extension's worker sleeps: the next call may find it
            self._say(words.refusal(call, words.FAILED, error.message))

    def _is_root(self, name: str | None) -> bool:
        return name in self._roots or (name is None and not self._page)

    def _session(self, name: str | None) -> str | None:
        """The browser's session behind a name of ours; what is in a tab is called as there."""
        for session, names in self._names.items():
            if name in names:
                return session
        tab, _, child = (name or "").partition(".")
        return name if child and tab in self._names else None

    async def _answer(self, call: Message) -> None:
        do = _ROOT.get(call.method)
        try:
            if do is not None:
                result = await do(self, call, words.params_of(call))
                self._say(words.answer(call, result))
                if self._parting:
                    self._leave(self._parting)
            elif call.method.startswith("Bridge."):
                why = f"'{call.method}' wasn't found"
                self._say(words.refusal(call, words.NO_METHOD, why))
            else:
                self._check_target(words.params_of(call))
                await self._board.pass_on(self, call, None)
        except (KeyError, TypeError, AttributeError):
            self._say(words.refusal(call, words.BAD_PARAMS, "Invalid parameters"))
        except BridgeError as error:
            self._say(words.refusal(call, words.FAILED, error.message))

    def _check_target(self, params: dict[str, Any]) -> None:
        """What another guest works on is not there: nobody else brings it to the front, say."""
        if self._board.holder(params.get("targetId", "")) not in (None, self):
            raise _absent()

    def _ask_tab(self, call: Message) -> None:
        """In the session of a tab there is its page, and nothing else."""
        session = (call.session_id or "").removeprefix(_AROUND)
        target_id = next((t for t in self._held() if self._board.session(t) == session), None)
        if target_id is None:
            self._say(words.refusal(call, words.NO_SESSION, "Session with given id not found."))
            return
        wanted = call.method == "Target.setAutoAttach" and words.params_of(call).get("autoAttach")
        if wanted and session not in self._inside:
            self._inside.add(session)
            info = self._board.tabs[target_id]
            self._tell_attached(session, described(info), at=call.session_id)
        self._say(words.answer(call, {}))

    # What it asks of the browser.

    async def _set_auto_attach(self, call: Message, params: dict[str, Any]) -> object:
        self._collected = _wants(params.get("filter") or _DEFAULT)
        wanted = params.get("autoAttach") is True and (
            self._collected("page") or self._collected("tab")
        )
        if wanted and not self.collects:
            await self._board.wait_quiet()
            self.collects = True
            for target_id in list(self._board.tabs):
                if self._board.is_free(target_id, self):
                    await self._board.try_to_take(self, target_id)
            await self._board.wait_quiet()
        self.collects = wanted
        if not wanted:
            for session in list(self._auto):
                if session in self._auto:  # it may have ended as another one was let go of
                    await self._board.release(self, self._target(session))
        return {}

    async def _set_discover(self, call: Message, params: dict[str, Any]) -> object:
        self._known.clear()
        discover = params.get("discover") is True
        self._discovers = _wants((params.get("filter") or _DEFAULT) if discover else [])
        for info in self._visible():
            self.shown(info)
        return {}

    async def _get_targets(self, call: Message, params: dict[str, Any]) -> object:
        wants = _wants(params.get("filter") or _DEFAULT)
        found = [described(info) for info in self._visible()] if wants("page") else []
        return {"targetInfos": found}

    async def _get_target(self, call: Message, params: dict[str, Any]) -> object:
        target_id = params.get("targetId")
        if target_id in (None, _BROWSER["targetId"]):
            return {"targetInfo": _BROWSER}
        info = self._board.tabs.get(str(target_id).removeprefix(_AROUND))
        if info is None or info not in self._visible():
            raise _absent()
        is_tab = str(target_id).startswith(_AROUND)
        return {"targetInfo": around(info) if is_tab else described(info)}

    async def _attach(self, call: Message, params: dict[str, Any]) -> object:
        target_id = params["targetId"]
        session = self._board.session(target_id)
        if session and self._board.holder(target_id) is self:
            name = f"{session}~{next(self._numbers)}"
            self._names[session].append(name)
            self._tell_attached(name, described(self._board.tabs[target_id]), at=call.session_id)
            return {"sessionId": name}
        if target_id not in self._board.tabs:
            raise _absent()
        self._asking[target_id] = call.session_id
        try:
            return {"sessionId": await self._board.take(self, target_id)}
        finally:
            del self._asking[target_id]

    async def _attach_browser(self, call: Message, params: dict[str, Any]) -> object:
        name = f"browser-{next(self._numbers)}"
        self._roots.add(name)
        return {"sessionId": name}

    async def _detach(self, call: Message, params: dict[str, Any]) -> object:
        name = params.get("sessionId") or self._board.session(params["targetId"])
        around = name.startswith(_AROUND)
        session = name.removeprefix(_AROUND) if around else self._session(name)
        if name in self._roots:
            self._roots.discard(name)
        elif session not in self._names:
            raise refused("No session with given id")
        elif around or self._names[session] == [name]:
            await self._board.release(self, self._target(session))
        else:
            self._names[session].remove(name)
        return {}

    def _target(self, session: str) -> str:
        return next(each for each in self._held() if self._board.session(each) == session)

    async def _create(self, call: Message, params: dict[str, Any]) -> object:
        if params.get("browserContextId") not in (None, CONTEXT_ID):
            raise refused("Failed to find browser context with given id")
        how = {name: params[name] for name in ("url", "newWindow", "background") if name in params}
        with self._board.creating():
            made = await self._board.ask("Target.createTarget", **how)
            self._board.keep(self, made["targetId"])
            if self.collects and self._board.holder(made["targetId"]) is None:
                await self._board.take(self, made["targetId"])
        return {"targetId": made["targetId"]}

    async def _close(self, call: Message, params: dict[str, Any]) -> object:
        target_id = str(params["targetId"]).removeprefix(_AROUND)
        if self._board.holder(target_id) not in (None, self):
            raise _absent()
        return await self._board.ask("Target.closeTarget", targetId=target_id)

    async def _get_contexts(self, call: Message, params: dict[str, Any]) -> object:
        return {"browserContextIds": []}

    async def _set_downloads(self, call: Message, params: dict[str, Any]) -> object:
        denied = params.get("behavior") == "deny"
        self.downloads = "deny" if denied else "default"
        self.download_events = params.get("eventsEnabled") is True
        await self._board.settle_downloads()
        return {}

    async def _close_browser(self, call: Message, params: dict[str, Any]) -> object:
        self._parting = "the client has closed its browser"
        return {}

    def _held(self) -> list[str]:
        return [each for each in self._board.tabs if self._board.holder(each) is self]

    def _visible(self) -> list[Info]:
        """The tabs that are its own or nobody's; what may not be visited has no address."""
        found = self._board.tabs.values()
        return [
            info
            for info in found
            if info.get("url") and self._board.holder(info["targetId"]) in (None, self)
        ]

    # What it is told.

    def answered(self, call: Message, answer: Message) -> None:
        answer.id, answer.session_id = call.id, call.session_id
        self._say(words.encode(answer))

    def heard(self, session: str, message: Message, raw: bytes) -> None:
        for name in self._names.get(session, [session]):
            if name == session:
                self._say(raw)
            else:
                message.session_id = name
                self._say(words.encode(message))

    def heard_of_download(self, message: Message) -> None:
        if self.download_events:
            self._say(words.encode(message))

    def shown(self, info: Info) -> None:
        if not info.get("url"):
            return
        for kind, target in (("tab", around(info)), ("page", described(info))):
            if self._discovers(kind):
                known = target["targetId"] in self._known
                self._known.add(target["targetId"])
                told = "Target.targetInfoChanged" if known else "Target.targetCreated"
                self._say(words.event(told, {"targetInfo": target}))

    def gone(self, target_id: str) -> None:
        for name in (target_id, _AROUND + target_id):
            if name in self._known:
                self._known.discard(name)
                self._say(words.event("Target.targetDestroyed", {"targetId": name}))

    def attached(self, session: str, info: Info) -> None:
        target_id = info["targetId"]
        if self._page:
            self._names[session] = [None]
            return
        self._names[session] = [session]
        if target_id in self._asking:
            self._tell_attached(session, described(info), at=self._asking[target_id])
            return
        self.shown(info)
        self._auto[session] = self._collected("tab")
        if self._auto[session]:
            self._tell_attached(_AROUND + session, around(info))
        else:
            self._tell_attached(session, described(info))

    def detached(self, session: str, target_id: str) -> None:
        names = self._names.pop(session, [])
        is_inside = self._auto.pop(session, False)
        self._inside.discard(session)
        if self._page:
            self._leave("its tab is not shared any more, or was closed")
            return
        for name in names:
            at = _AROUND + session if is_inside else None
            self._tell_detached(name, target_id, at)
        if is_inside:
            self._tell_detached(_AROUND + session, _AROUND + target_id, None)

    def ended(self, why: str) -> None:
        self._leave(why)

    def _tell_attached(self, session: str, info: Info, at: str | None = None) -> None:
        told = {"sessionId": session, "targetInfo": info, "waitingForDebugger": False}
        self._say(words.event("Target.attachedToTarget", told, at))

    def _tell_detached(self, session: str | None, target_id: str, at: str | None) -> None:
        told = {"sessionId": session, "targetId": target_id}
        self._say(words.event("Target.detachedFromTarget", told, at))


_ROOT: dict[str, _Do] = {
    "Browser.close": Guest._close_browser,
    "Browser.setDownloadBehavior": Guest._set_downloads,
    "Target.attachToBrowserTarget": Guest._attach_browser,
    "Target.attachToTarget": Guest._attach,
    "Target.closeTarget": Guest._close,
    "Target.createTarget": Guest._create,
    "Target.detachFromTarget": Guest._detach,
    "Target.getBrowserContexts": Guest._get_contexts,
    "Target.getTargetInfo": Guest._get_target,
    "Target.getTargets": Guest._get_targets,
    "Target.setAutoAttach": Guest._set_auto_attach,
    "Target.setDiscoverTargets": Guest._set_discover,
}


def described(info: Info) -> Info:
    """A target as clients expect it: each names a profile."""
    return {"canAccessOpener": False, **info, "browserContextId": CONTEXT_ID}


def around(info: Info) -> Info:
    """The tab a page is in."""
    return {**described(info), "targetId": _AROUND + info["targetId"], "type": "tab"}


def _wants(entries: Iterable[dict[str, Any]]) -> Callable[[str], bool]:
    """Which kinds of target a filter lets through: the first entry that speaks of one decides."""
    rules = [(each.get("type"), each.get("exclude") is not True) for each in entries]

    def wants(kind: str) -> bool:
        return next((let for named, let in rules if named in (None, kind)), False)

    return wants


def _absent() -> ChromeError:
    return refused("No target with given id found")
