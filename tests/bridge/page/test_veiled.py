"""What is said of parts that a reading has left out."""

from bridge.page.veiled import veil_note


def test_nothing() -> None:
    """Nothing is said where nothing was left out."""
    assert veil_note([]) == ""


def test_one() -> None:
    """One part is named by its ref."""
    assert veil_note([{"count": 1, "refs": ["e4"]}]).startswith(
        "Left out: 1 part further down (e4), transparent"
    )


def test_several_documents() -> None:
    """Parts of all documents are counted, and the first three named."""
    told = veil_note([{"count": 2, "refs": ["e4", "e5"]}, {"count": 9, "refs": ["f1e1", "f1e2"]}])
    assert told.startswith("Left out: 11 parts further down (e4, e5, f1e1, …), ")
