"""The extension, played by hand: a transport whose tabs and answers a test decides."""

import json
from collections import Counter
from typing import Any

import trio

from bridge.errors import LinkError
from bridge.transport.base import browser_gone


def info(target_id: str, url: str = "http://a.test/", **more: object) -> dict[str, Any]:
    """A tab, as the extension tells of it."""
    return {"targetId": target_id, "type": "page", "title": target_id, "url": url, **more}


_SAME: dict[str, dict[str, Any]] = {
    "Browser.getVersion": {
        "product": "Chrome/156",
        "userAgent": "Mozilla",
        "protocolVersion": "1.3",
    },
    "Browser.setDownloadBehavior": {},
    "Target.activateTarget": {},
}


class PlayedLink:
    """Answers what the extension would; a tab `A` has the session `tA`."""

    kind = "extension"
    congested = False

    def __init__(self, *tabs: dict[str, Any]) -> None:
        self.tabs = {tab["targetId"]: tab for tab in tabs}
        self.asked: list[dict[str, Any]] = []
        self.silent: set[str] = set()  # methods that are not answered
        self.asleep = False  # there is no socket: nothing can be sent
        self.discovered = False  # it was told to say which tabs there are, and has said so
        self._given: Counter[str] = Counter()  # how often each tab was attached to
        self.closed = False
        self._said, self._heard = trio.open_memory_channel[bytes](1000)
        self._made = 0

    def calls(self, method: str) -> list[dict[str, Any]]:
        """What was asked of this kind."""
        return [call for call in self.asked if call["method"] == method]

    def say(self, method: str, params: dict[str, Any], session: str = "") -> None:
        """An event."""
        said = {"method": method, "params": params}
        self._said.send_nowait(json.dumps({**said, **_in(session)}).encode())

    def answer(self, call: dict[str, Any], result: object) -> None:
        """Of a method that is silent."""
        said = {"id": call["id"], **_in(call.get("sessionId", "")), "result": result}
        self._said.send_nowait(json.dumps(said).encode())

    def do(self, call: dict[str, Any]) -> None:
        """Of a method that is silent: do it now."""
        self.answer(call, self._do(call["method"], call["params"]))

    def share(self, tab: dict[str, Any]) -> None:
        """Another tab is there."""
        self.tabs[tab["targetId"]] = tab
        self.say("Target.targetCreated", {"targetInfo": tab})

    def download(self, guid: str, session: str) -> None:
        """A tab begins one: it says so, and then the browser does."""
        self.say("Page.downloadWillBegin", {"guid": guid}, session)
        self.say("Browser.downloadWillBegin", {"guid": guid})

    def lose(self) -> None:
        """The browser is gone."""
        self._said.close()

    async def send(self, message: bytes) -> None:
        if self.asleep:
            raise LinkError("EXTENSION_DISCONNECTED", "it is asleep", hint="Wait.")
        call = json.loads(message)
        self.asked.append(call)
        if call["method"] in self.silent:
            return
        if "sessionId" in call:
            self.answer(call, {"echo": call["method"]})
            return
        result = self._do(call["method"], call.get("params", {}))
        if result is None:
            error = {"code": -32601, "message": f"{call['method']} is not possible"}
            self._said.send_nowait(json.dumps({"id": call["id"], "error": error}).encode())
        else:
            self.answer(call, result)

    def _do(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        match method:
            case "Target.setDiscoverTargets":
                for tab in () if self.discovered else self.tabs.values():
                    self.say("Target.targetCreated", {"targetInfo": tab})
            case "Target.getTargets":
                return {"targetInfos": list(self.tabs.values())}
            case "Target.attachToTarget":
                found = self.tabs.get(params["targetId"])
                if found is None or not found["url"]:
                    return None
                session = f"t{params['targetId']}"
                self._given[session] += 1
                self.say("Target.attachedToTarget", {"sessionId": session, "targetInfo": found})
                return {"sessionId": session}
            case "Target.detachFromTarget":
                self._given[params["sessionId"]] -= 1
                if self._given[params["sessionId"]] < 1:
                    self.say("Target.detachedFromTarget", {"sessionId": params["sessionId"]})
            case "Target.createTarget":
                self._made += 1
                tab = info(f"N{self._made}", params.get("url") or "about:blank")
                self.share(tab)
                return {"targetId": tab["targetId"]}
            case "Target.closeTarget":
                self.say("Target.detachedFromTarget", {"sessionId": f"t{params['targetId']}"})
                self.say("Target.targetDestroyed", {"targetId": params["targetId"]})
                return {"success": True}
            case _:
                return _SAME.get(method)
        return {}

    async def receive(self) -> list[bytes]:
        try:
            return [await self._heard.receive()]
        except trio.EndOfChannel:
            raise browser_gone("it was told to go") from None

    async def aclose(self) -> None:
        self.closed = True
        await trio.lowlevel.checkpoint()


def _in(session: str) -> dict[str, str]:
    return {"sessionId": session} if session else {}
