"""Several guests of one browser: each has its own answers, its own tabs, its own events."""

import pytest
import trio
import trio.testing

from bridge.errors import BridgeError
from bridge.scope import open_scope
from tests.support.conditions import until
from tests.support.guests import open_board, open_client
from tests.support.played_link import PlayedLink, info

A, B = info("A"), info("B", "http://b.test/")


async def test_answers_are_not_crossed() -> None:
    """Two guests use one number, and are answered in the other order: each gets its own."""
    link = PlayedLink(A)
    link.silent = {"Browser.getWindowForTarget"}
    async with open_board(link) as board, open_client(board) as one, open_client(board) as two:
        first = await one.send("Browser.getWindowForTarget", targetId="A")
        await until(lambda: link.calls("Browser.getWindowForTarget"))
        second = await two.send("Browser.getWindowForTarget", targetId="A")
        await until(lambda: len(link.calls("Browser.getWindowForTarget")) == 2)
        assert first == second == 1
        ours, theirs = link.calls("Browser.getWindowForTarget")
        link.answer(theirs, {"windowId": 2})
        link.answer(ours, {"windowId": 1})
        assert (await one.answer(1))["result"] == {"windowId": 1}
        assert (await two.answer(1))["result"] == {"windowId": 2}
        assert len(one.told) == len(two.told) == 1


async def test_a_tab_is_ones_own() -> None:
    """What one guest works on another cannot attach to, see, close or hear of."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as one, open_client(board) as two:
        await one.ask("Target.setAutoAttach", autoAttach=True, flatten=True)
        assert one.attached() == ["tA"]
        await two.ask("Target.setAutoAttach", autoAttach=True, flatten=True)
        assert two.attached() == []
        refused = await two.ask("Target.attachToTarget", targetId="A", flatten=True)
        assert "another client" in refused["error"]["message"]
        assert (await two.ask("Target.getTargets"))["result"] == {"targetInfos": []}
        for method in (
            "Target.closeTarget",
            "Target.activateTarget",
            "Browser.getWindowForTarget",
        ):
            refused = await two.ask(method, targetId="A")
            assert refused["error"]["message"] == "No target with given id found"
            assert not link.calls(method)
        assert "error" in await two.ask("Runtime.evaluate", "tA", expression="1")
        link.say("Runtime.consoleAPICalled", {"type": "log"}, "tA")
        link.say("Page.frameNavigated", {}, "tA.CHILD")
        await until(lambda: one.events("Page.frameNavigated"))
        assert not two.events()


async def test_free_again() -> None:
    """A guest that leaves lets go of its tabs, and the next one has them at once."""
    link = PlayedLink(A, B)
    async with open_board(link) as board:
        async with open_client(board) as one:
            await one.ask("Target.setAutoAttach", autoAttach=True)
            assert one.attached() == ["tA", "tB"]
        assert len(link.calls("Target.detachFromTarget")) == 2
        async with open_client(board) as two:
            await two.ask("Target.setAutoAttach", autoAttach=True)
            assert two.attached() == ["tA", "tB"]


async def test_left_to_who_waits() -> None:
    """A guest that is there already gets the tabs of one that leaves."""
    async with open_board(PlayedLink(A)) as board, open_client(board) as two:
        async with open_client(board) as one:
            await one.ask("Target.setAutoAttach", autoAttach=True)
            await two.ask("Target.setAutoAttach", autoAttach=True)
        await until(lambda: two.attached() == ["tA"])


async def test_a_guest_that_hangs_up_at_once(autojump_clock: trio.testing.MockClock) -> None:
    """A browser that does not let go keeps nobody: the tab is free all the same."""
    link = PlayedLink(A)
    async with open_board(link) as board:
        async with open_client(board) as one:
            await one.ask("Target.setAutoAttach", autoAttach=True)
            link.silent = {"Target.detachFromTarget"}
        assert board.holder("A") is None


async def test_popup() -> None:
    """A tab that a guest's tab has opened is that guest's; any other is the first one's."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as one, open_client(board) as two:
        for each in (one, two):
            await each.ask("Target.setAutoAttach", autoAttach=True)
        made = await two.ask("Target.createTarget", url="about:blank")
        assert made["result"]["targetId"] == "N1"
        assert two.attached() == ["tN1"]
        link.share(info("P", openerId="N1"))
        link.share(info("S"))
        await until(lambda: two.attached() == ["tN1", "tP"] and one.attached() == ["tA", "tS"])


