"""Several guests of one browser: each has its own answers, its own tabs, its own events."""

import pytest
import trio

from bridge.errors import BridgeError
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
        assert "error" in await two.ask("Target.closeTarget", targetId="A")
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
