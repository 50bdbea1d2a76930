"""By which address a page without one of its own is judged."""

from typing import Any, cast

from bridge import cdp
from bridge.browser.heritage import UNKNOWN, Heritage
from bridge.browser.targets import Targets
from bridge.session.session import Session

_BLANK = "about:blank"
_FIRST, _POPUP, _NEXT = (cdp.target.TargetID(name * 32) for name in "123")


class Root:
    """Chrome's news, told by hand, to all who listen."""

    def __init__(self) -> None:
        self._listening: list[tuple[type, Any]] = []
        root = cast(Session, self)
        self.targets = Targets(root)
        self.heritage = Heritage(root, self.targets, {})

    def mirror(self, kind: type, apply: Any) -> None:
        self._listening.append((kind, apply))

    def _tell(self, event: object) -> None:
        for kind, apply in self._listening:
            if isinstance(event, kind):
                apply(event)

    def opens(self, target: str, url: str, opener: str | None = None) -> None:
        self._tell(cdp.target.TargetCreated(target_info=_info(target, url, opener)))

    def goes(self, target: str, url: str, opener: str | None = None) -> None:
        self._tell(cdp.target.TargetInfoChanged(target_info=_info(target, url, opener)))

    def closes(self, target: cdp.target.TargetID) -> None:
        self._tell(cdp.target.TargetDestroyed(target_id=target))

    def place(self, target: cdp.target.TargetID) -> str:
        page = self.targets.page(target)
        assert page is not None
        return self.heritage.place(target, page.url)


def _info(target: str, url: str, opener: str | None) -> cdp.target.TargetInfo:
    return cdp.target.TargetInfo(
        target_id=cdp.target.TargetID(target),
        type="page",
        title="",
        url=url,
        attached=False,
        opener_id=None if opener is None else cdp.target.TargetID(opener),
        can_access_opener=opener is not None,
    )


def test_of_its_opener() -> None:
    """A blank page is its opener's, as it was then; one that has an address is its own."""
    root = Root()
    root.opens(_FIRST, "https://a.test/")
    root.opens(_POPUP, _BLANK, _FIRST)
    root.opens(_NEXT, "", _POPUP)
    assert root.place(_POPUP) == root.place(_NEXT) == "https://a.test/"
    root.goes(_FIRST, "https://b.test/")
    root.closes(_FIRST)
    assert root.place(_POPUP) == "https://a.test/"
    root.goes(_POPUP, "https://c.test/", _FIRST)
    assert root.place(_POPUP) == "https://c.test/"


def test_of_nobody() -> None:
    """A blank page that nobody has opened stays what it is."""
    root = Root()
    root.opens(_FIRST, _BLANK)
    assert root.place(_FIRST) == _BLANK


def test_opener_told_of_later() -> None:
    """Pages that were there come in any order; of an opener that has gone nothing is known."""
    root = Root()
    root.opens(_POPUP, _BLANK, _FIRST)
    assert root.place(_POPUP) == UNKNOWN
    root.opens(_FIRST, "https://a.test/")
    assert root.place(_POPUP) == "https://a.test/"


def test_openers_of_each_other() -> None:
    """Blank pages that have been made to open each other are nobody's whom one could ask about."""
    root = Root()
    root.opens(_POPUP, _BLANK, _NEXT)
    root.opens(_NEXT, _BLANK, _POPUP)
    assert root.place(_POPUP) == UNKNOWN
