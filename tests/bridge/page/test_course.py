"""What is under way in a page, from the events of its life."""

from typing import Any

import msgspec
import pytest

from bridge.cdp.base import event_type
from bridge.page.course import Course
from tests.support.scripted_chrome import frame_of

MAIN = "M"


def see(course: Course, method: str, **params: Any) -> None:
    """Feed an event as Chrome writes it."""
    kind = event_type(method)
    assert kind is not None
    course.see(kind.read(msgspec.Raw(msgspec.json.encode(params))))


def ask(course: Course, frame: str = MAIN, disposition: str = "currentTab", url: str = "x") -> None:
    see(
        course,
        "Page.frameRequestedNavigation",
        frameId=frame,
        reason="anchorClick",
        url=url,
        disposition=disposition,
    )


def begin(course: Course, frame: str = MAIN, kind: str = "differentDocument") -> None:
    see(
        course,
        "Page.frameStartedNavigating",
        frameId=frame,
        url="x",
        loaderId="L2",
        navigationType=kind,
    )


def commit(course: Course, frame: str = MAIN, kind: str = "Navigation") -> None:
    see(course, "Page.frameNavigated", frame=frame_of(frame, "x", "L2"), type=kind)


def fetch(course: Course, id_: str, kind: str = "Fetch", frame: str = MAIN) -> None:
    see(
        course,
        "Network.requestWillBeSent",
        requestId=id_,
        loaderId="L",
        documentURL="x",
        request={
            "url": f"https://a.example/{id_}",
            "method": "GET",
            "headers": {},
            "initialPriority": "High",
            "referrerPolicy": "origin",
        },
        timestamp=1.0,
        wallTime=1.0,
        initiator={"type": "script"},
        redirectHasExtraInfo=False,
        type=kind,
        frameId=frame,
    )


def answer(course: Course, id_: str) -> None:
    head = {
        "url": "x",
        "status": 200,
        "statusText": "",
        "headers": {},
        "mimeType": "",
        "charset": "",
        "connectionReused": False,
        "connectionId": 1,
        "encodedDataLength": 1,
        "securityState": "secure",
    }
    told = {"loaderId": "L", "timestamp": 1, "type": "Fetch", "hasExtraInfo": False}
    see(course, "Network.responseReceived", requestId=id_, response=head, **told)


def finish(course: Course, id_: str) -> None:
    see(course, "Network.loadingFinished", requestId=id_, timestamp=1, encodedDataLength=1)


def test_whole_navigation() -> None:
    """A navigation is under way from its request to the end of its loading."""
    course = Course(MAIN)
    for step in (ask, begin, commit):
        step(course)
        assert course.leaving
        assert course.busy
    assert course.arrived
    see(course, "Page.frameStoppedLoading", frameId=MAIN)
    assert not course.busy


def test_end_of_another_load() -> None:
    """The end of what was loading before does not end what was only asked for."""
    course = Course(MAIN)
    ask(course)
    see(course, "Page.frameStoppedLoading", frameId=MAIN)
    assert course.leaving


def test_never_begun() -> None:
    """A navigation that was given up, or only moved within the document, is over."""
    for method, more in (
        ("Page.frameClearedScheduledNavigation", {}),
        ("Page.navigatedWithinDocument", {"url": "x#y", "navigationType": "fragment"}),
    ):
        course = Course(MAIN)
        ask(course)
        see(course, method, frameId=MAIN, **more)
        assert not course.busy


def test_cleared_after_its_begin() -> None:
    """Chrome clears the schedule of a navigation that has begun; it goes on."""
    course = Course(MAIN)
    begin(course)
    see(course, "Page.frameClearedScheduledNavigation", frameId=MAIN)
    assert course.leaving


def test_no_navigation_of_this_page() -> None:
    """What goes to a file, or stays in the document, is none of this page."""
    course = Course(MAIN)
    ask(course, disposition="download")
    begin(course, kind="sameDocument")
    assert not course.busy


@pytest.mark.parametrize("disposition", ["newTab", "newWindow"])
def test_announced(disposition: str) -> None:
    """A tab that a page announces is there when Chrome takes that back; the page stays."""
    course = Course(MAIN)
    ask(course, disposition=disposition, url="http://a.test/there")
    assert course.busy
    assert not course.leaving
    see(course, "Page.frameClearedScheduledNavigation", frameId=MAIN)
    assert not course.busy
    assert course.announced == ["http://a.test/there"]


