"""What a person does with a keyboard: type into fields, press keys, choose options.

Text is inserted in one go, as by pasting: one trusted `input` event, whatever the page's framework.
A line break in a field of one line becomes what Chrome makes of it when pasting (nothing is ever
submitted by it); with `key_events` it is the Enter key, as on a keyboard. The Enter key that is to
follow a text is not pressed where the field refused that. A code that is longer than its field is
typed key by key, for pages that lead on to a field for the next digit. Values that have a picker
instead of a caret (dates, times, colours, ranges) are set, and the page is told.
"""

from dataclasses import dataclass
from typing import Any

import trio

from bridge import cdp
from bridge.cdp.base import Command
from bridge.errors import BridgeError, PageError
from bridge.page.activity import Recording
from bridge.page.focus import Focus, Leave
from bridge.page.frames import Frame, Frames
from bridge.page.internals import Internals
from bridge.page.keyboard import strokes, writing
from bridge.page.keys import Stroke, parse_key
from bridge.page.pointing import Pointing
from bridge.page.settling import Aftermath, Settling, Told, not_actionable
from bridge.page.target import Target
from bridge.page.worlds import Worlds

_BATCH = 200  # key events sent before the first answers are awaited
_ONE = 2  # those of one key
_ENTER = parse_key("Enter")
_GOING = {"all": "a", "end": "End"}  # with Control, or Command on a Mac
_ERASE = parse_key("Delete")
_BACK = parse_key("ArrowLeft")  # to the part before, whichever way the page is written
_PARTS = 7  # a date and a time have at most so many before the last


@dataclass(frozen=True, slots=True)
class _Typing:
    text: str
    clear: bool
    enter: bool
    keys: bool
    leave: Leave | None


