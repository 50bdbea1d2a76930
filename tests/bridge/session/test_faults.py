"""What Chrome's failures mean: one error each, with what a caller can do about it."""

import msgspec
import pytest

from bridge import cdp
from bridge.errors import ChromeError, PageError
from bridge.session import faults
from bridge.session.wire import MALFORMED, Fault


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (-32000, "CDP_ERROR"),
        (-32601, "CDP_ERROR"),
        (0, "CDP_ERROR"),
        (-32001, "TARGET_GONE"),
        (-32097, "CDP_ERROR"),
    ],
)
def test_codes(number: int, code: str) -> None:
    """Chrome's numbers become our codes, none of them harmless to repeat blindly."""
    error = faults.from_fault("Page.navigate", Fault(code=number, message="why"))
    assert (error.code, error.retryable) == (code, False)


def test_words_of_chrome() -> None:
    """A refusal carries Chrome's words, or says that there were none; its data is cut."""
    long = msgspec.Raw(b'"' + b"x" * 10_000 + b'"')
    error = faults.from_fault("A.b", Fault(code=5, message="No such node", data=long))
    assert error.message == "Chrome refused A.b: No such node"
    assert len(str(error.facts["cdp_data"])) == 500
    assert "no reason given" in faults.from_fault("A.b", Fault()).message


def test_unknown_outcome() -> None:
    """A broken link says that the command may have happened, and which one it was."""
    fault = Fault(code=-32000, data=msgspec.Raw(b'{"reason":"outcomeUnknown"}'))
    error = faults.from_fault("Page.navigate", fault)
    assert error.facts == {"method": "Page.navigate", "outcome": "unknown"}


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("outcomeUnknown", "EXTENSION_DISCONNECTED"),
        ("attachConflict", "DEVTOOLS_OPEN"),
        ("tooBig", "BACKPRESSURE"),
        ("policy", "POLICY_DENIED"),
        ("paused", "POLICY_DENIED"),
        ("notShared", "TARGET_GONE"),
        ("impossible", "CDP_ERROR"),
    ],
)
def test_reasons_of_the_extension(reason: str, code: str) -> None:
    """What the extension means by a reason becomes our code, in its words where they say more."""
    data = msgspec.json.encode({"reason": reason})
    fault = Fault(code=-32000, message="Ask Ada.", data=msgspec.Raw(data))
    error = faults.from_fault("Page.navigate", fault)
    without = ("outcomeUnknown", "paused", "notShared")
    assert error.code == code
    assert "Page.navigate" in (error.message, error.facts["method"])
    assert ("Ask Ada." in error.message) == (reason not in without)


@pytest.mark.parametrize(
    ("text", "code", "outcome"),
    [
        ("Detached while handling command.", "DETACHED", "unknown"),
        ("Cannot access a chrome-extension:// URL of different extension", "DETACHED", None),
        ("Cannot access a chrome:// URL", "POLICY_DENIED", None),
        ("Cannot access it", "CDP_ERROR", None),
    ],
)
def test_words_to_extensions(text: str, code: str, outcome: str | None) -> None:
    """What Chrome tells extensions has one number; its words tell whose page it is, and what then.

    Only a call that was under way may have happened.
    """
    error = faults.from_fault("Page.navigate", Fault(code=-32000, message=text))
    assert (error.code, error.facts.get("outcome")) == (code, outcome)


def test_malformed() -> None:
    """A reply nobody can read is called that, with what came and an outcome that is unknown."""
    fault = Fault(code=MALFORMED, data=msgspec.Raw(b'"boom"'))
    error = faults.from_fault("Page.navigate", fault)
    assert error.code == "CDP_ERROR"
    assert "the reply to Page.navigate is malformed" in error.message
    assert (error.facts["outcome"], error.facts["cdp_error"]) == ("unknown", '"boom"')


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("", "TARGET_GONE"),
        ("target_closed", "TARGET_GONE"),
        ("Render process gone.", "TARGET_GONE"),
        ("canceled_by_user", "DETACHED"),
        ("replaced_with_devtools", "DETACHED"),
    ],
)
def test_detached(reason: str, code: str) -> None:
    """A tab that was closed is told from one that was taken away, with the reason."""
    error = faults.detached(reason)
    assert error.code == code
    assert code == "TARGET_GONE" or reason in error.message


def test_in_flight() -> None:
    """The end told to a call says which call and that its outcome is unknown; others are not."""
    end = faults.crashed()
    told = faults.in_flight(end, "Page.navigate")
    assert (type(told), told.code) == (PageError, "PAGE_CRASHED")
    assert told.facts == {"method": "Page.navigate", "outcome": "unknown"}
    assert end.facts == {}


@pytest.mark.parametrize(
    "result",
    [b"{}", b"null", b"[]", b'{"frameId":1}', b'{"frameId":"\xff"}', b"", b'{"frameId":'],
)
def test_wrong_shape(result: bytes) -> None:
    """A result of another shape names the command, and keeps what came for a look."""
    with pytest.raises(ChromeError, match=r"Page\.navigate") as caught:
        faults.read(cdp.page.navigate("x"), msgspec.Raw(result))
    assert caught.value.code == "CDP_ERROR"
    assert caught.value.facts == {"method": "Page.navigate", "raw": result}


def test_too_deep() -> None:
    """A tree nested deeper than Python can follow is an error of its reader."""
    tree = b'{"root":' + b'{"nodeId":1,"children":[' * 5_000
    with pytest.raises(ChromeError) as caught:
        faults.read(cdp.dom.get_document(), msgspec.Raw(tree))
    assert caught.value.code == "CDP_ERROR"


def test_too_slow() -> None:
    """A call that got no answer names what holds a page, a person's breakpoint among it."""
    error = faults.too_slow("Runtime.evaluate", "evaluate", 30.0)
    assert error.message == "Chrome did not answer Runtime.evaluate within 30 s"
    for reason in ("busy", "dialog", "developer tools", "'evaluate'"):
        assert reason in error.hint
