"""The frame tree, told event by event, in every order Chrome may choose."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from trio.testing import MockClock

from bridge import cdp
from bridge.errors import BridgeError, PageError
from bridge.page.frames import Frames, follow, reread, resume
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from bridge.timeouts import Timeouts
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import frame_of, settle


class Page:
    """A page with main frame M in session "m"; other sessions are made as needed."""

    def __init__(self, chrome: FakeChrome, connection: Connection) -> None:
        self.chrome = chrome
        self.connection = connection
        self.main = self.session("m")
        self.frames = Frames(self.main, "M")
        self.frames.watch(self.main)

    def session(self, key: str) -> Session:
        return self.connection.root.attach(key)

    async def tell(self, session: str, method: str, **params: Any) -> None:
        self.chrome.event(f"Page.{method}", params, session)
        await settle()

    async def attach(self, frame: str, parent: str, session: str = "m") -> None:
        await self.tell(session, "frameAttached", frameId=frame, parentFrameId=parent)

    async def go(self, frame: str, url: str, loader: str, session: str = "m", **more: Any) -> None:
        parent = more.pop("parent", None)
        kind = more.pop("kind", "Navigation")
        told = frame_of(frame, url, loader, parent) | more
        await self.tell(session, "frameNavigated", frame=told, type=kind)

    async def detach(self, frame: str, reason: str, session: str = "m") -> None:
        await self.tell(session, "frameDetached", frameId=frame, reason=reason)

    def adopt(
        self, frame: str, parent: str, teller: str = "", *, paused: bool = False, url: str = ""
    ) -> None:
        """Its own session is called after it, and told of by that which shows its parent."""
        above = self.connection.session(teller or parent.lower())
        assert above is not None
        session = above.attach(frame.lower())
        self.frames.adopt(session, frame, parent, paused=paused, url=url)
        self.frames.watch(session)

    @property
    def shape(self) -> dict[str, str | None]:
        return {frame.id: frame.parent.id if frame.parent else None for frame in self.frames}


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A page whose main frame has loaded."""
    chrome = FakeChrome()
    async with open_connection(chrome, Timeouts(probe=100.0)) as connection:
        opened = Page(chrome, connection)
        await opened.go("M", "https://m/", "1")
        yield opened


async def test_comes_and_goes(page: Page) -> None:
    """Frames that are attached, navigated and removed are in the tree exactly as long."""
    await page.attach("A", "M")
    await page.attach("B", "A")
    await page.go("B", "https://b/", "2", parent="A", name="bee", urlFragment="#x")
    frame = page.frames.get("B")
    assert page.shape == {"M": None, "A": "M", "B": "A"}
    assert (frame.url, frame.name, frame.remote) == ("https://b/#x", "bee", False)
    await page.tell(
        "m", "navigatedWithinDocument", frameId="B", url="https://b/#y", navigationType="fragment"
    )
    assert frame.url == "https://b/#y"
    await page.detach("A", "remove")
    assert (page.shape, len(page.frames)) == ({"M": None}, 1)
    with pytest.raises(PageError, match="no frame B"):
        page.frames.get("B")


async def test_one_that_has_not_begun_to_load(page: Page) -> None:
    """Chrome says no address of it; it is as blank as any page that nobody has filled."""
    await page.go("A", "", "1", parent="M")
    assert page.frames.get("A").url == "about:blank"


async def test_new_document_drops_what_was_in_the_old(page: Page) -> None:
    """A navigation of the page empties it; one inside it does not."""
    await page.attach("A", "M")
    await page.go("M", "https://m/", "1")
    assert page.shape == {"M": None, "A": "M"}
    await page.go("M", "https://m/2", "2")
    assert page.shape == {"M": None}


async def test_announced(page: Page) -> None:
    """A frame of another site has its address from the first moment on, before it is asked."""
    page.adopt("A", "M", url="https://other/")
    assert page.frames.get("A").url == "https://other/"
    await page.go("A", "https://third/", "2", "a")
    assert page.frames.get("A").url == "https://third/"