async def test_created_before_it_is_answered() -> None:
    """A tab is told of before the call that made it is answered, and to whoever made it alone."""
    async with open_board(PlayedLink()) as board, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        async with open_client(board) as two:
            await two.ask("Target.setAutoAttach", autoAttach=True)
            await two.ask("Target.createTarget", url="about:blank")
            methods = [each.get("method", "answer") for each in two.told]
            assert methods == ["answer", "Target.attachedToTarget", "answer"]
            assert not one.attached()


async def test_thrown_off() -> None:
    """A tab the browser throws us off is lost; where it can be taken up again, it is."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as other, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        await other.ask("Target.setAutoAttach", autoAttach=True)
        link.say("Target.detachedFromTarget", {"sessionId": "tA", "targetId": "A"})
        await until(lambda: one.events("Target.detachedFromTarget"))
        link.say("Bridge.detached", {"targetId": "A", "reason": "policy", "recoverable": True})
        await until(lambda: one.attached() == ["tA", "tA"])
        assert not other.attached()


async def test_paused() -> None:
    """Once the person lets us go on, the tabs are there again."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        link.say("Target.detachedFromTarget", {"sessionId": "tA", "targetId": "A"})
        link.say("Bridge.paused", {})
        await until(lambda: one.events("Target.detachedFromTarget"))
        link.say("Bridge.resumed", {})
        await until(lambda: one.attached() == ["tA", "tA"])


async def test_not_to_be_visited() -> None:
    """A tab at an address that is not allowed is not told of until it is at one that is."""
    link = PlayedLink(info("A", ""))
    async with open_board(link) as board, open_client(board) as one:
        await one.ask("Target.setDiscoverTargets", discover=True)
        await one.ask("Target.setAutoAttach", autoAttach=True)
        assert not one.events()
        link.tabs["A"] = A
        link.say("Target.targetInfoChanged", {"targetInfo": A})
        await until(lambda: one.attached() == ["tA"])
        assert one.events()[0]["method"] == "Target.targetCreated"


async def test_browser_gone() -> None:
    """Guests are told to go when the browser has gone, and the link is closed."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as one:
        link.lose()
        await until(lambda: board.over)
        assert one.left == ["the browser is not connected any more"]
        await until(lambda: link.closed)


async def test_gone_before_it_began() -> None:
    """A browser that goes at once is an error of whoever wanted it."""
    link = PlayedLink(A)
    link.silent = {"Target.setDiscoverTargets"}
    link.lose()
    with pytest.raises(BridgeError):
        async with open_board(link):
            pass


async def test_words_nobody_understands() -> None:
    """What the browser says that cannot be read ends nothing."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as one:
        odd: list[dict[str, object]] = [{}, {"targetInfo": 7}, {"targetInfo": {}}]
        for params in odd:
            link.say("Target.targetCreated", params)
        link.say("Runtime.consoleAPICalled", {}, "tX")
        assert "result" in await one.ask("Browser.getVersion")


