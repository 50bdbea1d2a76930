"""What a client reads of the network."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio

from bridge.policy.options import PolicyOptions
from bridge.tools.secrets import Secrets
from tests.support.scripted_chrome import frame_of
from tests.support.told_page import HERE, ToldPage, open_told_page


@pytest.fixture
async def page() -> AsyncIterator[ToldPage]:
    """A page that has asked for nothing."""
    async with open_told_page() as opened:
        yield opened


async def details(page: ToldPage, number: int = 1, body: Any = None, **more: Any) -> str:
    """One request in full, its body played by the test."""
    told: list[str] = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            told.append(await page.door.text("network_requests", requestId=number, **more))

        nursery.start_soon(ask)
        asked = await page.chrome.asked.receive()
        if body is None:
            page.chrome.fake.refuse(asked, -32000, "No resource with given identifier found")
        else:
            page.chrome.fake.answer(asked, body)
    return told[0]


async def test_list(page: ToldPage) -> None:
    """A list has a line for each request: number, method, outcome, type, costs, address."""
    await page.request("1")
    await page.answer("1", 404)
    await page.request("2", HERE + "b")
    await page.fail("2", "net::ERR_FAILED")
    await page.request("3", HERE + "c")
    lines = (await page.door.text("network_requests")).splitlines()
    assert lines[1:4] == [
        "1 GET 404 Fetch 500ms 10B https://here.test/",
        "2 GET failed: net::ERR_FAILED; Fetch 500ms https://here.test/b",
        "3 GET pending Fetch https://here.test/c",
    ]
    assert lines[-1] == "3 of 3 requests."


async def test_answered_and_broken_off(page: ToldPage) -> None:
    """Of what was answered and failed then, as a script that is a web page, both are told."""
    await page.request("1", HERE + "lost.js", type="Script")
    head = {"requestId": "1", "type": "Script", "response": {"status": 404}}
    await page.tell("Network.responseReceived", **head)
    await page.fail("1", "net::ERR_ABORTED")
    told = await page.door.text("network_requests", failed=True)
    assert "1 GET 404 failed: net::ERR_ABORTED; Script 500ms " in told


async def test_filters(page: ToldPage) -> None:
    """A list is narrowed by part of the address, by type, and to failures."""
    await page.request("1", HERE + "Api/1")
    await page.answer("1")
    await page.request("2", HERE + "api/2", type="XHR")
    await page.answer("2", 500)
    await page.request("3", HERE + "x")
    assert "2 of 2" in await page.door.text("network_requests", filter="API")
    assert "3 of 3" in await page.door.text("network_requests", type="fetch")
    assert "1 of 1" in await page.door.text("network_requests", failed=True)
    assert "1 of 3" in await page.door.text("network_requests", limit=1)
    assert "No requests" in await page.door.text("network_requests", filter="nowhere")


async def test_nothing_hidden_is_found(page: ToldPage) -> None:
    """What is hidden of an address cannot be found out by looking for parts of it."""
    page.door.desk.readings.scrub = Secrets({"KEY": "hunter2zebra"}).scrub
    await page.request("1", HERE + "?token=s3cr3t&q=hunter2zebra&page=4")
    for part in ("s3cr", "token=s", "hunter", "q=h"):
        assert await page.door.text("network_requests", filter=part) == "No requests like that."
    for part in ("token=", "PAGE=4", "q={{KEY}}"):
        assert "1 of 1 request." in await page.door.text("network_requests", filter=part)


async def test_older_ones(page: ToldPage) -> None:
    """A list that is not all names the way to what was before it, to the first of all."""
    for number in range(1, 8):
        await page.request(str(number), f"{HERE}{'odd' if number % 2 else 'even'}")
    told = await page.door.text("network_requests", limit=2, filter="odd")
    assert told.splitlines()[1].startswith("5 GET")
    assert told.endswith("2 of 4 requests. before: 5 shows older ones.")
    told = await page.door.text("network_requests", limit=2, filter="odd", before=5)
    assert [line[0] for line in told.splitlines()[1:3]] == ["1", "3"]
    assert told.endswith("2 of 2 requests.")
    assert "No requests like that" in await page.door.text("network_requests", before=1)


async def test_several_types(page: ToldPage) -> None:
    """Types with commas between them narrow a list to any of these."""
    for number, kind in enumerate(("Image", "XHR", "Stylesheet", "Fetch")):
        await page.request(str(number), f"{HERE}{kind}", type=kind)
    told = await page.door.text("network_requests", type="fetch, xhr")
    assert [line.rpartition("/")[2] for line in told.splitlines()[1:3]] == ["XHR", "Fetch"]
    assert told.endswith("2 of 2 requests.")


@pytest.mark.parametrize("given", ["fetc", "image,fetc"])
async def test_wrong_type(page: ToldPage, given: str) -> None:
    """A type that does not exist names the nearest and all there are."""
    told = await page.door.refusal("network_requests", type=given)
    assert told.startswith("BAD_ARGS: type: there is no kind of request called 'fetc'")
    assert "Did you mean Fetch? Kinds, with commas if several: Document" in told


async def test_wrong_id(page: ToldPage) -> None:
    """A number nobody has is refused."""
    assert "there is no request 7" in await page.door.refusal("network_requests", requestId=7)


async def test_paging(page: ToldPage) -> None:
    """What does not fit an answer is read on with its cursor."""
    for number in range(20):
        await page.request(str(number), f"{HERE}{number}")
    first = await page.door.text("network_requests", maxTokens=50)
    cursor = first.partition("cursor: ")[2].split()[0]
    rest = await page.door.text("get_text", cursor=cursor, maxTokens=0)
    assert f"{HERE}0" in first
    assert f"{HERE}19" in rest


async def test_what_asked(page: ToldPage) -> None:
    """The script that asked is told without the secrets in its address."""
    frames = [{"url": f"{HERE}x.js?token=CANARY", "lineNumber": 6}]
    by = {"type": "script", "stack": {"callFrames": frames}}
    await page.request("1", initiator=by)
    await page.request("2", initiator={"type": "parser", "url": f"{HERE}?token=CANARY"})
    assert f"started by script {HERE}x.js?token=(hidden):7" in await page.door.text(
        "network_requests", requestId=1
    )
    assert f"started by parser {HERE}?token=(hidden)\n" in await page.door.text(
        "network_requests", requestId=2
    )


async def test_redirects(page: ToldPage) -> None:
    """A redirected request tells where it came from."""
    await page.request("1", HERE + "old")
    await page.request("1", HERE + "new", redirectResponse={"status": 301})
    told = await page.door.text("network_requests")
    assert "https://here.test/new (from 301 https://here.test/old)" in told


async def test_long_addresses_are_cut(page: ToldPage) -> None:
    """Every address that is cut says so: what is left of a secret there is known by that."""
    await page.request("1", HERE + "a" * 500)
    await page.request("1", HERE + "b" * 500, redirectResponse={"status": 301})
    told = await page.door.text("network_requests")
    assert "b… (from 301 https://here.test/a" in told
    assert "a…)" in told


async def test_secrets_are_never_shown(page: ToldPage) -> None:
    """Credentials in headers, addresses and forms are hidden, whoever wrote them how."""
    sent = {
        "Authorization": "Bearer CANARY",
        "Cookie": "sid=CANARY; b=CANARY",
        "X-Api-Key": "CANARY",
    }
    posted = {"method": "POST", "headers": sent, "postData": "user=me&password=CANARY"}
    await page.request("1", HERE + "?access_token=CANARY&q=1", request=posted)
    await page.answer("1", headers={"set-cookie": "sid=CANARY; HttpOnly\nb=CANARY"})
    assert "CANARY" not in await page.door.text("network_requests")
    told = await details(page, body={"body": '{"token":"CANARY"}', "base64Encoded": False})
    assert "CANARY" not in told
    for shown in ("authorization: (hidden)", "cookie: sid=(hidden); b=(hidden)", "user=me", "q=1"):
        assert shown in told


async def test_body(page: ToldPage) -> None:
    """A body of text is shown, another one only by its size, and one that is gone is said so."""
    await page.request("1")
    await page.answer("1", mimeType="image/png")
    assert "hello" in await details(page, body={"body": "hello", "base64Encoded": False})
    shown = await details(page, body={"body": "aGVsbG8=", "base64Encoded": True})
    assert "(5 bytes of image/png, not shown)" in shown
    assert "(not there: " in await details(page)


async def test_long_body(page: ToldPage) -> None:
    """A long body is cut, with a cursor for the rest."""
    await page.request("1")
    await page.answer("1")
    told = await details(page, body={"body": "x" * 100_000, "base64Encoded": False})
    assert len(told) < 17_000
    assert "cursor: " in told


async def test_policy_of_the_address() -> None:
    """What an address that may not be read answered is refused, though the page may be read."""
    async with open_told_page(PolicyOptions(read_domain=("here.test",))) as page:
        await page.request("1", "https://denied.test/")
        await page.answer("1")
        await page.tell("Network.webSocketCreated", requestId="2", url="wss://denied.test/")
        for number in (1, 2):
            told = await page.door.refusal("network_requests", requestId=number)
            assert told.startswith("POLICY_DENIED")


_DENIED = "https://denied.test/"


async def test_pages_that_may_not_be_read() -> None:
    """What such a page asks for, in a frame or before this one, is counted and not shown."""
    async with open_told_page(PolicyOptions(read_domain=("here.test",))) as page:
        told = {"frameId": "F1", "parentFrameId": "A" * 32}
        await page.tell("Page.frameAttached", **told)
        frame = frame_of("F1", _DENIED, "L1", "A" * 32)
        await page.tell("Page.frameNavigated", frame=frame, type="Navigation")
        await page.request("L1", _DENIED, loaderId="L1", frameId="F1", documentURL=_DENIED)
        await page.answer("L1", 404)
        await page.request("2", f"{HERE}?secret", frameId="F1", documentURL="about:blank")
        await page.request("3", f"{HERE}?secret", documentURL=f"{_DENIED}before")
        await page.tell(
            "Network.webSocketCreated",
            requestId="4",
            url="wss://here.test/",
            initiator={"type": "script", "stack": {"callFrames": [{"url": f"{_DENIED}x.js"}]}},
        )
        await page.request("5", HERE, documentURL=HERE)
        listed = await page.door.text("network_requests")
        assert "5 GET pending" in listed
        for denied in ("denied.test", "secret", "wss:"):
            assert denied not in listed
        assert listed.endswith("1 of 1 request. 4 of addresses that may not be read are left out.")
        for part in ("evil", "no such thing"):  # by their number nothing is found out of them
            looked = await page.door.text("network_requests", filter=part, failed=True)
            assert looked.endswith("like that. 4 of addresses that may not be read are left out.")
        for number in range(1, 5):
            refused = await page.door.refusal("network_requests", requestId=number)
            assert refused.startswith("POLICY_DENIED")


async def test_pages_that_were_refused() -> None:
    """That a page was kept from something is told, also where that would have been a document."""
    async with open_told_page(PolicyOptions(read_domain=("here.test",))) as page:
        by = {"type": "parser", "url": HERE}
        await page.request("1", f"{_DENIED}a.png", documentURL=HERE)
        await page.fail("1", "net::ERR_BLOCKED_BY_CLIENT")
        await page.request("L2", _DENIED, loaderId="L2", documentURL=_DENIED, initiator=by)
        await page.fail("L2", "net::ERR_BLOCKED_BY_CLIENT")
        await page.tell("Network.loadingFinished", requestId="L2", timestamp=2.0)
        by["url"] = _DENIED
        await page.request("L3", _DENIED, loaderId="L3", documentURL=_DENIED, initiator=by)
        await page.fail("L3", "net::ERR_BLOCKED_BY_CLIENT")
        listed = await page.door.text("network_requests", failed=True)
        assert f"1 GET failed: net::ERR_BLOCKED_BY_CLIENT; Fetch 500ms {_DENIED}a.png" in listed
        assert f"2 GET failed: net::ERR_BLOCKED_BY_CLIENT; Fetch 500ms {_DENIED}" in listed
        assert listed.endswith("2 of 2 requests. 1 of addresses that may not be read are left out.")