async def test_moves_to_another_process_and_back(page: Page) -> None:
    """A frame that changes its process stays itself, with what its new document brings."""
    await page.attach("A", "M")
    await page.go("A", "https://m/a", "2", parent="M")
    await page.attach("B", "A")
    frame = page.frames.get("A")
    page.adopt("A", "M", paused=True)
    await page.detach("A", "swap")
    await page.go("A", "https://other/", "3", "a")
    assert page.shape == {"M": None, "A": "M"}
    assert (page.frames.get("A"), frame.remote, frame.session.key) == (frame, True, "a")
    await page.attach("INNER", "A", "a")
    await page.attach("A", "M")
    await page.go("A", "https://m/a", "4", parent="M")
    assert (frame.remote, frame.url, page.shape) == (False, "https://m/a", {"M": None, "A": "M"})


async def test_late_swap(page: Page) -> None:
    """The old process tells late of a move: what the new one has told since stands."""
    await page.attach("A", "M")
    await page.attach("OLD", "A")
    page.adopt("A", "M", paused=True)
    await page.go("A", "https://other/", "3", "a")
    await page.attach("NEW", "A", "a")
    await page.detach("A", "swap")
    assert page.shape == {"M": None, "A": "M", "NEW": "A"}


async def test_a_frame_inside_comes_first(page: Page) -> None:
    """A foreign frame below another one is known before that one says where it is."""
    page.adopt("A", "M")
    page.adopt("B", "A")
    await page.go("A", "https://other/", "2", "a")
    await page.go("B", "https://third/", "3", "b")
    assert page.shape == {"M": None, "A": "M", "B": "A"}


async def test_a_move_that_does_not_come(page: Page) -> None:
    """A process that only prepares for a frame changes nothing, and may go again."""
    await page.attach("A", "M")
    await page.go("A", "https://m/a", "2", parent="M")
    await page.attach("B", "A")
    await page.attach("EMPTY", "M")
    for frame in ("A", "EMPTY"):
        page.adopt(frame, "M", paused=True)
        page.frames.read(page.session(frame.lower()), _frame_tree(tree(frame_of(frame, "", "0"))))
        assert not page.frames.get(frame).remote
    assert page.shape == {"M": None, "A": "M", "B": "A", "EMPTY": "M"}
    page.chrome.detached("a")
    await page.go("A", "https://m/b", "3", parent="M")
    assert page.shape == {"M": None, "A": "M", "EMPTY": "M"}
    assert page.frames.get("A").url == "https://m/b"
    with page.frames.reading():
        pass
    assert [session.key for session in page.frames.coming(page.main)] == ["empty"]


async def test_word_from_a_process_left(page: Page) -> None:
    """What the process that a frame has left still tells of it, or below it, changes nothing."""
    page.adopt("A", "M", paused=True)
    await page.go("A", "https://other/", "2", "a", parent="M")
    await page.attach("A", "M")
    await page.go("A", "https://m/a", "3", parent="M")
    await page.attach("B", "A")
    await page.go("A", "https://other/late", "4", "a", parent="M")
    await page.tell(
        "a", "navigatedWithinDocument", frameId="A", url="https://other/#", navigationType="other"
    )
    await page.attach("LATE", "A", "a")
    page.adopt("GHOST", "A")
    await page.detach("A", "swap", "a")
    await page.detach("A", "remove", "a")
    assert page.shape == {"M": None, "A": "M", "B": "A"}
    assert (page.frames.get("A").url, page.frames.get("A").session) == ("https://m/a", page.main)


@pytest.mark.parametrize("late", [False, True])
async def test_from_one_foreign_process_to_another(page: Page, late: bool) -> None:
    """A frame that stays foreign keeps its session; what was below is gone, told late or not."""
    await page.attach("A", "M")
    page.adopt("A", "M", paused=True)
    await page.go("A", "https://other/", "2", "a", parent="M")
    await page.attach("B", "A", "a")
    page.adopt("B", "A", paused=True)
    await page.go("B", "https://m/b", "3", "b", parent="A")
    assert page.shape == {"M": None, "A": "M", "B": "A"}
    page.chrome.detached("b")
    if not late:
        await page.detach("B", "remove", "a")
    await page.go("A", "https://third/", "4", "a", parent="M")
    assert page.shape == {"M": None, "A": "M"}
    await page.attach("C", "A", "a")
    if late:
        await page.detach("B", "remove", "a")
    assert (page.shape, page.frames.get("A").session.key) == ({"M": None, "A": "M", "C": "A"}, "a")