async def test_gone_as_it_is_given_a_tab() -> None:
    """A tab that comes for a guest who has gone is let go of, and is the next one's but once."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as two:
        async with open_client(board) as one:
            for each in (one, two):
                await each.ask("Target.setAutoAttach", autoAttach=True)
            link.silent = {"Target.attachToTarget"}
            link.share(info("P", openerId="A"))
            await until(lambda: len(link.calls("Target.attachToTarget")) == 2)
        await trio.testing.wait_all_tasks_blocked()
        link.silent = set()
        for call in link.calls("Target.attachToTarget")[1:]:
            link.do(call)
        await until(lambda: sorted(two.attached()) == ["tA", "tP"])
        assert "result" in await two.ask("Page.enable", "tP")
        assert sorted(two.attached()) == ["tA", "tP"]
        assert [e["params"]["sessionId"] for e in link.calls("Target.detachFromTarget")] == [
            "tA",
            "tP",
        ]


async def test_gone_as_it_asks_for_a_tab() -> None:
    """The same where the guest has asked for the tab itself, and somebody waits for it."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as two:
        async with open_scope() as nursery, open_client(board) as one:
            link.silent = {"Target.attachToTarget"}
            await one.send("Target.attachToTarget", targetId="A")
            await until(lambda: link.calls("Target.attachToTarget"))
            await two.send("Target.setAutoAttach", autoAttach=True)
            nursery.start_soon(_do_later, link)
        await until(lambda: two.attached() == ["tA"])
        assert "result" in await two.ask("Page.enable", "tA")
        assert len(link.calls("Target.detachFromTarget")) == 1


async def _do_later(link: PlayedLink) -> None:
    with trio.CancelScope(shield=True):
        await trio.testing.wait_all_tasks_blocked()
        link.silent = set()
        for call in link.calls("Target.attachToTarget"):
            link.do(call)


async def test_given_several_times() -> None:
    """What the browser has given twice is let go of twice: nothing stays switched on there."""
    link = PlayedLink(A)
    async with open_board(link) as board:
        async with open_client(board) as one:
            await one.ask("Target.attachToTarget", targetId="A")
            await board.ask("Target.attachToTarget", targetId="A")
            await one.ask("Browser.getVersion")
            assert one.attached() == ["tA"]
        assert len(link.calls("Target.detachFromTarget")) == 2


async def test_detached() -> None:
    """A tab that a guest lets go of while it stays is another one's, and not its own again."""
    async with open_board(PlayedLink(A)) as board, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        async with open_client(board) as two:
            await two.ask("Target.setAutoAttach", autoAttach=True)
            await one.ask("Target.detachFromTarget", sessionId="tA")
            await until(lambda: two.attached() == ["tA"])
        assert one.attached() == ["tA"]