class Fields:
    """Of one tab."""

    def __init__(
        self, frames: Frames, worlds: Worlds, pointing: Pointing, settling: Settling
    ) -> None:
        self._frames = frames
        self._worlds = worlds
        self._internals = Internals(worlds)
        self._pointing = pointing
        self._focus = Focus(frames, worlds, pointing)
        self._settling = settling

    async def type(
        self,
        target: Target | None,
        text: str,
        *,
        clear: bool = False,
        enter: bool = False,
        key_events: bool = False,
        leave: Leave | None = None,
    ) -> Aftermath:
        """Type into a field, or into what has the focus; `told` says what it holds then."""
        until = self._until()
        frame = target.frame if target is not None else await self._focus.frame(leave)

        how = _Typing(text, clear, enter, key_events, leave)

        async def deed(seen: Recording) -> Told:
            if enter or key_events:
                await self._settling.catch_choosers(frame)
            told = await self._enter(frame, seen, target, how, until)
            if told.get("missed") and told["instead"] and not key_events:
                instead = Target(frame, {"ref": told["instead"]}, _name(target))
                again = await self._enter(frame, seen, instead, how, until)
                told = again | {"matches": told["matches"]}
            if told.get("missed"):
                raise _missed(target, keys=key_events)
            if enter and not is_refused(told):
                await self._deliver(frame, seen, leave, *strokes(_ENTER))
                told |= await self._worlds.call(frame, "entered")
            return told

        return await self._settling.after(frame, deed)

    async def press(
        self, target: Target | None, stroke: Stroke, *, leave: Leave | None = None
    ) -> Aftermath:
        """Press a key, in an element or in what has the focus."""
        until = self._until()
        frame = target.frame if target is not None else await self._focus.frame(leave)

        async def deed(seen: Recording) -> Told:
            await self._settling.catch_choosers(frame)
            matches = 1
            if target is not None:
                with target.named():
                    ready = {"ms": self._pointing.left(until)}
                    matches = await self._worlds.call(
                        frame, "focus", target.wanted, ready, acting=True
                    )
            else:
                await self._worlds.call(frame, "watch")
            await self._deliver(frame, seen, leave, *strokes(stroke))
            told: Told = await self._worlds.call(frame, "keyed")
            await self._internals.tell_news(frame, told)
            return {**told, "matches": matches}

        return await self._settling.after(frame, deed)

    async def choose(self, target: Target, values: list[str]) -> Aftermath:
        """Select options of a list, by value or label; all others are deselected."""
        until = self._until()

        async def deed(seen: Recording) -> Told:
            with target.named():
                options = {"ms": self._pointing.left(until)}
                told: Told = await self._worlds.call(
                    target.frame, "pickOptions", target.wanted, values, options, acting=True
                )
            told |= await self._act(target.frame, seen, "chooseOptions")
            return {
                **told,
                **await self._worlds.call(target.frame, "changes"),
            }

        return await self._settling.after(target.frame, deed)

    async def _enter(
        self, frame: Frame, seen: Recording, target: Target | None, how: _Typing, until: float
    ) -> Told:
        """Bring the text into the field; `missed` if the page had taken that away by then."""
        options: dict[str, object] = {
            "ms": self._pointing.left(until),
            "clear": how.clear,
            "keys": how.keys,
            "text": how.text,
        }
        field = await self._ready(frame, target, options)
        seen.delivered = True
        await self._write(frame, seen, field, how)
        told = await self._held(frame, how.text, clear=how.clear, enter=how.enter)
        return told | {
            "matches": field.get("matches", 1),
            "secret": field.get("secret", False),
        }

    async def _ready(self, frame: Frame, target: Target | None, options: dict[str, object]) -> Told:
        wanted = target.wanted if target is not None else None
        if target is None:
            field: Told = await self._worlds.call(frame, "focusField", wanted, options, acting=True)
        else:
            with target.named():
                field = await self._worlds.call(frame, "focusField", wanted, options, acting=True)
        if field.get("kind") == "lost":
            raise not_actionable(f"{_name(target)}: it does not take the focus")
        return field

    async def _write(self, frame: Frame, seen: Recording, field: Told, how: _Typing) -> None:
        if field["kind"] == "set":
            await self._act(frame, seen, "setField", how.text)
            return
        before = []
        if (going := field.get("keys")) == "first":
            before += strokes(_BACK) * _PARTS
        elif going:
            held = "Meta" if field["mac"] else "Control"
            before += strokes(parse_key(f"{held}+{_GOING[going]}"))
        if how.clear and not field.get("empty", True) and (how.keys or not how.text):
            before += strokes(_ERASE)
        if field.get("spills") and not how.keys:
            await self._spill(frame, seen, before, how)
            return
        if not how.keys:
            insert = [cdp.input.insert_text(how.text)] if how.text else []
            await self._deliver(frame, seen, how.leave, *before, *insert)
            return
        if before:
            await self._deliver(frame, seen, how.leave, *before)
        events = writing(how.text)
        while events:
            size = _ONE if self._focus.may_stray(how.leave) else _BATCH
            await self._deliver(frame, seen, how.leave, *events[:size])
            del events[:size]

    async def _act(self, frame: Frame, seen: Recording, function: str, *args: object) -> Any:
        """Do what was made ready; a dialog that the page opens over it only holds up the rest."""
        seen.delivered = True
        try:
            return await self._worlds.call(frame, function, *args, acting=True)
        except BridgeError as error:
            seen.delivered = error.code != "REF_EXPIRED"  # it was gone before
            raise

    async def _spill(
        self, frame: Frame, seen: Recording, before: list[Command[Any]], how: _Typing
    ) -> None:
        """Key by key, until what has the focus takes no more and the page does not lead on."""
        for letter in how.text:
            await self._deliver(frame, seen, how.leave, *before, *writing(letter))
            before = []
            if await self._worlds.call(frame, "isFull"):
                return

    async def _deliver(
        self, frame: Frame, seen: Recording, leave: Leave | None, *commands: Command[Any]
    ) -> None:
        """Keys, once more only where they may go: the page may have moved the focus."""
        await self._focus.check(leave)
        await self._settling.deliver(frame, seen, *commands)

    async def _held(self, frame: Frame, text: str, *, clear: bool, enter: bool) -> Told:
        how = {"clear": clear, "enter": enter}
        told: Told = await self._worlds.call(frame, "typed", text, how)
        return told

    def _until(self) -> float:
        return trio.current_time() + self._frames.main.session.connection.timeouts.action


def is_refused(told: Told) -> bool:
    """Whether the field holds nothing of the text: then nothing is sent with it, either."""
    if not told["there"] or told.get("gone") or told["exact"] or told.get("shaped"):
        return False
    return bool(told["unchanged"])


def _name(target: Target | None) -> str:
    return target.name if target is not None else "the field"


def _missed(target: Target | None, *, keys: bool) -> PageError:
    went = "; the keys went elsewhere" if keys else ""
    return not_actionable(
        f"{_name(target)}: the page replaced it before the text came, and that is lost{went}",
        "Look at the page, and type into the field that is there now.",
        delivered=True,
    )
