"""Console events as a reader wants them."""

import json
from typing import Any

import msgspec
import pytest

from bridge.page.remarks import Remark, fold, remark_of
from bridge.session.wire import Event

_AT = {"functionName": "act", "scriptId": "1", "url": "http://a.test/a.js"}
_STACK = {"callFrames": [{**_AT, "lineNumber": 4, "columnNumber": 2}]}


def _event(method: str, params: Any) -> Event:
    return Event(method, msgspec.Raw(json.dumps(params).encode()))


def _call(*args: Any, kind: str = "log", **more: Any) -> Remark | None:
    params = {"type": kind, "args": list(args), "executionContextId": 1, "timestamp": 1.0, **more}
    return remark_of(_event("Runtime.consoleAPICalled", params))


def _text(*args: Any, kind: str = "log") -> str:
    remark = _call(*args, kind=kind)
    assert remark is not None
    return remark.text


def _string(value: str) -> dict[str, str]:
    return {"type": "string", "value": value}


def _object(preview: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = {"type": "object", "description": "Object", "overflow": False, **preview}
    return {"type": "object", "description": "Object", "preview": told, **more}


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        ("log", "info"),
        ("debug", "debug"),
        ("warning", "warning"),
        ("error", "error"),
        ("assert", "error"),
        ("table", "info"),
        ("somethingNew", "info"),
    ],
)
def test_levels(kind: str, level: str) -> None:
    """Every method of the console has one of four levels, unknown ones the usual."""
    remark = _call(_string("x"), kind=kind)
    assert remark is not None
    assert remark.level == level


def test_where() -> None:
    """A remark names the line that made it, counted from one."""
    remark = _call(_string("x"), stackTrace=_STACK)
    assert remark == Remark("info", "x", "http://a.test/a.js", 5)
    assert remark.where == "http://a.test/a.js:5"


def test_silent() -> None:
    """The end of a group, and a clearing, say nothing."""
    assert _call(kind="endGroup") is None
    assert _call(_string("console.clear"), kind="clear") is None


@pytest.mark.parametrize(
    ("first", "rest", "shown"),
    [
        ("%s is %d", [_string("a"), {"type": "number", "value": 7}], "a is 7"),
        ("%cred", [_string("color: red")], "red"),
        ("100%% of %s", [_string("it")], "100% of it"),
        ("%s %s", [_string("one")], "one %s"),
        ("%s", [], "%s"),
        ("a", [_string("b")], "a b"),
    ],
)
def test_placeholders(first: str, rest: list[Any], shown: str) -> None:
    """Placeholders of the first argument are filled as a console fills them."""
    assert _text(_string(first), *rest) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"type": "undefined"}, "undefined"),
        ({"type": "object", "subtype": "null", "value": None}, "null"),
        ({"type": "boolean", "value": True}, "true"),
        ({"type": "number", "unserializableValue": "-0", "description": "-0"}, "-0"),
        ({"type": "bigint", "unserializableValue": "10n", "description": "10n"}, "10n"),
        ({"type": "symbol", "description": "Symbol(mark)"}, "Symbol(mark)"),
        ({"type": "object", "subtype": "error", "description": "Error: x"}, "Error: x"),
        ({"type": "object", "subtype": "node", "description": "body"}, "body"),
    ],
)
def test_values(value: dict[str, Any], shown: str) -> None:
    """Values look as in a console."""
    assert _text(value) == shown


def test_previews() -> None:
    """Objects show what Chrome sends of them, and that there is more."""
    inner = {"name": "a", "type": "object", "value": "Object"}
    text = {"name": "t", "type": "string", "value": "x"}
    assert _text(_object({"properties": [inner, text]})) == '{a: Object, t: "x"}'
    assert _text(_object({"properties": [text], "overflow": True})) == '{t: "x", …}'
    array = {"subtype": "array", "description": "Array(1)", "properties": [text]}
    assert _text(_object(array)) == '["x"]'
    key = {"type": "string", "description": "k", "overflow": False, "properties": []}
    pairs = {"subtype": "map", "description": "Map(1)", "properties": []}
    assert _text(_object({**pairs, "entries": [{"key": key, "value": key}]})) == "Map(1) {k => k}"


def test_trace_and_assertion() -> None:
    """A trace shows where it came from; an assertion that it failed."""
    remark = _call(_string("here"), kind="trace", stackTrace=_STACK)
    assert remark is not None
    assert remark.text == "here\n    at act (http://a.test/a.js:5:3)"
    assert _text(_string("x"), kind="assert") == "Assertion failed: x"


def test_exception() -> None:
    """An uncaught exception is an error with the top of its stack."""
    stack = "\n".join(["TypeError: no", *(f"    at f{n} (a.js:{n})" for n in range(40))])
    details = {
        "exceptionId": 1,
        "text": "Uncaught",
        "lineNumber": 9,
        "columnNumber": 1,
        "url": "http://a.test/",
        "exception": {"type": "object", "subtype": "error", "description": stack},
    }
    told = {"timestamp": 1.0, "exceptionDetails": details}
    remark = remark_of(_event("Runtime.exceptionThrown", told))
    assert remark is not None
    assert (remark.level, remark.where) == ("error", "http://a.test/:10")
    assert remark.text.splitlines()[0] == "Uncaught TypeError: no"
    assert len(remark.text.splitlines()) == 6


def test_entry() -> None:
    """What the browser itself says of a page is a remark about an address."""
    entry = {"source": "network", "level": "error", "text": "Failed", "timestamp": 1.0}
    remark = remark_of(_event("Log.entryAdded", {"entry": {**entry, "url": "http://a.test/x"}}))
    assert remark == Remark("error", "Failed", "http://a.test/x", own=False)


def test_worker() -> None:
    """What a worker says comes as an entry too, and is the page's own word."""
    entry = {"source": "worker", "level": "info", "text": "1", "timestamp": 1.0, "workerId": "W"}
    remark = remark_of(_event("Log.entryAdded", {"entry": entry}))
    assert remark == Remark("info", "1")


def test_unreadable() -> None:
    """An event of another shape says nothing, and hurts nobody."""
    assert remark_of(_event("Runtime.consoleAPICalled", {"type": 5})) is None
    assert remark_of(_event("Runtime.consoleAPICalled", [])) is None


def test_long_text_is_cut() -> None:
    """A remark has an end, and says how long it was."""
    text = _text(_string("x" * 1_000_000))
    assert len(text) < 2_100
    assert text.endswith("(1000000 characters)")


def test_fold() -> None:
    """Equal remarks in a row become one with a count; others in between keep them apart."""
    same, other = Remark("info", "a"), Remark("error", "a")
    folded = fold([same, same, other, same])
    assert [(remark.level, remark.times) for remark in folded] == [
        ("info", 2),
        ("error", 1),
        ("info", 1),
    ]
