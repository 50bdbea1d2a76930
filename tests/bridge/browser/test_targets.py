"""Tab ids: whom they mean, and that they never mean anybody else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import cdp
from bridge.browser.targets import Targets, is_listed
from bridge.errors import UsageError

_IDS = st.text("0123456789ABCDEF", min_size=2, max_size=2).map(lambda pair: pair * 8 + "0" * 16)


class Root:
    """Keeps the mirrors, to be called by hand."""

    def __init__(self) -> None:
        self.tell: dict[type, object] = {}

    def mirror(self, kind: type, apply: object) -> None:
        self.tell[kind] = apply


def info(target: str, url: str = "https://example.com/", **more: object) -> cdp.target.TargetInfo:
    fields: dict[str, object] = {"type": "page", "title": "", "attached": False, **more}
    return cdp.target.TargetInfo(
        target_id=cdp.target.TargetID(target),
        url=url,
        can_access_opener=False,
        **fields,  # type: ignore[arg-type]
    )


def make() -> tuple[Targets, Root]:
    root = Root()
    return Targets(root), root  # type: ignore[arg-type]


def created(root: Root, target: cdp.target.TargetInfo) -> None:
    root.tell[cdp.target.TargetCreated](cdp.target.TargetCreated(target_info=target))  # type: ignore[operator]


def changed(root: Root, target: cdp.target.TargetInfo) -> None:
    event = cdp.target.TargetInfoChanged(target_info=target)
    root.tell[cdp.target.TargetInfoChanged](event)  # type: ignore[operator]


def destroyed(root: Root, target: str) -> None:
    event = cdp.target.TargetDestroyed(target_id=cdp.target.TargetID(target))
    root.tell[cdp.target.TargetDestroyed](event)  # type: ignore[operator]


def test_same_id_in_every_process() -> None:
    """The id is made of the target alone."""
    ids = {make()[0].tab_id(cdp.target.TargetID("1A2B3C4D" + "F" * 24)) for _ in range(2)}
    assert ids == {"t1a2b3c4d"}


def test_two_that_begin_alike() -> None:
    """A target that begins like another one has a longer id; the first keeps its own for good."""
    targets, root = make()
    first, second, third = ("1A2B3C4D" + c * 24 for c in "012")
    created(root, info(first))
    created(root, info(second))
    assert targets.target_id("t1a2b3c4d") == first
    longer = targets.tab_id(cdp.target.TargetID(second))
    assert targets.target_id(longer) == second
    destroyed(root, first)
    created(root, info(third))
    with pytest.raises(UsageError, match="was closed"):
        targets.target_id("t1a2b3c4d")
    assert targets.target_id(targets.tab_id(cdp.target.TargetID(third))) == third


def found(targets: Targets, name: str) -> str:
    """The target, or the code of the refusal."""
    try:
        return targets.target_id(name)
    except UsageError as error:
        return error.code


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.booleans(), _IDS), max_size=40))
def test_an_id_never_changes_hands(steps: list[tuple[bool, str]]) -> None:
    """Whatever is opened and closed, an id given out once means that target or none."""
    targets, root = make()
    given_out: dict[str, str] = {}
    for opens, target in steps:
        if opens:
            created(root, info(target))
            name = targets.tab_id(cdp.target.TargetID(target))
            assert given_out.setdefault(name, target) == target
        else:
            destroyed(root, target)
        for name, meant in given_out.items():
            assert found(targets, name) in (meant, "STALE_TAB")


@pytest.mark.parametrize("name", ["", "t", "5", "t123", "T1A2B3C4D", "t1a2b3c4g", "t1a2b3c4d0"])
def test_malformed(name: str) -> None:
    """What is no id at all is told apart from a tab that is gone."""
    with pytest.raises(UsageError) as refused:
        make()[0].target_id(name)
    assert refused.value.code == "TAB_NOT_FOUND"


def test_unknown() -> None:
    """An id of another browser is stale, with the advice to list again."""
    with pytest.raises(UsageError) as stale:
        make()[0].target_id("t1a2b3c4d")
    assert stale.value.code == "STALE_TAB"
    assert "List the tabs again" in stale.value.hint


def test_what_is_no_page() -> None:
    """Frames, workers and pages prepared in advance are no pages, until they are shown."""
    targets, root = make()
    for number, more in enumerate(({"type": "iframe"}, {"type": "worker"}, {"subtype": "x"})):
        created(root, info(str(number) * 32, **more))
    assert targets.pages() == []
    changed(root, info("2" * 32))
    assert [page.target_id for page in targets.pages()] == ["2" * 32]


@pytest.mark.parametrize(
    ("url", "listed"),
    [
        ("http://a/", True),
        ("https://a/", True),
        ("file:///a", True),
        ("about:blank", False),
        ("", False),
        ("chrome://newtab/", False),
        ("devtools://devtools/", False),
        ("chrome-extension://abc/", False),
    ],
)
def test_listed(url: str, listed: bool) -> None:
    """Of others' pages only those are listed that hold something to read."""
    assert is_listed(info("A" * 32, url)) is listed


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids of closed tabs are remembered, but not without end."""
    monkeypatch.setattr("bridge.browser.targets._REMEMBERED", 10)
    targets, root = make()
    created(root, info("F" * 32))
    for number in range(50):
        created(root, info(f"{number:032x}"[::-1]))
        destroyed(root, f"{number:032x}"[::-1])
    assert len(targets._named) <= 12
    assert targets.target_id("tffffffff") == "F" * 32
