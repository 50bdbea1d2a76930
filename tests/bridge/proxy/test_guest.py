"""What a client asks of a browser, answered as Chrome answers it."""

import json
from collections.abc import AsyncIterator

import pytest

from bridge.proxy.words import CONTEXT_ID
from tests.support.conditions import until
from tests.support.guests import PUPPETEER, Client, open_board, open_client
from tests.support.played_link import PlayedLink, info


@pytest.fixture
def link() -> PlayedLink:
    return PlayedLink(info("A"))


@pytest.fixture
async def client(link: PlayedLink) -> AsyncIterator[Client]:
    async with open_board(link) as board, open_client(board) as opened:
        yield opened


async def test_calls_pass_through(client: Client, link: PlayedLink) -> None:
    """A call in a session reaches the browser as it was made, and its answer the caller."""
    await client.ask("Target.setAutoAttach", autoAttach=True)
    answer = await client.ask("Runtime.evaluate", "tA", expression="1")
    assert (answer["result"], answer["sessionId"]) == ({"echo": "Runtime.evaluate"}, "tA")
    [sent] = link.calls("Runtime.evaluate")
    assert (sent["params"], sent["sessionId"]) == ({"expression": "1"}, "tA")


async def test_frames(client: Client, link: PlayedLink) -> None:
    """What is in a tab is reached by the name it has there; what is in none is not."""
    await client.ask("Target.setAutoAttach", autoAttach=True)
    assert "result" in await client.ask("Page.enable", "tA.0123")
    for session in ("tB", "tB.0123", "A", "browser-1", "tab-tB", "tA~9"):
        assert (await client.ask("Page.enable", session))["error"]["code"] == -32001
    assert len(link.calls("Page.enable")) == 1


async def test_every_target_names_a_profile(client: Client) -> None:
    """Clients want to know the profile of a target, of which there is one."""
    [found] = (await client.ask("Target.getTargets"))["result"]["targetInfos"]
    assert (found["targetId"], found["browserContextId"]) == ("A", CONTEXT_ID)
    assert (await client.ask("Target.getBrowserContexts"))["result"] == {"browserContextIds": []}
    told = (await client.ask("Target.getTargetInfo"))["result"]["targetInfo"]
    assert (told["targetId"], told["type"]) == ("browser", "browser")
    there = await client.ask("Target.getTargetInfo", targetId="A")
    assert there["result"]["targetInfo"]["url"] == "http://a.test/"
    assert "error" in await client.ask("Target.getTargetInfo", targetId="Z")


async def test_discovers(client: Client, link: PlayedLink) -> None:
    """Tabs are told of as they come, change and go, once it is asked for, and not afterwards."""
    await client.ask("Target.setDiscoverTargets", discover=True)
    link.say("Target.targetInfoChanged", {"targetInfo": info("A", "http://a.test/2")})
    link.share(info("B"))
    link.say("Target.targetDestroyed", {"targetId": "A"})
    await until(lambda: len(client.events()) == 4)
    assert [each["method"].partition(".")[2] for each in client.events()] == [
        "targetCreated",
        "targetInfoChanged",
        "targetCreated",
        "targetDestroyed",
    ]
    await client.ask("Target.setDiscoverTargets", discover=False)
    link.share(info("C"))
    await client.ask("Browser.getVersion")
    assert len(client.events()) == 4


async def test_a_tab_around_each_page(client: Client, link: PlayedLink) -> None:
    """Who asks for tabs instead of pages gets one around each page, and the page in it."""
    await client.ask("Target.setDiscoverTargets", discover=True, filter=[{}])
    await client.ask("Target.setAutoAttach", autoAttach=True, filter=PUPPETEER)
    kinds = [e["params"]["targetInfo"]["type"] for e in client.events("Target.targetCreated")]
    assert kinds == ["tab", "page"]
    [around] = client.attached()
    assert "result" in await client.ask("Runtime.runIfWaitingForDebugger", around)
    await client.ask("Target.setAutoAttach", around, autoAttach=True)
    inner = client.events("Target.attachedToTarget")[-1]
    assert (inner["sessionId"], inner["params"]["sessionId"]) == (around, "tA")
    assert "result" in await client.ask("Page.enable", "tA")
    link.say("Target.detachedFromTarget", {"sessionId": "tA", "targetId": "A"})
    await until(lambda: len(client.events("Target.detachedFromTarget")) == 2)
    gone = [e["params"]["sessionId"] for e in client.events("Target.detachedFromTarget")]
    assert gone == ["tA", around]


