"""A browser in front of the corpus site, guarded as a server would guard it, or not at all.

`launched`: alone over a pipe, behind gate, proxy and settings. `shared`: over a port, launched by
us, so with the settings. `attached`: over a port, the gate alone. `linked`: through the extension,
behind its rules and the gate; `arm`: its rules alone; `brain`: the gate alone. `open`: nothing, to
show that the tricks work. Chrome's own log tells which names were looked up. Without a proxy Chrome
is told that allowed.test is 127.0.0.1 and everything else under .test 127.0.0.2; the proxy is told
the same.
"""

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import trio

from bridge import cdp
from bridge.app.link import sites_of
from bridge.browser.browser import Browser, open_tabs
from bridge.browser.contexts import ContextID
from bridge.browser.lifecycle import open_session
from bridge.browser.tab import Tab
from bridge.errors import BridgeError, PageError
from bridge.gate.fence import open_fence
from bridge.gate.fetch import Gate
from bridge.gate.proxy import Proxy
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect, Policy, decide
from bridge.relay.registration import host_of
from bridge.session.connection import open_connection
from bridge.timeouts import Timeouts
from bridge.tools.targets import addresses_of
from bridge.transport.link import Sites
from bridge.transport.websocket import open_websocket
from launcher.chrome import open_chrome
from launcher.options import LaunchOptions
from tests.support.corpus_site import (
    ALLOWED,
    EVIL_ADDRESS,
    GOOD_ADDRESS,
    CorpusSite,
    Page,
    open_corpus_site,
)
from tests.support.linked import EXTENSION, Everyday, open_linked
from tests.support.policy_corpus import HOPS, Trick

NAMES = (
    f"--host-resolver-rules=MAP {ALLOWED} {GOOD_ADDRESS} , MAP *.test {EVIL_ADDRESS} ,"
    f" MAP *.test. {EVIL_ADDRESS} , MAP * ~NOTFOUND , EXCLUDE 127.* , EXCLUDE localhost"
)
_LEAVING = Timeouts(command=1.5)  # a trick that navigates away has nobody left to say it is done
_PATIENT = Timeouts(command=15.0)
_CALM = Timeouts(new_tab=20.0)  # two dozen tabs at once, on a busy machine
_Opening = Callable[
    [AsyncExitStack, CorpusSite, Policy, LaunchOptions], Coroutine[object, object, "Yard"]
]
_TEXT = "document.title + ' ' + (document.documentElement?.innerText ?? '')"


