"""Calls into our JavaScript library, in the isolated world of each frame's document.

A document gets the library at the first call; a call costs one round trip from then on. What was
called on a document that has gone meanwhile has not run, and is called on its successor once.
Arguments travel as arguments, never as script text.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import trio

from bridge import cdp
from bridge.errors import ChromeError, DeadlineExceeded, family_of
from bridge.page import library
from bridge.page.bounds import check_bounds
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.page.numbers import Numbers, Series
from bridge.page.rescue import free
from bridge.page.values import NOT_RUN, check_thrown, frame_gone, in_words_of_the_page, value_of
from bridge.timeouts import deadline

WORLD = "chrome-bridge"
"""Name of our isolated world: the page cannot see or change what runs there."""

_REMEMBERED = 500  # frames that are gone

R = TypeVar("R")

Document = tuple[str, str, str]
"""Frame, loader and session."""


@dataclass(frozen=True, slots=True)
class Handle:
    """An object of a document, held by Chrome; an argument for a call on that same document."""

    object_id: cdp.runtime.RemoteObjectId


class Worlds:
    """One library object per document of a tab."""

    def __init__(
        self, frames: Frames, dialogs: Dialogs, numbers: Numbers | None = None, tab_id: str = ""
    ) -> None:
        self._frames = frames
        self._shared = numbers or Numbers()  # with the other tabs
        self._tab_id = tab_id
        self._dialogs = dialogs
        self._libraries: dict[Document, cdp.runtime.RemoteObjectId] = {}
        self._contexts: dict[Document, cdp.runtime.ExecutionContextId] = {}
        self._turns: WeakValueDictionary[Document, trio.Lock] = WeakValueDictionary()
        self._next: dict[str, int] = {}  # by frame: the first number that no ref has had
        self._numbers: dict[str, int] = {}  # by frame: 0 is the main one, whose refs have no prefix

    async def call(
        self,
        frame: Frame,
        function: str,
        *args: object,
        timeout: str = "read",
        acting: bool = False,
    ) -> Any:
        """What `lib.function(*args)` returns in this frame; errors of the library become ours.

        `acting`: it changes the page, and is called only where that may be done.
        """
        with self._counting(frame) as series:
            given = (function, series.first, self.prefix(frame), *args)
            answer = await self._call(
                frame, library.CALL, *given, by_value=True, timeout=timeout, acting=acting
            )
            series.after, value, *failure = value_of(answer)
        if failure:
            code, message, facts = failure
            hint = facts.pop("hint", "")
            raise family_of(code)(code, message, hint=hint, facts=facts)
        return value

    async def hold(
        self, frame: Frame, function: str, *args: object, acting: bool = False
    ) -> Handle:
        """The same for an object that stays in the page, such as an element."""
        held = await self._call(
            frame, library.HAND, function, *args, by_value=False, timeout="read", acting=acting
        )
        assert held.object_id is not None, f"{function} returned no object"
        return Handle(held.object_id)

    async def warm(self, frame: Frame) -> None:
        """Get the library into this document before somebody waits for it; measured 5 ms."""
        document = self._document(frame)
        if document in self._libraries or self._dialogs.current is not None:
            return
        made = await self._library(frame)
        if not self._turn(document).locked():  # else somebody is waiting for it
            rehearsal = cdp.runtime.call_function_on(library.REHEARSAL, object_id=made)
            await frame.session.execute(rehearsal, timeout="read")

    async def evaluate(self, frame: Frame, expression: str) -> object:
        """Value of an expression in our world of this frame, without the library."""

        async def once() -> object:
            session = frame.session  # the world's: each process counts its own from 1
            context = await self.context(frame)
            result = await session.execute(
                cdp.runtime.evaluate(
                    expression, return_by_value=True, await_promise=True, context_id=context
                )
            )
            check_thrown(result.exception_details)
            return value_of(result.result)

        return await self._run(frame, once)

    async def context(self, frame: Frame) -> cdp.runtime.ExecutionContextId:
        """Our isolated world of this frame's document."""
        document = self._document(frame)
        if document not in self._contexts:
            made = await frame.session.execute(
                cdp.page.create_isolated_world(frame.id, world_name=WORLD), timeout="read"
            )
            self._forget_old()
            made_here = cdp.runtime.ExecutionContextId(made.execution_context_id)
            return self._contexts.setdefault(document, made_here)
        return self._contexts[document]

    def succeed(self, before: "Worlds") -> None:
        """Number on where the same tab's last worlds ended: a ref never means two elements."""
        self._next, self._numbers = before._next, before._numbers

    @contextmanager
    def _counting(self, frame: Frame) -> Iterator[Series]:
        """Numbers for what a call gives refs to; those of the page itself no other tab has."""
        least = self._next.get(frame.id, 1)
        own = nullcontext(Series(self._tab_id, least, least))
        main = frame is self._frames.main
        with self._shared.series(self._tab_id, least) if main else own as series:
            yield series
        self._next[frame.id] = max(self._next.get(frame.id, 1), series.after)

    # Frames by number.

    def prefix(self, frame: Frame) -> str:
        """What refs of this frame begin with: nothing in the main one, else `f1`, `f2`…"""
        if frame is self._frames.main:
            return ""
        if frame.id not in self._numbers:
            self._forget_gone()
            for each in frame.walk():  # those in it come next, whoever asks first
                if each.id not in self._numbers:
                    self._numbers[each.id] = self._shared.frame(self._tab_id)
        return f"f{self._numbers[frame.id]}"

    def _forget_gone(self) -> None:
        """Of frames that are gone only the newest come back, with a page that Chrome kept alive."""
        if len(self._numbers) > len(self._frames) + 2 * _REMEMBERED:
            live = {frame.id for frame in self._frames}
            gone = [each for each in self._numbers if each not in live]
            for each in gone[:-_REMEMBERED]:
                del self._numbers[each]
                self._next.pop(each, None)

    def frame(self, prefix: str) -> Frame | None:
        """The frame whose refs begin so, if it is still there."""
        if not prefix:
            return self._frames.main
        for frame_id, number in self._numbers.items():
            if f"f{number}" == prefix:
                return next((frame for frame in self._frames if frame.id == frame_id), None)
        return None

    def elsewhere(self, frame: int, number: int) -> str:
        """The other tab that such a ref is of, where that is known; `frame` is 0 for its page."""
        tab_id = self._shared.tab_of(frame, number)
        return "" if tab_id == self._tab_id else tab_id

    # Calls.

    async def _run(self, frame: Frame, once: Callable[[], Awaitable[R]]) -> R:
        """Try it, and once more where the document had gone before anything ran."""
        self._dialogs.check()
        departures = self._frames.departures
        try:
            with self._dialogs.ending():
                await departures.passed(frame.session)
                with departures.ending(frame.session):
                    return await self._twice(frame, once)
        except DeadlineExceeded as error:
            if not error.facts.get("going"):
                await free(frame.session)  # a script of the page is in the way, and would stay
            raise
        except ChromeError as error:
            self._forget(frame)
            if error.code == "TARGET_GONE" and self._frames.main.session.end is None:
                raise frame_gone() from error
            raise in_words_of_the_page(error) from error

    async def _twice(self, frame: Frame, once: Callable[[], Awaitable[R]]) -> R:
        try:
            return await once()
        except ChromeError as error:
            if not any(words in error.message for words in NOT_RUN):
                raise
        self._forget(frame)
        return await once()

    async def _call(
        self,
        frame: Frame,
        declaration: str,
        *args: object,
        by_value: bool,
        timeout: str,
        acting: bool,
    ) -> cdp.runtime.RemoteObject:
        async def once() -> cdp.runtime.RemoteObject:
            session = frame.session
            made = await self._library(frame)
            if acting:  # in this document, and in no other: what is called is of this one
                check_bounds(frame)
            command = cdp.runtime.call_function_on(
                declaration,
                object_id=made,
                arguments=[_argument(arg) for arg in args],
                return_by_value=by_value,
                await_promise=True,
            )
            result = await session.execute(command, timeout=timeout)
            check_thrown(result.exception_details)
            return result.result

        return await self._run(frame, once)

    async def _library(self, frame: Frame) -> cdp.runtime.RemoteObjectId:
        document = self._document(frame)
        if document not in self._libraries:
            # The wait for who is there first counts: a page that hangs would be waited for twice.
            with deadline(frame.session.connection.timeouts, "read", "getting to the page"):
                async with self._turn(document):  # refs of one library are unknown to another
                    if document not in self._libraries:
                        made = await self._borrowed(frame) or await self._sent(frame)
                        return self._libraries.setdefault(document, made)
        return self._libraries[document]

    def _turn(self, document: Document) -> trio.Lock:
        """Whoever holds it brings the library there."""
        return self._turns.setdefault(document, trio.Lock())

    async def _sent(self, frame: Frame) -> cdp.runtime.RemoteObjectId:
        context = await self.context(frame)
        source = cdp.runtime.evaluate(library.source(), context_id=context)
        made = await frame.session.execute(source, timeout="read")
        check_thrown(made.exception_details)
        assert made.result.object_id is not None
        return made.result.object_id

    async def _borrowed(self, frame: Frame) -> cdp.runtime.RemoteObjectId | None:
        """From the parent, if that has it and is of the same origin."""
        parent = frame.parent
        if parent is None or frame.remote or parent.document not in self._libraries:
            return None
        session = frame.session
        context = await self.context(frame)
        asked = cdp.runtime.evaluate(library.BORROW, context_id=context)
        return (await session.execute(asked, timeout="read")).result.object_id

    def _document(self, frame: Frame) -> Document:
        """The document that is there, with what was made in it before Chrome had told its name."""
        document = frame_id, _, session = frame.document
        nameless = frame_id, "", session
        if nameless in self._contexts:
            self._contexts.setdefault(document, self._contexts.pop(nameless))
        if nameless in self._libraries:
            self._libraries.setdefault(document, self._libraries.pop(nameless))
        return document

    def _forget(self, frame: Frame) -> None:
        self._libraries.pop(frame.document, None)
        self._contexts.pop(frame.document, None)

    def _forget_old(self) -> None:
        """Documents that are gone; called when a new one comes."""
        live = {frame.document for frame in self._frames}
        self._libraries = {k: v for k, v in self._libraries.items() if k in live}
        self._contexts = {k: v for k, v in self._contexts.items() if k in live}


def _argument(value: object) -> cdp.runtime.CallArgument:
    if isinstance(value, Handle):
        return cdp.runtime.CallArgument(object_id=value.object_id)
    return cdp.runtime.CallArgument(value=value)