async def test_twice_in_one_tab(client: Client, link: PlayedLink) -> None:
    """A second session on a tab has its own name, and hears what the first one hears."""
    await client.ask("Target.setAutoAttach", autoAttach=True)
    root = (await client.ask("Target.attachToBrowserTarget"))["result"]["sessionId"]
    second = await client.ask("Target.attachToTarget", root, targetId="A", flatten=True)
    name = second["result"]["sessionId"]
    told = client.events("Target.attachedToTarget")[-1]
    assert (told["sessionId"], told["params"]["sessionId"]) == (root, name)
    assert (await client.ask("Page.enable", name))["sessionId"] == name
    link.say("Page.loadEventFired", {"timestamp": 1}, "tA")
    await until(lambda: len(client.events("Page.loadEventFired")) == 2)
    assert {e["sessionId"] for e in client.events("Page.loadEventFired")} == {"tA", name}
    await client.ask("Target.detachFromTarget", root, sessionId=name)
    assert "error" in await client.ask("Page.enable", name)
    assert not link.calls("Target.detachFromTarget")
    await client.ask("Target.detachFromTarget", sessionId="tA")
    assert len(link.calls("Target.detachFromTarget")) == 1
    await client.ask("Target.detachFromTarget", sessionId=root)
    assert "error" in await client.ask("Browser.getVersion", root)


async def test_attached_by_hand(client: Client) -> None:
    """Without auto-attach a tab is attached when it is asked for, and told of there."""
    answer = await client.ask("Target.attachToTarget", targetId="A", flatten=True)
    assert answer["result"] == {"sessionId": "tA"}
    assert client.attached() == ["tA"]
    assert "error" in await client.ask("Target.attachToTarget", targetId="Z")


async def test_other_profiles(client: Client, link: PlayedLink) -> None:
    """A tab of a profile that is not there is refused; the one that is need not be named."""
    assert "error" in await client.ask("Target.createTarget", url="x", browserContextId="other")
    made = await client.ask("Target.createTarget", url="x", browserContextId=CONTEXT_ID)
    assert made["result"] == {"targetId": "N1"}
    [asked] = link.calls("Target.createTarget")
    assert asked["params"] == {"url": "x"}
    assert (await client.ask("Target.closeTarget", targetId="N1"))["result"] == {"success": True}


async def test_downloads(client: Client, link: PlayedLink) -> None:
    """A folder cannot be chosen here, so what is allowed goes where the person wants it."""
    await client.ask("Target.setAutoAttach", autoAttach=True)
    link.download("0", "tA")
    await client.ask("Browser.getVersion")
    for wanted, asked in (("allowAndName", "default"), ("deny", "deny"), ("default", "default")):
        await client.ask("Browser.setDownloadBehavior", behavior=wanted, eventsEnabled=True)
        sent = link.calls("Browser.setDownloadBehavior")[-1]["params"]
        assert sent == {"behavior": asked, "eventsEnabled": True}
    link.download("1", "tA")
    await until(lambda: client.events("Browser.downloadWillBegin"))
    assert client.events("Browser.downloadWillBegin")[0]["params"] == {"guid": "1"}


async def test_not_its_to_ask(client: Client, link: PlayedLink) -> None:
    """Our own words of the link are nobody else's; what nobody knows the browser refuses."""
    for method in ("Bridge.setPolicy", "Bridge.releaseTab", "Bridge.ping"):
        assert (await client.ask(method))["error"]["code"] == -32601
        assert not link.calls(method)
    refused = await client.ask("Target.createBrowserContext")
    assert "not possible" in refused["error"]["message"]


async def test_closes_its_browser(client: Client, link: PlayedLink) -> None:
    """A client that closes its browser is gone; the person's browser stays."""
    assert (await client.ask("Browser.close"))["result"] == {}
    assert client.left == ["the client has closed its browser"]
    assert not link.calls("Browser.close")


@pytest.mark.parametrize("said", [b"", b"no", b"{}", b'{"method":"Browser.getVersion"}', b"\xff"])
async def test_no_call(client: Client, said: bytes) -> None:
    """What is no call is answered as such, and the next call is heard."""
    await client.guest.hear(said)
    assert client.told[-1]["error"]["code"] == -32700
    assert "result" in await client.ask("Browser.getVersion")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Target.attachToTarget", {}),
        ("Target.attachToTarget", {"targetId": [1]}),
        ("Target.setAutoAttach", {"autoAttach": True, "filter": "page"}),
        ("Target.setDiscoverTargets", {"discover": True, "filter": [7]}),
        ("Target.closeTarget", {}),
    ],
)
async def test_odd_parameters(client: Client, method: str, params: dict[str, object]) -> None:
    """Parameters that are not as CDP has them are refused, and end nothing."""
    await client.guest.hear(json.dumps({"id": 99, "method": method, "params": params}).encode())
    assert (await client.answer(99))["error"]["code"] == -32602
    assert "result" in await client.ask("Browser.getVersion")


async def test_session_without_a_name(client: Client) -> None:
    """A call in the session "" is one of the browser itself, as at Chrome's own endpoint."""
    await client.guest.hear(b'{"id":5,"method":"Browser.getVersion","sessionId":""}')
    answer = await client.answer(5)
    assert answer["result"]["product"] == "Chrome/156"
    assert "sessionId" not in answer