@dataclass(slots=True)
class Yard:
    """One browser, one site, and what stands between them."""

    site: CorpusSite
    browser: Browser
    policy: Policy
    log: Path
    gate: Gate | None = None
    proxy: Proxy | None = None
    dialled: list[str] = field(default_factory=list)  # by the proxy
    endpoint: str = ""  # where others may join, if they may
    context_id: ContextID | None = None  # that tabs are opened in, if it is a private one

    def fill(self, pages: dict[str, Page], name: str = "x") -> dict[str, Page]:
        """Pages with the port and the name of their trick in them."""

        def put(text: str) -> str:
            return text.replace("PORT", str(self.site.port)).replace("NAME", name)

        return {
            put(path): replace(
                page, body=put(page.body), headers=tuple((k, put(v)) for k, v in page.headers)
            )
            for path, page in pages.items()
        }

    async def play_all(self, tricks: Iterable[Trick]) -> str:
        """Let all pages try their tricks, those that want a click one after the other."""
        texts = []

        async def play(trick: Trick) -> None:
            texts.append(await self.play(trick))

        async with trio.open_nursery() as nursery:
            for trick in tricks:
                if not trick.click:
                    nursery.start_soon(play, trick)
        await self.sweep()
        for trick in tricks:
            if trick.click:
                await play(trick)
                await self.sweep()
        return "\n".join(texts)

    async def play(self, trick: Trick) -> str:
        """Let a page try its trick; the text that may be read of it and its pop-ups afterwards."""
        self.site.serve(self.fill(trick.pages(), trick.path[1:]))
        tab = await self.browser.new_tab(context_id=self.context_id)
        with suppress(PageError):  # it may have led itself away, and been stopped, by then
            await tab.navigate(self.site.origin + trick.path)
            await tab.bring_to_front()  # media of a page that never was may wait until it is
        if trick.click:
            async with self.gate.acting() if self.gate is not None else nullcontext():
                await self.click(tab, trick.modifiers)
        limit = _LEAVING if trick.leaves else _PATIENT
        with trio.move_on_after(limit.command):
            await self.site.wait_path(trick.done)
        return await self.read(*(self.browser.tabs if trick.click else [tab]))

    async def click(self, tab: Tab, modifiers: int = 0) -> None:
        """Press and release where a trick has its one element."""
        for kind in ("mousePressed", "mouseReleased"):
            await tab.session.execute(
                cdp.input.dispatch_mouse_event(
                    kind, 50, 50, button="left", click_count=1, modifiers=modifiers
                )
            )

    async def go_all(self, urls: Iterable[str]) -> str:
        """Go to all of them, each in a tab of its own, a few at a time."""
        texts = []
        few = trio.CapacityLimiter(8)

        async def go(url: str) -> None:
            async with few:
                texts.append(await self.go(url))

        async with trio.open_nursery() as nursery:
            for url in urls:
                nursery.start_soon(go, url)
        await self.sweep()
        return "\n".join(texts)

    async def go(self, url: str) -> str:
        """Go to an address as nobody should, past the policy; what may be read of it afterwards."""
        tab = await self.browser.new_tab(context_id=self.context_id)
        with suppress(BridgeError):  # refused, or no page: what matters is what arrived
            await tab.navigate(url.replace("PORT", str(self.site.port)).replace("NAME", "x"))
        return await self.read(tab)

    async def read(self, *tabs: Tab) -> str:
        """The text of the frames that may be read."""
        texts = []
        for tab in tabs:
            for frame in tab.frames:
                where = (tab.url, *addresses_of(frame))
                if all(decide(Effect.READ, url, self.policy).allowed for url in where):
                    texts.append(await _text(tab, frame.id))
        return "\n".join(texts)

    def leaking_hosts(self) -> set[str]:
        """The denied names that were asked for something over HTTP."""
        return {each.host.partition(":")[0] for each in self.site.leaks() if each.how == "http"}

    async def sweep(self) -> None:
        """Close all tabs."""
        for tab in self.browser.tabs:
            await self.browser.close_tab(tab)

    def looked_up(self) -> list[str]:
        """What Chrome asked its resolver about denied names; complete once it has ended."""
        return list(_lookups(self.log))


async def _text(tab: Tab, frame_id: str) -> str:
    try:
        frame = tab.frames.get(frame_id)
        command = cdp.runtime.evaluate(_TEXT, return_by_value=True)
        session = frame.session if frame.remote or frame.parent is None else None
        if session is None:
            return ""  # of the same process: its text is in no other frame's, and tried elsewhere
        return str((await session.execute(command)).result.value)
    except BridgeError:
        return ""


def _lookups(file: Path) -> Iterator[str]:
    text = file.read_text(encoding="utf-8", errors="replace").strip().rstrip(",")
    try:
        log = json.loads(text)
    except ValueError:
        log = json.loads(text + "]}")
    kind = log["constants"]["logEventTypes"]["HOST_RESOLVER_MANAGER_REQUEST"]
    own = log["constants"]["logSourceType"]["NETWORK_QUALITY_ESTIMATOR"]
    for event in log["events"]:
        if event["source"]["type"] == own:
            continue  # looks only at what is known already: it asks nobody
        host = str(event.get("params", {}).get("host", ""))
        if event["type"] == kind and (EVIL_ADDRESS in host or "evil" in host):
            yield host