async def test_let_go_of_in_vain(autojump_clock: trio.testing.MockClock) -> None:
    """Where the browser does not answer to a goodbye the tab is lost to its guest all the same."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as one, open_client(board) as two:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        link.silent = {"Target.detachFromTarget"}
        await one.ask("Target.detachFromTarget", sessionId="tA")
        assert [e["params"]["sessionId"] for e in one.events("Target.detachedFromTarget")] == ["tA"]
        await two.ask("Target.setAutoAttach", autoAttach=True)
        assert two.attached() == ["tA"]
        for method in ("Runtime.evaluate", "Page.enable"):
            assert (await one.ask(method, "tA"))["error"]["code"] == -32001
            assert not link.calls(method)
        refused = await one.ask("Target.detachFromTarget", sessionId="tA")
        assert refused["error"]["message"] == "No session with given id"
        assert board.holder("A") is two.guest


async def test_back_to_who_had_it() -> None:
    """A tab that was where it may not be is, when it is back, that of the guest who had it."""
    link = PlayedLink(A)
    async with open_board(link) as board, open_client(board) as other, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        await other.ask("Target.setAutoAttach", autoAttach=True)
        link.tabs["A"] = info("A", "")
        link.say("Target.targetInfoChanged", {"targetInfo": link.tabs["A"]})
        link.say("Target.detachedFromTarget", {"sessionId": "tA", "targetId": "A"})
        link.say("Bridge.detached", {"targetId": "A", "reason": "policy", "recoverable": True})
        await until(lambda: len(link.calls("Target.attachToTarget")) == 2)
        await other.ask("Browser.getVersion")
        link.tabs["A"] = A
        link.say("Target.targetInfoChanged", {"targetInfo": A})
        await until(lambda: one.attached() == ["tA", "tA"] or other.attached())
        assert not other.attached()


async def test_its_own_however_it_attaches() -> None:
    """A tab that was opened by a guest who attaches by hand is not given to one who takes all."""
    link = PlayedLink()
    async with open_board(link) as board, open_client(board) as all_, open_client(board) as one:
        await all_.ask("Target.setAutoAttach", autoAttach=True)
        made = (await one.ask("Target.createTarget", url="about:blank"))["result"]
        await all_.ask("Browser.getVersion")
        assert "result" in await one.ask("Target.attachToTarget", **made)
        assert not all_.attached()


async def test_told_before() -> None:
    """A browser that has told another connection of its tabs is asked which there are."""
    link = PlayedLink(A)
    link.discovered = True
    async with open_board(link) as board, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        assert one.attached() == ["tA"]
        link.tabs = {"B": B}
        link.say("Bridge.gap", {"dropped": 3})
        await until(lambda: one.attached() == ["tA", "tB"] and "A" not in board.tabs)


async def test_ended_in_a_gap() -> None:
    """A tab whose end nobody was told of is found lost, and one that is still there had again."""
    link = PlayedLink(A, B)
    async with open_board(link) as board, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        assert one.attached() == ["tA", "tB"]
        link.tabs = {"A": {**A, "attached": False}}
        link.say("Bridge.gap", {"dropped": 4})
        await until(lambda: one.attached() == ["tA", "tB", "tA"])
        gone = [e["params"]["sessionId"] for e in one.events("Target.detachedFromTarget")]
        assert sorted(gone) == ["tA", "tB"]
        assert "error" in await one.ask("Target.detachFromTarget", sessionId="tB")
        assert "result" in await one.ask("Page.enable", "tA")


async def test_downloads_of_others() -> None:
    """A no of one guest holds for as long as it is there; of a download its own guest hears."""
    link = PlayedLink(A, B)
    async with open_board(link) as board, open_client(board) as one:
        await one.ask("Target.attachToTarget", targetId="A")
        await one.ask("Browser.setDownloadBehavior", behavior="default", eventsEnabled=True)
        async with open_client(board) as two:
            await two.ask("Target.attachToTarget", targetId="B")
            await two.ask("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=False)
            await one.ask("Browser.setDownloadBehavior", behavior="default", eventsEnabled=True)
            link.download("b", "tB")
            link.download("a", "tA")
            await until(lambda: one.events("Browser.downloadWillBegin"))
            [told] = one.events("Browser.downloadWillBegin")
            assert told["params"] == {"guid": "a"}
            asked = [each["params"] for each in link.calls("Browser.setDownloadBehavior")]
            assert asked[1:] == [{"behavior": "deny", "eventsEnabled": True}] * 2
        await until(lambda: len(link.calls("Browser.setDownloadBehavior")) == 4)
        last = link.calls("Browser.setDownloadBehavior")[-1]["params"]
        assert last == {"behavior": "default", "eventsEnabled": True}


async def test_gone_as_a_tab_is_made() -> None:
    """A browser that goes while a guest makes a tab ends that guest, and nobody trips over it."""
    link = PlayedLink()
    async with open_board(link) as board, open_client(board) as other:
        await other.ask("Target.setAutoAttach", autoAttach=True)
        async with open_client(board) as one:
            link.silent = {"Target.createTarget"}
            made = await one.send("Target.createTarget", url="about:blank")
            await until(lambda: link.calls("Target.createTarget"))
            link.share(info("N"))
            link.lose()
            assert "not connected" in (await one.answer(made))["error"]["message"]
            await until(lambda: board.over)
    async with open_client(board) as late:
        assert late.left == ["the browser is not connected any more"]


async def test_answers_nobody_understands() -> None:
    """An answer that cannot be read fails the call, and ends nobody."""
    link = PlayedLink()
    async with open_board(link) as board, open_client(board) as one:
        await one.ask("Target.setAutoAttach", autoAttach=True)
        link.silent = {"Target.attachToTarget"}
        link.share(A)
        await until(lambda: link.calls("Target.attachToTarget"))
        link.answer(link.calls("Target.attachToTarget")[0], [7])
        await until(lambda: board.holder("A") is None)
        assert "result" in await one.ask("Browser.getVersion")