async def test_one_tab_alone(link: PlayedLink) -> None:
    """On the socket of a tab nothing has a session; when the tab goes, so does the client."""
    async with open_board(link) as board, open_client(board, "A") as client:
        await until(lambda: link.calls("Target.attachToTarget"))
        await until(lambda: board.session("A"))
        answer = await client.ask("Runtime.evaluate", expression="1")
        assert answer == {"id": 1, "result": {"echo": "Runtime.evaluate"}}
        link.say("Page.loadEventFired", {"timestamp": 1}, "tA")
        await until(
            lambda: client.told[-1] == {"method": "Page.loadEventFired", "params": {"timestamp": 1}}
        )
        link.say("Target.detachedFromTarget", {"sessionId": "tA", "targetId": "A"})
        await until(lambda: client.left)


async def test_one_tab_at_once(link: PlayedLink) -> None:
    """On the socket of a tab the first call may be there before the tab is."""
    async with open_board(link) as board, open_client(board, "A") as client:
        assert (await client.ask("Page.enable"))["result"] == {"echo": "Page.enable"}


async def test_asleep(client: Client, link: PlayedLink) -> None:
    """A call that could not be sent fails; the next one may be."""
    await client.ask("Target.setAutoAttach", autoAttach=True)
    link.asleep = True
    for session in ("tA", ""):
        refused = await client.ask("Browser.getWindowForTarget", session)
        assert "asleep" in refused["error"]["message"]
    link.asleep = False
    assert "result" in await client.ask("Page.enable", "tA")


async def test_the_first_of_two_ends(client: Client, link: PlayedLink) -> None:
    """A name that was let go of is nobody's, while another one of that tab goes on."""
    await client.ask("Target.setAutoAttach", autoAttach=True)
    second = (await client.ask("Target.attachToTarget", targetId="A"))["result"]["sessionId"]
    await client.ask("Target.detachFromTarget", sessionId="tA")
    assert (await client.ask("Page.enable", "tA"))["error"]["code"] == -32001
    assert "result" in await client.ask("Page.enable", second)
    assert not link.calls("Target.detachFromTarget")


@pytest.mark.parametrize("which", [{"targetId": "A"}, {"sessionId": "tab-tA"}])
async def test_let_go_of(client: Client, link: PlayedLink, which: dict[str, object]) -> None:
    """A tab is let go of by its name as well, and with the tab around it."""
    await client.ask("Target.setAutoAttach", autoAttach=True, filter=PUPPETEER)
    assert (await client.ask("Target.detachFromTarget", **which))["result"] == {}
    assert "error" in await client.ask("Page.enable", "tA")
    assert len(link.calls("Target.detachFromTarget")) == 1


async def test_asks_for_no_more(client: Client, link: PlayedLink) -> None:
    """Who wants tabs no longer is told that those it was given end; one it asked for stays."""
    await client.ask("Target.attachToTarget", targetId="A")
    await client.ask("Target.setAutoAttach", autoAttach=True, filter=PUPPETEER)
    link.share(info("B"))
    await until(lambda: client.attached() == ["tA", "tab-tB"])
    await client.ask("Target.setAutoAttach", autoAttach=False)
    gone = [e["params"]["sessionId"] for e in client.events("Target.detachedFromTarget")]
    assert gone == ["tB", "tab-tB"]
    assert "result" in await client.ask("Page.enable", "tA")


async def test_closed_as_another_is_let_go_of(client: Client, link: PlayedLink) -> None:
    """Who wants tabs no longer is answered, also where one of them is closed meanwhile."""
    link.share(info("B"))
    await client.ask("Target.setAutoAttach", autoAttach=True)
    await until(lambda: client.attached() == ["tA", "tB"])
    link.silent = {"Target.detachFromTarget"}
    number = await client.send("Target.setAutoAttach", autoAttach=False)
    await until(lambda: link.calls("Target.detachFromTarget"))
    link.say("Target.detachedFromTarget", {"sessionId": "tB", "targetId": "B"})
    await until(lambda: client.events("Target.detachedFromTarget"))
    link.silent = set()
    link.do(link.calls("Target.detachFromTarget")[0])
    assert (await client.answer(number))["result"] == {}
    assert len(link.calls("Target.detachFromTarget")) == 1


async def test_asks_twice_for_what_is_in_a_tab(client: Client) -> None:
    """The page in a tab is told of once."""
    await client.ask("Target.setAutoAttach", autoAttach=True, filter=PUPPETEER)
    for _ in range(2):
        await client.ask("Target.setAutoAttach", "tab-tA", autoAttach=True)
    assert client.attached() == ["tab-tA", "tA"]


async def test_no_method(client: Client, link: PlayedLink) -> None:
    """A call of nothing goes nowhere."""
    before = len(link.asked)
    await client.guest.hear(b'{"id":0}')
    assert client.told[-1] == {
        "id": 0,
        "error": {"code": -32600, "message": "Message must have string 'method'"},
    }
    assert len(link.asked) == before
