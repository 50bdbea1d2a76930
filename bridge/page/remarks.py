"""What a page said on its console, made readable from the events that tell of it. Pure.

A remark is text: objects appear as the short preview Chrome sends along, nothing is asked of the
page, and nothing is longer than a reader would want.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from bridge import cdp
from bridge.cdp.base import Event
from bridge.session.events import decode
from bridge.session.wire import Event as WireEvent

Level = Literal["error", "warning", "info", "debug"]
LEVELS: tuple[Level, ...] = ("error", "warning", "info", "debug")

_LONGEST = 2_000  # characters of one remark
_FRAMES = 5  # lines of a stack
_PIECES = 100  # arguments of one call
_OF_CALL: dict[str, Level] = {
    "error": "error",
    "assert": "error",
    "warning": "warning",
    "debug": "debug",
}
_OF_ENTRY: dict[str, Level] = {"error": "error", "warning": "warning", "verbose": "debug"}
_SILENT = ("endGroup", "clear", "profile", "profileEnd")
_PLACEHOLDER = re.compile(r"%[sdifoOc%]")


@dataclass(frozen=True, slots=True)
class Remark:
    """One line of a console, `times` in a row."""

    level: Level
    text: str
    url: str = ""  # of the script, or of what the line is about
    line: int = 0  # from 1; 0 where there is none
    times: int = 1
    own: bool = True  # the page said it, at that address; else the browser says it of the page

    @property
    def where(self) -> str:
        """`address:line`, or ""."""
        return f"{self.url}:{self.line}" if self.url and self.line else self.url


def remark_of(event: WireEvent) -> Remark | None:
    """What this event says; None for one that says nothing, or cannot be read."""
    match decode(event):
        case cdp.runtime.ConsoleAPICalled() as call:
            return None if call.type in _SILENT else _of_call(call)
        case cdp.runtime.ExceptionThrown() as thrown:
            return _of_exception(thrown.exception_details)
        case cdp.log.EntryAdded() as added:
            return _of_entry(added.entry)
        case _:
            return None


def fold(remarks: Iterable[Remark]) -> list[Remark]:
    """Equal ones in a row become one that counts."""
    folded: list[Remark] = []
    for remark in remarks:
        if folded and replace(folded[-1], times=remark.times) == remark:
            folded[-1] = replace(remark, times=folded[-1].times + remark.times)
        else:
            folded.append(remark)
    return folded


SAID_BY: tuple[type[Event], ...] = (cdp.runtime.ConsoleAPICalled, cdp.runtime.ExceptionThrown)
"""The events of what a page says; with `cdp.log.EntryAdded` those that become remarks."""


def _of_call(call: cdp.runtime.ConsoleAPICalled) -> Remark:
    text = _formatted(call.args[:_PIECES])
    if call.type == "assert":
        text = f"Assertion failed: {text}"
    frames = call.stack_trace.call_frames if call.stack_trace is not None else []
    if call.type == "trace":
        text = "\n".join([text, *map(_frame, frames[:_FRAMES])])
    level = _OF_CALL.get(call.type, "info")
    if not frames:
        return Remark(level, _cut(text))
    return Remark(level, _cut(text), frames[0].url, frames[0].line_number + 1)


def _of_exception(details: cdp.runtime.ExceptionDetails) -> Remark:
    thrown = details.exception
    what = _shown(thrown) if thrown is not None else ""
    lines = f"{details.text} {what}".strip().splitlines() or ["Uncaught"]
    frames = details.stack_trace.call_frames if details.stack_trace is not None else []
    url = details.url or (frames[0].url if frames else "")
    return Remark("error", _cut("\n".join(lines[: 1 + _FRAMES])), url, details.line_number + 1)


def _of_entry(entry: cdp.log.LogEntry) -> Remark:
    line = 0 if entry.line_number is None else entry.line_number + 1
    level = _OF_ENTRY.get(entry.level, "info")
    return Remark(level, _cut(entry.text), entry.url or "", line, own=entry.worker_id is not None)


def _formatted(args: list[cdp.runtime.RemoteObject]) -> str:
    """The arguments in one line, placeholders of the first one filled."""
    if not args:
        return ""
    first, rest = args[0], list(args[1:])
    if isinstance(first.value, str) and rest:

        def fill(found: re.Match[str]) -> str:
            if found[0] == "%%":
                return "%"
            if not rest:
                return found[0]
            filling = rest.pop(0)
            return "" if found[0] == "%c" else _shown(filling)

        texts = [_PLACEHOLDER.sub(fill, first.value[: 2 * _LONGEST])]
    else:
        texts = [_shown(first)]
    return " ".join([*texts, *map(_shown, rest)])


def _shown(thing: cdp.runtime.RemoteObject) -> str:
    if thing.subtype in ("error", "node"):
        return thing.description or thing.type
    if thing.preview is not None:
        return _preview(thing.preview)
    if thing.unserializable_value is not None:
        return thing.unserializable_value
    if thing.description is not None and not isinstance(thing.value, str):
        return thing.description
    value = thing.value
    if value is msgspec.UNSET:
        return thing.type
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _preview(preview: cdp.runtime.ObjectPreview) -> str:
    """`{a: 1, b: "x", …}`, one level deep, as Chrome prepares it."""
    more = ["…"] if preview.overflow else []
    if preview.subtype == "array":
        return f"[{', '.join([*map(_value, preview.properties), *more])}]"
    name = "" if preview.description in (None, "Object") else f"{preview.description} "
    if preview.entries is not None:
        pairs = [
            f"{_preview(each.key)} => {_preview(each.value)}" if each.key else _preview(each.value)
            for each in preview.entries
        ]
    elif preview.type == "object" and preview.subtype in (None, "map", "set", "typedarray"):
        pairs = [f"{each.name}: {_value(each)}" for each in preview.properties]
    else:
        return preview.description or preview.type
    return f"{name}{{{', '.join([*pairs, *more])}}}"


def _value(property_: cdp.runtime.PropertyPreview) -> str:
    if property_.type == "string":
        return f'"{property_.value or ""}"'
    return property_.value or property_.type


def _frame(frame: cdp.runtime.CallFrame) -> str:
    name = frame.function_name or "(anonymous)"
    return f"    at {name} ({frame.url}:{frame.line_number + 1}:{frame.column_number + 1})"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
