"""What a call means by an element, and errors that say which one."""

from typing import cast

import pytest

from bridge.errors import ChromeError, PageError
from bridge.page.frames import Frame
from bridge.page.target import Target

_TARGET = Target(cast(Frame, None), {"ref": 12}, "e12")


def test_named() -> None:
    """An error about the element names it, keeps its facts, and gets a next step."""
    with pytest.raises(PageError) as met, _TARGET.named():
        raise PageError("NOT_ACTIONABLE", "it is disabled", facts={"navigated": True})
    assert met.value.report().startswith("NOT_ACTIONABLE: e12: it is disabled\nLook at the page")
    assert met.value.facts == {"navigated": True, "target": "e12"}


def test_others_pass() -> None:
    """An error about something else passes as it is."""
    error = ChromeError("TARGET_GONE", "the tab is gone")
    with pytest.raises(ChromeError) as met, _TARGET.named():
        raise error
    assert met.value is error


def test_kinds() -> None:
    """A target is a ref or a selector."""
    assert _TARGET.is_ref
    assert not Target(cast(Frame, None), {"selector": "p"}, "p").is_ref
