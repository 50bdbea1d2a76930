"""What Chrome's answers about JavaScript mean."""

import math

import msgspec
import pytest

from bridge import cdp
from bridge.errors import ChromeError, PageError
from bridge.page.values import check_thrown, in_words_of_the_page, value_of


def remote(**fields: object) -> cdp.runtime.RemoteObject:
    """A result as Chrome writes it."""
    return msgspec.convert({"type": "object", **fields}, cdp.runtime.RemoteObject)


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"value": {"a": [1, None]}}, {"a": [1, None]}),
        ({"value": None}, None),
        ({}, None),
        ({"unserializableValue": "-0"}, -0.0),
        ({"unserializableValue": "Infinity"}, math.inf),
        ({"unserializableValue": "123456789012345678901n"}, 123456789012345678901),
        ({"unserializableValue": "9" * 5_000 + "n"}, "9" * 5_000),  # too long for a Python number
    ],
)
def test_values(fields: dict[str, object], value: object) -> None:
    """Values arrive as the Python values they mean."""
    assert value_of(remote(**fields)) == value


def test_thrown() -> None:
    """What a script threw is an error with the first line of it, however long it is."""
    thrown = msgspec.convert(
        {
            "exceptionId": 1,
            "text": "Uncaught",
            "lineNumber": 3,
            "columnNumber": 4,
            "exception": {"type": "object", "description": "Error: first\nsecond" + "x" * 9_999},
        },
        cdp.runtime.ExceptionDetails,
    )
    with pytest.raises(PageError) as error:
        check_thrown(thrown)
    assert error.value.message == 'the script threw: "Error: first"'
    assert error.value.hint.startswith("What it did until then has happened")
    assert error.value.facts["line"] == 3
    stack = str(error.value.facts["stack"])
    assert (len(stack), stack[-2:]) == (2_000, "x…")
    check_thrown(None)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("SyntaxError: Illegal return statement", "Put it in a function: (() => { … })()"),
        ("SyntaxError: Unexpected token '}'", "Check its quotes and brackets"),
        ("SyntaxError: await is only valid in async functions", "Put it in a function: (async"),
        ("SyntaxError: Identifier 'a' has already been declared", "Put it in a block"),
    ],
)
def test_scripts_that_do_not_parse(said: str, hint: str) -> None:
    """Each way of not being a script has a next step."""
    exception = {"type": "object", "description": f"{said}\n    at <anonymous>:1:1"}
    told = {"exceptionId": 1, "text": "Uncaught", "lineNumber": 0, "columnNumber": 0}
    thrown = msgspec.convert({**told, "exception": exception}, cdp.runtime.ExceptionDetails)
    with pytest.raises(PageError) as error:
        check_thrown(thrown)
    assert error.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Execution context was destroyed.", "EVAL_THREW"),
        ("Cannot find context with specified id", "EVAL_THREW"),
        ("No frame for given id found", "SELECTOR_NOT_FOUND"),
        ("Object reference chain is too long", "EVAL_THREW"),
        ("something else", "CDP_ERROR"),
    ],
)
def test_words_of_the_page(message: str, code: str) -> None:
    """A refusal that has its reason in the page is the page's error, any other stays Chrome's."""
    assert in_words_of_the_page(ChromeError("CDP_ERROR", message)).code == code


def test_other_ends_stay() -> None:
    """What is no refusal is not reworded."""
    error = ChromeError("TARGET_GONE", "No frame")
    assert in_words_of_the_page(error) is error
