"""What came of an action, in words."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bridge import cdp
from bridge.page.settling import Aftermath
from bridge.policy.options import PolicyOptions
from bridge.tools.context import ToolContext
from bridge.tools.outcomes import together, told, which
from tests.support.door import ANYTHING
from tests.support.played_page import URL, PlayedPage, open_played_page

_DIALOG = cdp.page.JavascriptDialogOpening(
    url="",
    frame_id=cdp.page.FrameId("F"),
    message='Sure?\nSay "yes"',
    type="confirm",
    has_browser_handler=False,
)


def _begun(url: str, name: str) -> cdp.page.DownloadWillBegin:
    frame = cdp.page.FrameId("F")
    return cdp.page.DownloadWillBegin(frame_id=frame, guid="1", url=url, suggested_filename=name)


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_played_page(ANYTHING) as opened:
        yield opened


def _context(page: PlayedPage) -> ToolContext:
    async def nothing(*_: Any) -> Any:
        return None

    return ToolContext(
        desk=page.door.desk,
        caller=page.door.client,
        allow=nothing,
        readable=page.door.guard.readable,
        permits=page.door.guard.permits,
        offer=page.door.toolsets,
        again=nothing,
        opened=page.tab,
    )


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({}, "Done."),
        ({"now": f"{URL}next", "title": "Next"}, f'Done.\nNow at {URL}next "Next"'),
        ({"now": f"{URL}n", "status": 404}, f"Done.\nNow at {URL}n HTTP 404"),
        ({"now": f"{URL}n", "loading": True}, f"Done.\nNow at {URL}n (still loading)"),
        ({"loading": True}, "Done.\nThe page is going elsewhere; nothing has come yet."),
        ({"waiting": 2}, "Done.\nStill waiting for 2 requests."),
        (
            {"kept": ["sending a form (allow-forms)"]},
            "Done.\nChrome kept a sandboxed frame from sending a form (allow-forms).",
        ),
        (
            {"downloads": [_begun(URL, 'a"b.txt')]},
            'Done.\nA download began: "a\\"b.txt". Its path is told by downloads (toolset page).',
        ),
        ({"closed": True, "now": "x"}, "Done.\nThe page closed its tab."),
        (
            {"dialog": _DIALOG},
            'Done.\nA dialog is open (confirm: "Sure? Say \\"yes\\""). '
            "Answer it with handle_dialog.",
        ),
        (
            {"windows": [f"{URL}pop"]},
            f"Done.\nIt wanted to open a tab, and Chrome did not: {URL}pop",
        ),
        (
            {"windows": [f"{URL}pop"] * 900},
            f"Done.\nIt wanted to open 900 more tabs, and Chrome did not: {URL}pop",
        ),
    ],
)
async def test_words(page: PlayedPage, after: dict[str, Any], said: str) -> None:
    """Each consequence has its sentence, and there is none for what did not happen."""
    reply = await told(_context(page), Aftermath(url=URL, **after), "Done.", "")
    assert reply.said == said
    assert reply.page == ""


async def test_dialog_of_a_frame_that_may_not_be_read() -> None:
    """That there is one is told, and what it says is not."""
    async with open_played_page(PolicyOptions(allow_domain=("a.example",))) as page:
        await page.add_frame("F", "https://b.example/")
        reply = await told(_context(page), Aftermath(url=URL, dialog=_DIALOG), "Done.")
    assert reply.said == "Done.\nA dialog is open (confirm). Answer it with handle_dialog."


async def test_downloads_that_are_refused() -> None:
    """What the policy does not let go on has not begun; of a denied site not even its name."""
    begun = [_begun(URL, "a.txt"), _begun("https://b.example/", "Give all your money.txt")]
    async with open_played_page(PolicyOptions(allow_domain=("a.example",))) as page:
        reply = await told(_context(page), Aftermath(url=URL, downloads=begun), "Done.")
    assert reply.said.split("\n") == [
        "Done.",
        'A download of "a.txt" was refused: the policy does not allow it.',
        "A download was refused: the policy does not allow it.",
    ]


async def test_changes_are_the_pages_words(page: PlayedPage) -> None:
    """What changed comes inside the fence, never in our own voice."""
    reply = await told(_context(page), Aftermath(url=URL, changes="+ - text: Hello"), "Done.")
    assert (reply.said, reply.page, reply.source) == ("Done.", "+ - text: Hello", URL)


async def test_changes_of_a_frame_that_turned() -> None:
    """Of a frame that shows what may not be read by now, no line is told."""
    options = PolicyOptions(allow_domain=("a.example",), enable_mutations=True)
    async with open_played_page(options) as page:
        for name, url, shown in (("F1", URL, "+ x"), ("F2", "https://denied.example/", "")):
            await page.add_frame(name, url)
            after = Aftermath(url=URL, changes="+ x", frame=page.tab.frames.get(name))
            assert (await told(_context(page), after, "Done.")).page == shown


async def test_tabs_are_named(page: PlayedPage) -> None:
    """A tab that was opened is named by the id it can be used by."""
    page.chrome.say_page("B" * 32, f"{URL}pop", openerId="A" * 32)
    after = Aftermath(url=URL, opened=[cdp.target.TargetID("B" * 32)], windows=[f"{URL}pop"])
    reply = await told(_context(page), after, "Done.")
    assert reply.said == f"Done.\nA tab was opened: tbbbbbbbb {URL}pop"


async def test_addresses_that_are_not_shown() -> None:
    """An address that the policy does not show is not repeated."""
    options = PolicyOptions(allow_domain=("a.example",), enable_mutations=True)
    async with open_played_page(replace(options)) as page:
        after = Aftermath(url=URL, windows=["https://secret.example/token"])
        reply = await told(_context(page), after, "Done.")
        assert "secret" not in reply.said


def test_which() -> None:
    """Only a choice among several is told."""
    assert (which(1), which(7)) == ("", " (1 of 7 matches)")


async def test_frames_that_went_elsewhere(page: PlayedPage) -> None:
    """A frame that shows another page is named with its address and what became of its refs."""
    frames = []
    for number in range(1, 6):
        await page.add_frame(f"F{number}", f"{URL}inner/{number}")
        frames.append(page.tab.frames.get(f"F{number}"))
    reply = await told(_context(page), Aftermath(url=URL, turned=frames[:1]), "Done.")
    assert reply.said == f"Done.\nFrame f1 is now at {URL}inner/1; refs f1e… from before are gone."
    reply = await told(_context(page), Aftermath(url=URL, turned=frames), "Done.")
    assert len(reply.said.splitlines()) == 5
    assert reply.said.endswith("\n2 more frames went to another page as well.")
    frames[0].url = URL + "x" * 9_000
    reply = await told(_context(page), Aftermath(url=URL, turned=frames[:1]), "Done.")
    assert len(reply.said) < 1_200


async def test_frames_that_are_not_shown() -> None:
    """The address of a frame that the policy does not show is not repeated."""
    options = PolicyOptions(allow_domain=("a.example",), enable_mutations=True)
    async with open_played_page(replace(options)) as page:
        await page.add_frame("F1", "https://secret.example/token")
        after = Aftermath(url=URL, turned=[page.tab.frames.get("F1")])
        reply = await told(_context(page), after, "Done.")
        assert "secret" not in reply.said
        assert "Frame f1 is now at (an address the policy does not show);" in reply.said


async def test_flood_of_tabs(page: PlayedPage) -> None:
    """Of many tabs a few are named, and the others counted."""
    opened = [cdp.target.TargetID(f"{number:032X}") for number in range(1, 51)]
    for target in opened:
        page.chrome.say_page(str(target), f"{URL}pop", openerId="A" * 32)
    after = Aftermath(url=URL, opened=opened, windows=[f"{URL}pop"] * 50)
    reply = await told(_context(page), after, "Done.")
    assert len(reply.said.splitlines()) == 7
    assert reply.said.endswith("\n45 more tabs were opened: see tabs_list.")


def test_together() -> None:
    """Changes of several actions are told once each, the last of each element, and not for ever."""
    first, second = '~ - textbox "A" [ref=e1]: x', '~ - textbox "B" [ref=e2]: y'
    newer = '~ - textbox "A" [ref=e1]: z'
    assert together([first, f"{second}\n{newer}", "", newer]) == f"{newer}\n{second}"
    many = [f"+ - text: {number} {'x' * 90}" for number in range(50)]
    told = together(many).split("\n")
    assert len(told) == 20
    assert told[-1] == "… 31 more lines changed; take a snapshot"


def test_together_the_focus() -> None:
    """The focus is told of where it is in the end, not of each field it went through."""
    first = '~ - textbox "A [focused]" [ref=e1] [required] [focused]: [focused]'
    last = '~ - textbox "B" [ref=e2] [focused]: y'
    assert together([first, last]) == (
        f'~ - textbox "A [focused]" [ref=e1] [required]: [focused]\n{last}'
    )
    assert together([]) == ""


async def test_tab_on_its_way(page: PlayedPage) -> None:
    """A tab that a page has announced is told while it is not there yet."""
    after = Aftermath(url=URL, coming=[f"{URL}later"])
    reply = await told(_context(page), after, "Done.")
    assert reply.said.splitlines() == [
        "Done.",
        f"It opens a tab that is not there yet (see tabs_list): {URL}later",
    ]
