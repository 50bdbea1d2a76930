"""What is said of dialogs."""

import pytest

from bridge import cdp
from bridge.errors import PageError
from bridge.page.leaving import Dismissed
from bridge.tools.dialogs import dismissed, in_the_way

ANYWHERE = lambda url: True  # noqa: E731
NOWHERE = lambda url: False  # noqa: E731


@pytest.mark.parametrize(
    ("facts", "way_out"),
    [
        ({"type": "alert"}, "handle_dialog (action: accept or dismiss), then go on."),
        ({"type": "alert", "leaves": True}, "or navigate: that dismisses"),
        ({"type": "beforeunload", "leaves": False}, "action accept leaves the page"),
    ],
)
def test_way_out(facts: dict[str, object], way_out: str) -> None:
    """The tool to answer with is named, with its argument, and what else leads on."""
    failure = PageError("DIALOG_OPEN", "it waits", facts={**facts, "message": "Sure?", "url": ""})
    first, hint, words = in_the_way(failure, ANYWHERE).split("\n")
    assert first == "DIALOG_OPEN: it waits"
    assert way_out in hint
    assert words == 'The dialog says: "Sure?"'
    assert "Sure" not in in_the_way(failure, NOWHERE)


def test_dismissed() -> None:
    """How many there were, and in one line of quotes what the last one said."""
    last = cdp.page.JavascriptDialogOpening(
        url="",
        frame_id=cdp.page.FrameId("F"),
        message='a\n"b"',
        type="alert",
        has_browser_handler=False,
    )
    assert dismissed(Dismissed(), ANYWHERE) == ""
    one = dismissed(Dismissed(1, last), ANYWHERE)
    assert one == 'Note: 1 dialog of the page was dismissed; it said "a \\"b\\"".'
    assert dismissed(Dismissed(400, last), NOWHERE) == "Note: 400 dialogs were dismissed."
