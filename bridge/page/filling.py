"""Fills in several fields, each in the way its kind wants, and says of each what came of it.

All of them have to be there before the first is touched. What a page makes of one field may change
the next (a list that depends on another), so they are filled in one after the other, and what each
sets going is awaited.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import trio

from bridge.errors import BridgeError, PageError
from bridge.page.actions import Actions
from bridge.page.fields import Fields
from bridge.page.focus import Leave
from bridge.page.frames import Frame, Frames
from bridge.page.internals import Internals
from bridge.page.pointing import Pointing
from bridge.page.quoting import cut, quoted
from bridge.page.settling import Aftermath
from bridge.page.target import Target
from bridge.page.worlds import Worlds

Value = str | bool | float | list[str]

_WANTS = {
    "text": "it takes text: give that",
    "select": "it takes options: give a value or label, or a list of them",
    "choice": "it is a group of radio buttons: give the name of one",
}
_MIXED = "mixed"  # a box that is ticked in part
BY_KEYS = "Try type with keyEvents: some pages take keys only."
_LONGEST = 2_000  # characters of an error about several fields
_EXACT = 2**53  # whole numbers beyond are rounded on their way here
_STOPPING = ("DIALOG_OPEN", "PAGE_CRASHED", "TARGET_GONE", "TIMEOUT")  # no field can follow


@dataclass(frozen=True, slots=True)
class Filled:
    """One field: what happened, or why it was not filled in (`problem`)."""

    name: str
    after: Aftermath | None = None
    problem: str = ""
    remark: str = ""  # it holds the text in a form of its own
    hint: str = ""  # what may help


class Filling:
    """Of one tab."""

    def __init__(
        self,
        frames: Frames,
        worlds: Worlds,
        pointing: Pointing,
        fields: Fields,
        actions: Actions,
    ) -> None:
        self._frames = frames
        self._worlds = worlds
        self._internals = Internals(worlds)
        self._pointing = pointing
        self._fields = fields
        self._actions = actions

    async def called(
        self, names: list[str], others: Sequence[Frame] = ()
    ) -> dict[str, Target | None]:
        """The fields that a person would call so; None for what is a selector.

        `others` are frames where to look for what the page itself does not have.
        """
        main = self._frames.main
        found = await self._called_in(others, names) if others else {}
        until = trio.current_time() + main.session.connection.timeouts.action
        wish = {"ms": self._pointing.left(until)}
        rest = [name for name in names if name not in found]
        numbers = await self._worlds.call(main, "fieldsCalled", rest, wish) if rest else []
        for name, number in zip(rest, numbers, strict=True):
            found[name] = None if number is None else _field(main, number, name)
        return found

    async def _called_in(
        self, others: Sequence[Frame], names: list[str]
    ) -> dict[str, Target | None]:
        here = await self._worlds.call(self._frames.main, "fieldsCalledHere", names)
        missing = [name for name, number in zip(names, here, strict=True) if number is None]
        found: dict[str, Target | None] = {}
        for frame in others:
            wanted = [name for name in missing if name not in found]
            if not wanted:
                break
            try:
                numbers = await self._worlds.call(
                    frame, "fieldsCalledHere", wanted, timeout="probe"
                )
            except BridgeError as error:
                if error.code == "BAD_ARGS":
                    raise
                continue  # gone, or busy: the others are not
            there = zip(wanted, numbers, strict=True)
            for name, number in there:
                if number is not None:  # 0 for a selector
                    found[name] = _field(frame, number, name) if number else None
        return found

    async def fill(
        self, wanted: list[tuple[Target, Value]], *, leave: Leave | None = None
    ) -> list[Filled]:
        """Fill in all; if one is not there, SELECTOR_NOT_FOUND names it and none is touched."""
        kinds = await self._kinds([target for target, _ in wanted])
        filled: list[Filled] = []
        for (target, value), kind in zip(wanted, kinds, strict=True):
            try:
                filled.append(await self._fill(target, value, kind, leave))
            except BridgeError as error:
                if error.code in _STOPPING:
                    error.facts["filled"] = [each.name for each in filled if not each.problem]
                    raise
                filled.append(
                    Filled(target.name, problem=error.message.removeprefix(f"{target.name}: "))
                )
            if filled[-1].after is not None and filled[-1].after.dialog is not None:
                break  # the page waits for an answer
        return filled

    async def _kinds(self, targets: list[Target]) -> list[str]:
        until = trio.current_time() + self._frames.main.session.connection.timeouts.action
        kinds: list[str] = []
        missing: list[BridgeError] = []
        for target in targets:
            try:
                kinds.append(await self._kind(target, until))
            except BridgeError as error:
                if error.code not in ("SELECTOR_NOT_FOUND", "REF_EXPIRED"):
                    raise
                missing.append(error)
        if len(missing) == 1:
            raise missing[0]
        if missing:
            raise PageError(
                "SELECTOR_NOT_FOUND",
                cut("; ".join(error.message for error in missing), _LONGEST),
                hint="Nothing was filled in. Look at the page again.",
            )
        return kinds

    async def _kind(self, target: Target, until: float) -> str:
        wish = {"ms": self._pointing.left(until)}
        with target.named():
            kind = await self._worlds.call(target.frame, "fieldKind", target.wanted, wish)
            if kind == "unasked":
                await self._internals.hear_of(target)
                wish = {"ms": self._pointing.left(until), "isAsked": True}
                kind = await self._worlds.call(target.frame, "fieldKind", target.wanted, wish)
        return str(kind)

    async def _fill(self, target: Target, value: Value, kind: str, leave: Leave | None) -> Filled:
        match kind, value:
            case (("tick" | "radio"), bool()):
                return await self._tick(target, value, kind, leave)
            case (("tick" | "radio"), "true" | "false"):
                return await self._tick(target, value == "true", kind, leave)
            case (("tick" | "radio"), _):
                return Filled(target.name, problem="it is ticked or not: give true or false")
            case "choice", str():
                return await self._pick(target, value, leave)
            case "select", str():
                return _chosen(target, await self._fields.choose(target, [value]))
            case "select", list():
                return _chosen(target, await self._fields.choose(target, value))
            case "text", str() | float() | int() if not isinstance(value, bool):
                text = value if isinstance(value, str) else _written(value)
                if not text:
                    return Filled(
                        target.name, problem="a number as long is not exact: give it as text"
                    )
                typed = await self._fields.type(target, text, clear=True, leave=leave)
                return _typed(target, typed)
            case "none", _:
                problem = await self._worlds.call(target.frame, "noField", target.wanted)
                return Filled(target.name, problem=problem)
            case _:
                return Filled(target.name, problem=_WANTS[kind])

    async def _tick(self, target: Target, value: bool, kind: str, leave: Leave | None) -> Filled:
        ticked = await self._worlds.call(target.frame, "isTicked", target.wanted)
        is_asked = ticked is None
        if is_asked:
            ticked = await self._ticked(target)
        if ticked == value:
            return Filled(target.name)
        if kind == "radio" and not value:
            return Filled(target.name, problem="a radio button is unticked by ticking another")
        # From mixed a click leads to either, and one more to the other.
        for _ in range(2 if ticked == _MIXED else 1):
            after = await self._actions.click(target, admit=leave.admit if leave else None)
            if not after.told:
                return Filled(target.name, after)
            kept = await self._ticked(target) if is_asked else after.told.get("checked")
            if kept is value:
                return Filled(target.name, after)
        return Filled(target.name, after, "it was clicked, and the page did not keep that")

    async def _pick(self, target: Target, value: str, leave: Leave | None) -> Filled:
        number = await self._worlds.call(target.frame, "radioCalled", target.wanted, value)
        if number is None:
            return Filled(target.name, problem=f"not one of its radio buttons is {quoted(value)}")
        radio = Target(target.frame, {"ref": number}, target.name)
        return await self._tick(radio, True, "radio", leave)

    async def _ticked(self, target: Target) -> bool | str:
        """Of what only Chrome knows."""
        await self._internals.hear_of(target)
        ticked: bool | str = await self._worlds.call(target.frame, "isTicked", target.wanted, True)
        return ticked


def _written(number: float) -> str:
    """As a person writes it: of a whole one each digit; "" if those are unsure, or without end."""
    if not abs(number) <= _EXACT:
        return ""
    return str(int(number)) if number == int(number) else f"{number:.15g}"


def _typed(target: Target, after: Aftermath) -> Filled:
    facts = after.told
    if not facts or facts["exact"] or not facts["there"]:
        return Filled(target.name, after)
    held = "something else" if facts["value"] is None else quoted(facts["value"])
    form = f" (wants the form {facts['form']})" if facts.get("form") else ""
    holds = f"it holds {held}{form}"
    if facts.get("shaped"):
        return Filled(target.name, after, remark=holds)
    if facts.get("unchanged"):
        holds = f"it did not take the text and holds {held}{form}"
    return Filled(target.name, after, holds, hint="" if form else BY_KEYS)


def _chosen(target: Target, after: Aftermath) -> Filled:
    kept = not after.told or after.told["kept"]
    return Filled(target.name, after, "" if kept else "the page did not keep the choice")


def _field(frame: Frame, number: int, name: str) -> Target:
    return Target(frame, {"ref": number}, f"field {name[:200]!r}")