async def test_attached_while_it_shows(page: Page) -> None:
    """A frame whose own process is found running lives there, and nothing of before is below it."""
    await page.attach("A", "M")
    await page.go("A", "https://m/a", "2", parent="M")
    await page.attach("OLD", "A")
    page.adopt("A", "M")
    page.frames.read(page.session("a"), _frame_tree(tree(frame_of("A", "https://other/", "3"))))
    assert page.frames.get("A").url == "https://other/"
    assert (page.frames.get("A").session.key, page.shape) == ("a", {"M": None, "A": "M"})
    await page.detach("A", "swap")
    assert page.shape == {"M": None, "A": "M"}


async def test_prepared_for_a_frame_that_goes(page: Page) -> None:
    """A document that comes for a frame whose page has gone meanwhile comes nowhere."""
    await page.attach("A", "M")
    page.adopt("A", "M", paused=True)
    await page.attach("B", "M")
    page.adopt("B", "M", paused=True)
    await page.detach("B", "remove")
    await page.go("B", "https://other/", "2", "b", parent="M")
    assert page.shape == {"M": None, "A": "M"}
    await page.go("M", "https://m/2", "3")
    await page.go("A", "https://other/", "2", "a", parent="M")
    assert page.shape == {"M": None}


async def test_announced_before_its_place_is_known(page: Page) -> None:
    """A frame that nobody has attached is there once its own process shows it."""
    page.adopt("A", "M", paused=True)
    assert page.shape == {"M": None}
    await page.go("A", "https://other/", "2", "a", parent="M")
    assert (page.shape, page.frames.get("A").remote) == ({"M": None, "A": "M"}, True)


async def test_early_process_is_not_undone(page: Page) -> None:
    """A navigation that the old process tells late does not bring the frame back to it."""
    await page.attach("A", "M")
    page.adopt("A", "M", paused=True)
    await page.go("A", "https://other/", "3", "a")
    await page.go("A", "https://m/late", "2", parent="M")
    assert (page.frames.get("A").url, page.frames.get("A").remote) == ("https://other/", True)


async def test_no_ghosts(page: Page) -> None:
    """What is told of a frame after its removal brings nothing back."""
    page.adopt("A", "M")
    await page.detach("A", "remove")
    await page.go("A", "https://other/", "2", "a")
    await page.go("A", "https://other/", "2", "a", parent="M")
    await page.attach("B", "A", "a")
    page.adopt("C", "A")
    await page.detach("GONE", "remove")
    assert page.shape == {"M": None}


async def test_restored_page(page: Page) -> None:
    """A page that Chrome kept alive keeps the foreign frames attached before it is named."""
    page.adopt("A", "M")
    await page.go("M", "https://kept/", "0", kind="BackForwardCacheRestore")
    assert page.shape == {"M": None, "A": "M"}
    page.chrome.detached("a")
    await page.go("M", "https://kept/", "00", kind="BackForwardCacheRestore")
    assert page.shape == {"M": None}


def tree(frame: dict[str, Any], *children: dict[str, Any]) -> dict[str, Any]:
    return {"frame": frame, **({"childFrames": list(children)} if children else {})}


def _frame_tree(told: dict[str, Any]) -> cdp.page.FrameTree:
    return msgspec.json.decode(msgspec.json.encode(told), type=cdp.page.FrameTree)


async def test_reading_what_is_there(page: Page) -> None:
    """A tree that is read completes what events have told, and undoes none of it."""
    whole = tree(
        frame_of("M", "https://m/", "1"),
        tree(frame_of("A", "https://m/a", "2", "M"), tree(frame_of("B", "https://m/b", "3", "A"))),
        tree(frame_of("C", "https://m/c", "4", "M")),
    )

    async def answer() -> None:
        asked = await page.chrome.asked("Page.getFrameTree")
        await page.detach("C", "remove")
        await page.go("A", "https://m/new", "5", parent="M")
        page.chrome.answer(asked, {"frameTree": whole})

    await both(reread(page.frames, page.main), answer())
    assert page.shape == {"M": None, "A": "M"}
    assert page.frames.get("A").url == "https://m/new"