def test_restored() -> None:
    """A page that Chrome had kept alive is there at once."""
    course = Course(MAIN)
    begin(course)
    commit(course, kind="BackForwardCacheRestore")
    assert course.arrived
    assert not course.busy


def test_frames() -> None:
    """A frame's navigation counts, unless the frame goes; the page itself is not leaving."""
    course = Course(MAIN)
    begin(course, "F")
    assert course.busy
    assert not course.leaving
    see(course, "Page.frameDetached", frameId="F", reason="swap")
    assert course.busy
    see(course, "Page.frameDetached", frameId="F", reason="remove")
    assert not course.busy


def test_download() -> None:
    """A navigation that turns into a download is over, and the download is known."""
    course = Course(MAIN)
    begin(course)
    see(
        course,
        "Page.downloadWillBegin",
        frameId=MAIN,
        guid="g",
        url="x",
        suggestedFilename="report.pdf",
    )
    assert not course.busy
    assert [each.suggested_filename for each in course.downloads] == ["report.pdf"]


def test_requests() -> None:
    """Scripts' requests count while the course is open, and until they are answered."""
    course = Course(MAIN)
    fetch(course, "1")
    fetch(course, "2", "Image")
    course.open = False
    fetch(course, "3")
    assert list(course.requests) == ["1"]
    finish(course, "1")
    assert not course.busy


def test_follow_up() -> None:
    """What is fired upon an answer to the deed's own request belongs to the deed."""
    course = Course(MAIN, open=False)
    course.requests["1"] = 0
    answer(course, "9")
    fetch(course, "2")
    answer(course, "1")
    fetch(course, "3")
    assert list(course.requests) == ["1", "3"]


def test_without_end() -> None:
    """A page that asks again upon each answer is not followed for ever."""
    course = Course(MAIN)
    fetch(course, "0")
    course.open = False
    for number in range(1_000):
        answer(course, str(number))
        fetch(course, str(number + 1))
        finish(course, str(number))
        if not course.busy:
            break
    assert 5 <= number < 50


def test_slow_among_quick() -> None:
    """What follows upon a slow answer is awaited, however much the page has asked meanwhile."""
    course = Course(MAIN)
    fetch(course, "slow")
    fetch(course, "0")
    course.open = False
    for number in range(50):
        answer(course, str(number))
        fetch(course, str(number + 1))
        finish(course, str(number))
    assert list(course.requests) == ["slow"]
    answer(course, "slow")
    fetch(course, "more")
    assert "more" in course.requests


def test_another_page_ends_requests() -> None:
    """Requests of a page that is gone are nobody's."""
    course = Course(MAIN)
    fetch(course, "1")
    commit(course)
    assert course.requests == {}


@pytest.mark.parametrize("how", ["removed", "turned"])
def test_another_frame_ends_its_requests(how: str) -> None:
    """What a frame has asked for ends with its document; what the page asked for does not."""
    course = Course(MAIN)
    fetch(course, "1")
    fetch(course, "2", frame="F")
    see(course, "Page.frameDetached", frameId="F", reason="swap")
    assert [*course.requests] == ["1", "2"]
    if how == "removed":
        see(course, "Page.frameDetached", frameId="F", reason="remove")
    else:
        commit(course, "F")
    assert [*course.requests] == ["1"]


def test_other_programs() -> None:
    """What another program is to open is no navigation; of a frame's the address is not told."""
    course = Course(MAIN)
    for url in ("tel:1", "https://a.example/", "mailto:a@b.example", "web+x:1", "about:blank"):
        ask(course, url=url)
    ask(course, "F", url="zoommtg:secret")
    assert course.programs == ["tel:1", ""]
    assert list(course.navigating) == [MAIN]


def test_what_it_was_kept_from() -> None:
    """A sandboxed frame that Chrome has kept from something is told of once, if that is news."""
    course = Course(MAIN, began=100.0)
    text = "The frame is sandboxed, and 'allow-forms' is not set."
    for moment in (99.0, 100.0, 101.0):
        entry = {"source": "security", "level": "error", "text": text, "timestamp": moment}
        see(course, "Log.entryAdded", entry=entry)
        assert course.kept == (["sending a form (allow-forms)"] if moment >= 100 else [])
    assert not course.busy
