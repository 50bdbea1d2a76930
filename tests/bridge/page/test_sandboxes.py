"""What Chrome says on the console alone of what it has kept a page from."""

import pytest

from bridge import cdp
from bridge.page.sandboxes import kept_from


def _entry(text: str) -> cdp.log.LogEntry:
    return cdp.log.LogEntry(
        source="security", level="error", text=text, timestamp=cdp.runtime.Timestamp(1)
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Blocked form submission to '/t' because the form's frame is sandboxed and the"
            " 'allow-forms' permission is not set.",
            "sending a form (allow-forms)",
        ),
        (
            "Blocked opening 'http://a.example/' in a new window because the request was made in a"
            " sandboxed frame whose 'allow-popups' permission is not set.",
            "opening a tab (allow-popups)",
        ),
        (
            "Ignored call to 'alert()'. The document is sandboxed, and the 'allow-modals' keyword"
            " is not set.",
            "opening a dialog (allow-modals)",
        ),
        (
            "Unsafe attempt to initiate navigation. The frame attempting navigation of the"
            " top-level window is sandboxed, but the flag of 'allow-top-navigation' or"
            " 'allow-top-navigation-by-user-activation' is not set.\n",
            "taking the whole page elsewhere (allow-top-navigation)",
        ),
        (
            "Download is disallowed. The frame initiating or instantiating the download is"
            " sandboxed, but the flag \u2018allow-downloads\u2019 is not set.",
            "downloading (allow-downloads)",
        ),
        ("It is sandboxed: 'allow-nonsense' is missing", ""),
        ("Failed to load resource", ""),
        ("", ""),
    ],
)
def test_kept_from(text: str, kept: str) -> None:
    """The sentences of Chrome 156 about sandboxed frames are understood, and no others."""
    assert kept_from(_entry(text)) == kept