@asynccontextmanager
async def open_yard(kind: str, folder: Path) -> AsyncIterator[Yard]:
    """Everything for one run, in a folder that is there afterwards as well."""
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(open_corpus_site())
        site_options = PolicyOptions(allow_domain=(f"{ALLOWED}:{site.port}",))
        policy = Policy.from_options(site_options)
        options = LaunchOptions(
            headless=True,
            isolated=kind in ("launched", "open"),
            data_dir=folder,
            chrome_args=(
                *([] if kind == "launched" else [NAMES]),
                f"--log-net-log={folder / 'net.json'}",
                f"--unsafely-treat-insecure-origin-as-secure={site.origin}",
            ),
        )
        yard = await _OPENINGS[kind](stack, site, policy, options)
        yard.log = folder / "net.json"
        site.serve(yard.fill(HOPS))
        yield yard


async def _launched(
    stack: AsyncExitStack, site: CorpusSite, policy: Policy, options: LaunchOptions
) -> Yard:
    dialled: list[str] = []

    async def dial(host: str, port: int) -> trio.SocketStream:
        dialled.append(host)
        return await trio.open_tcp_stream(GOOD_ADDRESS if host == ALLOWED else EVIL_ADDRESS, port)

    opening = open_fence(lambda: policy, options, _CALM, dial=dial)
    fence = await stack.enter_async_context(opening)
    session = open_session(fence.launch, _CALM, prepare=fence.gate.prepare)
    _, browser = await stack.enter_async_context(session)
    return Yard(site, browser, policy, Path(), fence.gate, fence.proxy, dialled)


async def _attached(
    stack: AsyncExitStack, site: CorpusSite, policy: Policy, options: LaunchOptions
) -> Yard:
    gate = Gate(lambda: policy)
    chrome = await stack.enter_async_context(open_chrome(options))
    transport = await stack.enter_async_context(open_websocket(chrome.url, _CALM))
    connection = await stack.enter_async_context(open_connection(transport, _CALM))
    opening = open_tabs(connection, exclusive=False, prepare=gate.prepare)
    browser = await stack.enter_async_context(opening)
    return Yard(site, browser, policy, Path(), gate, endpoint=chrome.url)


async def _shared(
    stack: AsyncExitStack, site: CorpusSite, policy: Policy, options: LaunchOptions
) -> Yard:
    fence = await stack.enter_async_context(open_fence(lambda: policy, options, _CALM))
    session = open_session(fence.launch, _CALM, prepare=fence.gate.prepare)
    _, browser = await stack.enter_async_context(session)
    return Yard(site, browser, policy, Path(), fence.gate)


async def _open(
    stack: AsyncExitStack, site: CorpusSite, policy: Policy, options: LaunchOptions
) -> Yard:
    _, browser = await stack.enter_async_context(open_session(options, _CALM))
    return Yard(site, browser, policy, Path())


async def _linked(
    stack: AsyncExitStack,
    site: CorpusSite,
    policy: Policy,
    options: LaunchOptions,
    *,
    sites: Sites | None = None,
    gated: bool = True,
) -> Yard:
    gate = Gate(lambda: policy) if gated else None
    host_of(options.data_dir).write()
    opening = open_chrome(replace(options, extensions=(EXTENSION,)))
    chrome = await stack.enter_async_context(opening)
    linked = open_linked(
        Everyday(options.data_dir, chrome.url),
        sites=sites or sites_of(policy),
        prepare=gate.prepare if gate is not None else None,
        timeouts=_CALM,
    )
    browser = await stack.enter_async_context(linked)
    return Yard(site, browser, policy, Path(), gate, endpoint=chrome.url)


_OPENINGS: dict[str, _Opening] = {
    "launched": _launched,
    "shared": _shared,
    "attached": _attached,
    "open": _open,
    "linked": _linked,
    "arm": partial(_linked, gated=False),
    "brain": partial(_linked, sites=Sites(visited=["*"])),
}
