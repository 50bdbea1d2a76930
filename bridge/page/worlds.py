"""Calls into our JavaScript library, in the isolated world of each frame's document.

A document gets the library at the first call; a call costs one round trip from then on. What was
called on a document that has gone meanwhile has not run, and is called on its successor once.
Arguments travel as arguments, never as script text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bridge import cdp
from bridge.errors import ChromeError, DeadlineExceeded, family_of
from bridge.page import library
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.page.scripts import WORLD, free
from bridge.page.values import in_words_of_the_page, value_of

_NOT_RUN = ("Cannot find context", "Could not find object", "Cannot find object")


@dataclass(frozen=True, slots=True)
class Handle:
    """An object of a document, held by Chrome; an argument for a call on that same document."""

    object_id: cdp.runtime.RemoteObjectId


class Worlds:
    """One library object per document of a tab."""

    def __init__(self, frames: Frames, dialogs: Dialogs) -> None:
        self._frames = frames
        self._dialogs = dialogs
        self._libraries: dict[tuple[str, str], cdp.runtime.RemoteObjectId] = {}
        self._contexts: dict[tuple[str, str], cdp.runtime.ExecutionContextId] = {}
        self._next: dict[str, int] = {}  # by frame: the first number that no ref has had
        self._numbers: dict[str, int] = {}  # by frame: 0 is the main one, whose refs have no prefix

    async def call(self, frame: Frame, function: str, *args: object, timeout: str = "read") -> Any:
        """What `lib.function(*args)` returns in this frame; errors of the library become ours."""
        answer = await self._run(
            frame,
            library.CALL,
            (function, self._next.get(frame.id, 1), self.prefix(frame), *args),
            timeout=timeout,
        )
        following, value, *failure = answer
        self._next[frame.id] = max(self._next.get(frame.id, 1), following)
        if failure:
            code, message, facts = failure
            raise family_of(code)(code, message, facts=facts)
        return value

    async def hold(self, frame: Frame, function: str, *args: object) -> Handle:
        """The same for an object that stays in the page, such as an element."""
        held = await self._run(frame, library.HAND, (function, *args), by_value=False)
        assert isinstance(held, Handle)
        return held

    async def context(self, frame: Frame) -> cdp.runtime.ExecutionContextId:
        """Our isolated world of this frame's document."""
        key = (frame.id, frame.loader)
        if key not in self._contexts:
            made = await frame.session.execute(
                cdp.page.create_isolated_world(frame.id, world_name=WORLD)
            )
            self._forget_old()
            self._contexts[key] = cdp.runtime.ExecutionContextId(made.execution_context_id)
        return self._contexts[key]

    # Frames by number.

    def prefix(self, frame: Frame) -> str:
        """What refs of this frame begin with: nothing in the main one, else `f1`, `f2`…"""
        if frame is self._frames.main:
            return ""
        number = self._numbers.setdefault(frame.id, len(self._numbers) + 1)
        return f"f{number}"

    def frame(self, prefix: str) -> Frame | None:
        """The frame whose refs begin so, if it is still there."""
        if not prefix:
            return self._frames.main
        for frame_id, number in self._numbers.items():
            if f"f{number}" == prefix:
                return next((frame for frame in self._frames if frame.id == frame_id), None)
        return None

    # Calls.

    async def _run(
        self,
        frame: Frame,
        declaration: str,
        args: Sequence[object],
        *,
        by_value: bool = True,
        timeout: str = "read",
    ) -> Any:
        self._dialogs.check()
        try:
            with self._dialogs.ending():
                try:
                    return await self._once(frame, declaration, args, by_value, timeout)
                except ChromeError as error:
                    if not any(words in error.message for words in _NOT_RUN):
                        raise
                self._forget(frame)
                return await self._once(frame, declaration, args, by_value, timeout)
        except DeadlineExceeded:
            await free(frame.session)  # a script of the page is in the way, and would stay there
            raise
        except ChromeError as error:
            self._forget(frame)
            raise in_words_of_the_page(error) from error

    async def _once(
        self, frame: Frame, declaration: str, args: Sequence[object], by_value: bool, timeout: str
    ) -> Any:
        command = cdp.runtime.call_function_on(
            declaration,
            object_id=await self._library(frame),
            arguments=[_argument(arg) for arg in args],
            return_by_value=by_value,
            await_promise=True,
        )
        result = await frame.session.execute(command, timeout=timeout)
        if by_value or result.exception_details is not None:
            return value_of(result.result, result.exception_details)
        assert result.result.object_id is not None
        return Handle(result.result.object_id)

    async def _library(self, frame: Frame) -> cdp.runtime.RemoteObjectId:
        key = (frame.id, frame.loader)
        if key not in self._libraries:
            made = await frame.session.execute(
                cdp.runtime.evaluate(library.source(), context_id=await self.context(frame))
            )
            if made.result.object_id is None:
                value_of(made.result, made.exception_details)  # raises
            assert made.result.object_id is not None
            self._libraries[key] = made.result.object_id
        return self._libraries[key]

    def _forget(self, frame: Frame) -> None:
        for known in (self._libraries, self._contexts):
            for key in [key for key in known if key[0] == frame.id]:
                del known[key]

    def _forget_old(self) -> None:
        """Documents that are gone; called when a new one comes."""
        live = {(frame.id, frame.loader) for frame in self._frames}
        self._libraries = {k: v for k, v in self._libraries.items() if k in live}
        self._contexts = {k: v for k, v in self._contexts.items() if k in live}


def _argument(value: object) -> cdp.runtime.CallArgument:
    if isinstance(value, Handle):
        return cdp.runtime.CallArgument(object_id=value.object_id)
    return cdp.runtime.CallArgument(value=value)
