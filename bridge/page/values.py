"""Values and errors of scripts: what Chrome's answers about JavaScript mean to us.

Values travel as JSON does, and a little better: NaN, infinities, -0 and BigInt arrive as Python
numbers, undefined as None, unpaired surrogates as U+FFFD. What JSON has no form for (functions,
elements, dates) is an empty object, as Chrome makes it.
"""

import math
from typing import Any

import msgspec

from bridge import cdp
from bridge.errors import BridgeError, ChromeError, PageError
from bridge.page.quoting import cut, quoted

_UNSERIALIZABLE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}
_DIGITS = 4_000  # of a BigInt; Python makes no number of more than 4,300 in base 10
_FEW = 200  # characters that go into a sentence
_LONGEST = 2_000  # characters of an exception's text; a page can make it 100 MB long

# How Chrome 156 says that the document was replaced, before and while a script ran.
NOT_RUN = ("Cannot find context", "Could not find object", "Cannot find object")
_LEFT = (*NOT_RUN, "Execution context was destroyed", "Inspected target navigated or closed")
_NO_FRAME = (
    "No frame for given id",
    "Frame with the given id was not found",
    "Agent needs to be enabled first",  # it came to a new process a moment ago
)
_INSTEAD = {  # how Chrome 156 refuses what consoles take, and what to write
    "SyntaxError: await is only valid": "Put it in a function: (async () => { … })()",
    "SyntaxError: Illegal return statement": "Put it in a function: (() => { … })()",
    "has already been declared": "Put it in a block: { … }",
    "SyntaxError": "Check its quotes and brackets, and any text it parses (JSON, a selector).",
}
_NEXT = "What it did until then has happened: look at the page, mend the script or catch the error."
_NO_VALUE = (
    "Object reference chain is too long",
    "Object couldn't be returned by value",
    "stack limit exceeded",  # some 300 levels deep
)


def in_words_of_the_page(error: ChromeError) -> BridgeError:
    """Refusals that have their reason in the page rather than in Chrome."""
    if error.code != "CDP_ERROR":
        return error
    if any(words in error.message for words in _LEFT):
        return PageError(
            "EVAL_THREW",
            "the page navigated while the script was running",
            hint="Whatever the script did until then has happened; look at the page.",
            facts={"navigated": True},
        )
    if any(words in error.message for words in _NO_FRAME):
        return frame_gone()
    if any(words in error.message for words in _NO_VALUE):
        return _kept("it is cyclic, too deep, or a symbol")
    return error


def value_threw() -> PageError:
    """A script has ended, and its value cannot be taken."""
    return _kept("a part of it throws when it is read")


def _kept(why: str) -> PageError:
    return PageError(
        "EVAL_THREW",
        f"the script's value cannot leave the page: {why}",
        hint="Return plain data, for example JSON.stringify of the part that matters.",
    )


def frame_gone() -> PageError:
    return PageError(
        "SELECTOR_NOT_FOUND",
        "the frame is gone, or has just moved on",
        hint="Look at the page again; frames change when it navigates.",
        facts={"navigated": True},
    )


def check_thrown(thrown: cdp.runtime.ExceptionDetails | None) -> None:
    """EVAL_THREW if a script ended so."""
    if thrown is not None:
        raise _threw(thrown)


def value_of(result: cdp.runtime.RemoteObject) -> Any:
    """The value of a result that was asked for by value."""
    if result.unserializable_value is not None:
        text = result.unserializable_value
        if text.endswith("n"):
            return int(text[:-1]) if len(text) < _DIGITS else text[:-1]
        return _UNSERIALIZABLE[text]
    return None if result.value is msgspec.UNSET else result.value


def _threw(thrown: cdp.runtime.ExceptionDetails) -> PageError:
    text = _describe(thrown.exception) if thrown.exception is not None else thrown.text
    text = cut(text, _LONGEST)
    first = next(iter(text.splitlines()), "")
    return PageError(
        "EVAL_THREW",
        f"the script threw: {quoted(first)}",
        hint=next((hint for words, hint in _INSTEAD.items() if words in first), _NEXT),
        facts={
            "page": first if len(first) > _FEW else "",  # the whole of it
            "line": thrown.line_number,
            "column": thrown.column_number,
            "stack": text,
        },
    )


def _describe(exception: cdp.runtime.RemoteObject) -> str:
    """What was thrown, as a console would show it; anything can be thrown."""
    if exception.description is not None:
        return exception.description
    if exception.value is msgspec.UNSET:
        return exception.unserializable_value or exception.type
    value = exception.value
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