async def test_arrival_that_nobody_told(page: Page) -> None:
    """A document that lives, and whose arrival was left out, is known once it is asked for."""
    await page.go("M", "about:blank", "1")
    loaded = {"frameId": "M", "loaderId": "2", "name": "DOMContentLoaded", "timestamp": 1.0}
    event = msgspec.convert(loaded, cdp.page.LifecycleEvent, strict=False)
    assert page.frames.missed(page.main, event)

    async def answer() -> None:
        asked = await page.chrome.asked("Page.getFrameTree")
        page.chrome.answer(asked, {"frameTree": tree(frame_of("M", "https://m/", "2"))})

    await both(reread(page.frames, page.main), answer())
    assert (page.frames.main.url, page.frames.main.loader) == ("https://m/", "2")
    assert not page.frames.missed(page.main, event)


async def test_setting_up_a_paused_page(page: Page) -> None:
    """A paused page gets everything in one breath, the prelude before it is let go."""
    done = follow(page.frames, page.main, [cdp.runtime.enable()], True)

    async def answer() -> None:
        await settle()
        asked = page.chrome.asked_nowait()
        assert [a.method for a in asked][-1] == "Runtime.runIfWaitingForDebugger"
        assert "Runtime.enable" in [a.method for a in asked][:-1]
        for each in reversed(asked):
            is_tree = each.method == "Page.getFrameTree"
            page.chrome.answer(each, {"frameTree": tree(frame_of("M", "", "9"))} if is_tree else {})

    await both(done, answer())


async def test_setting_up_a_running_page(page: Page) -> None:
    """A running page is read before its foreign frames are attached, which need their parents."""

    async def answer() -> None:
        await settle()
        asked = page.chrome.asked_nowait()
        assert "Target.setAutoAttach" not in [a.method for a in asked]
        for each in asked:
            is_tree = each.method == "Page.getFrameTree"
            page.chrome.answer(each, {"frameTree": tree(frame_of("M", "", "9"))} if is_tree else {})
        page.chrome.answer(await page.chrome.asked("Target.setAutoAttach"))

    await both(follow(page.frames, page.main, [], False), answer())


async def test_foreign_frames_of_a_restored_page(page: Page) -> None:
    """Foreign frames inside what came back are asked again once the tree has a place for them."""
    for frame, above, teller in (("C", "B", "m"), ("GONE", "B", "m"), ("E", "D", "c")):
        page.adopt(frame, above, teller)
    in_c = tree(frame_of("C", "https://c/", "4", "B"), tree(frame_of("D", "https://d/", "5", "C")))
    with page.frames.reading():  # the first answer of a foreign frame, before that of the page
        page.frames.read(page.session("c"), _frame_tree(in_c))
    assert page.shape == {"M": None}

    async def answer() -> None:
        below = tree(frame_of("B", "https://m/b", "2", "M"))
        whole = tree(frame_of("M", "https://m/", "1"), below)
        trees = {"m": whole, "c": in_c, "e": tree(frame_of("E", "https://e/", "6", "D"))}
        for _ in range(4):
            asked = await page.chrome.asked("Page.getFrameTree")
            if asked.session in trees:
                page.chrome.answer(asked, {"frameTree": trees[asked.session]})
            else:
                page.chrome.refuse(asked, -32001, "Session with given id not found.")

    await both(reread(page.frames, page.main), answer())
    assert page.shape == {"M": None, "B": "M", "C": "B", "D": "C", "E": "D"}
    assert [page.frames.get(each).remote for each in "BCDE"] == [False, True, False, True]


async def test_resuming_what_is_gone(page: Page, autojump_clock: MockClock) -> None:
    """A target that went while it was paused needs no resuming."""

    async def refuse() -> None:
        page.chrome.refuse(await page.chrome.asked(), -32001, "Session with given id not found.")

    await both(resume(page.main), refuse())
    with pytest.raises(BridgeError):
        await both(reread(page.frames, page.main), refuse())


async def both(one: Any, other: Any) -> None:
    """Run two things side by side."""
    from bridge.scope import open_scope

    async def run(work: Any) -> None:
        await work

    async with open_scope() as nursery:
        nursery.start_soon(run, other)
        await one
        await settle()
