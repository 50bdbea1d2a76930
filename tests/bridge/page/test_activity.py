"""What a tab sets going is heard in all its processes, while somebody records."""

from typing import Any

from bridge.page.activity import Activity
from tests.support.acting import open_acting, tell
from tests.support.played_page import PAGE, SESSION
from tests.support.scripted_chrome import settle, target_info

_DOWNLOAD = {"frameId": PAGE, "guid": "g", "url": "x", "suggestedFilename": "a.txt"}


async def test_only_while_recording() -> None:
    """A recording has what came in its block, and nothing else."""
    async with open_acting() as page:
        activity = Activity(page.tab.session, PAGE)
        await tell(page, "Page.downloadWillBegin", **_DOWNLOAD)
        with activity.recording() as first:
            await tell(page, "Page.downloadWillBegin", **_DOWNLOAD)
            with activity.recording() as second:
                await tell(page, "Page.downloadWillBegin", **_DOWNLOAD)
        await tell(page, "Page.downloadWillBegin", **_DOWNLOAD)
        assert (len(first.course.downloads), len(second.course.downloads)) == (2, 1)


async def test_frames_of_other_processes() -> None:
    """A frame that begins in a process of its own is heard from its first event on."""
    async with open_acting() as page:
        activity = Activity(page.tab.session, PAGE)
        with activity.recording() as seen:
            params = {
                "sessionId": "S-F",
                "targetInfo": target_info("F", type="iframe"),
                "waitingForDebugger": True,
            }
            page.chrome.fake.event("Target.attachedToTarget", params, SESSION)
            page.chrome.fake.event("Page.downloadWillBegin", {**_DOWNLOAD}, "S-F")
            await settle()
        assert [each.suggested_filename for each in seen.course.downloads] == ["a.txt"]


async def test_change() -> None:
    """Waiting for a change ends with the next event."""
    async with open_acting() as page:
        activity = Activity(page.tab.session, PAGE)
        with activity.recording() as seen:
            page.chrome.fake.event("Page.downloadWillBegin", _DOWNLOAD, SESSION)
            await seen.change()
            assert [each.suggested_filename for each in seen.course.downloads] == ["a.txt"]


def asked(number: int, at: float, path: str = "poll") -> dict[str, Any]:
    return {
        "requestId": f"{path}{number}",
        "loaderId": "L",
        "documentURL": "x",
        "request": {
            "url": f"https://a.example/{path}",
            "method": "GET",
            "headers": {},
            "initialPriority": "High",
            "referrerPolicy": "origin",
        },
        "timestamp": at,
        "wallTime": 1.0,
        "initiator": {"type": "script"},
        "redirectHasExtraInfo": False,
        "type": "Fetch",
    }


async def test_habits() -> None:
    """What the page asks for by itself is not recorded; what somebody causes is, every time."""
    async with open_acting() as page:
        activity = Activity(page.tab.session, PAGE)
        for number in range(9):
            at = number / 10
            await tell(page, "Network.requestWillBeSent", **asked(number, at))
            with activity.recording() as seen:
                await tell(page, "Network.requestWillBeSent", **asked(number, at, "next"))
                assert list(seen.course.requests) == [f"next{number}"]
        with activity.recording() as seen:
            await tell(page, "Network.requestWillBeSent", **asked(10, 1.0))
            assert seen.course.requests == {}
