"""Runs the caller's JavaScript in a page and brings its value back.

A script is bounded twice: Chrome's own `timeout` ends an endless loop inside the page, the deadline
outside covers promises; a page that still hangs after it is freed by terminating what runs there.
A dialog that the script opens, or that is open already, ends the wait at once.

Values travel as JSON does, and a little better: NaN, infinities, -0 and BigInt arrive as Python
numbers, undefined as None, unpaired surrogates as U+FFFD. What JSON has no form for (functions,
elements, dates) is an empty object, as Chrome makes it.
"""

import math

import msgspec

from bridge import cdp
from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, PageError
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.session import faults
from bridge.session.session import Session

WORLD = "chrome-bridge"
"""Name of our isolated world: the page cannot see or change what runs there."""

_UNSERIALIZABLE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}
_TERMINATED = -32603  # "Internal error": what Chrome 156 answers when its own timeout struck
_LONGEST = 2_000  # characters of an exception's text; a page can make it 100 MB long

# How Chrome 156 says that the document was replaced, before and while a script ran.
_NOT_RUN = "Cannot find context"
_LEFT = (_NOT_RUN, "Execution context was destroyed", "Inspected target navigated or closed")
_NO_FRAME = (
    "No frame for given id",
    "Frame with the given id was not found",
    "Agent needs to be enabled first",  # it came to a new process a moment ago
)
_NO_VALUE = ("Object reference chain is too long", "Object couldn't be returned by value")


class Scripts:
    """Evaluation in the main world (the caller's scripts) and in an isolated one (ours)."""

    def __init__(self, frames: Frames, dialogs: Dialogs) -> None:
        self._frames = frames
        self._dialogs = dialogs
        self._worlds: dict[tuple[str, str, str], cdp.runtime.ExecutionContextId] = {}

    async def evaluate(self, expression: str, *, timeout: str = "evaluate") -> object:
        """Value of an expression in the page, promises awaited; EVAL_THREW if it throws."""
        session = self._frames.main.session
        seconds: float = getattr(session.connection.timeouts, timeout)
        command = cdp.runtime.evaluate(
            expression,
            return_by_value=True,
            await_promise=True,
            user_gesture=True,
            timeout=seconds * 1000,
        )
        self._dialogs.check()
        try:
            with self._dialogs.ending():
                result = await session.execute(command, timeout=timeout)
        except DeadlineExceeded:
            await free(session)
            raise
        except ChromeError as error:
            if error.facts.get("cdp_code") == _TERMINATED:
                raise faults.too_slow(command.method, timeout, seconds) from error
            raise _in_words_of_the_page(error) from error
        return _value(result.result, result.exception_details)

    async def isolated(self, expression: str, frame: Frame | None = None) -> object:
        """Value of an expression in our own world of a frame, out of the page's reach."""
        frame = frame or self._frames.main
        self._dialogs.check()
        try:
            with self._dialogs.ending():
                return await self._in_world(frame, expression)
        except ChromeError as error:
            self._worlds.clear()
            if error.code == "TARGET_GONE" and self._frames.main.session.end is None:
                raise _frame_gone() from error
            raise _in_words_of_the_page(error) from error

    async def _in_world(self, frame: Frame, expression: str) -> object:
        try:
            return await self._once(frame, expression)
        except ChromeError as error:
            if _NOT_RUN not in error.message:
                raise
        # A document may have gone between two events of ours; nothing has run then.
        self._worlds.clear()
        return await self._once(frame, expression)

    async def _once(self, frame: Frame, expression: str) -> object:
        session = frame.session  # the world's: each process counts its own from 1
        context = await self._world(frame)
        result = await session.execute(
            cdp.runtime.evaluate(
                expression, return_by_value=True, await_promise=True, context_id=context
            )
        )
        return _value(result.result, result.exception_details)

    async def _world(self, frame: Frame) -> cdp.runtime.ExecutionContextId:
        document = frame.document
        if document not in self._worlds:
            made = await frame.session.execute(
                cdp.page.create_isolated_world(frame.id, world_name=WORLD)
            )
            live = {f.document for f in self._frames}
            self._worlds = {k: v for k, v in self._worlds.items() if k in live}
            self._worlds[document] = cdp.runtime.ExecutionContextId(made.execution_context_id)
        return self._worlds[document]


async def free(session: Session) -> None:
    """End what runs in a page that does not come back; other pages never notice."""
    try:
        await session.execute(cdp.runtime.terminate_execution(), timeout="probe")
    except BridgeError:
        return  # nothing was running, or nothing is there any more


def _in_words_of_the_page(error: ChromeError) -> BridgeError:
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
        return _frame_gone()
    if any(words in error.message for words in _NO_VALUE):
        return PageError(
            "EVAL_THREW",
            "the script's value cannot leave the page: it is cyclic, too deep, or a symbol",
            hint="Return plain data, for example JSON.stringify of the part that matters.",
        )
    return error


def _frame_gone() -> PageError:
    return PageError(
        "SELECTOR_NOT_FOUND",
        "the frame is gone, or has just moved on",
        hint="Look at the page again; frames change when it navigates.",
        facts={"navigated": True},
    )


def _value(result: cdp.runtime.RemoteObject, thrown: cdp.runtime.ExceptionDetails | None) -> object:
    if thrown is not None:
        raise _threw(thrown)
    if result.unserializable_value is not None:
        text = result.unserializable_value
        return int(text[:-1]) if text.endswith("n") else _UNSERIALIZABLE[text]
    return None if result.value is msgspec.UNSET else result.value


def _threw(thrown: cdp.runtime.ExceptionDetails) -> PageError:
    text = _describe(thrown.exception) if thrown.exception is not None else thrown.text
    lines = text[:_LONGEST].splitlines() or ["an empty text"]
    return PageError(
        "EVAL_THREW",
        f"the script threw: {lines[0][:500]}",
        facts={
            "line": thrown.line_number,
            "column": thrown.column_number,
            "stack": text[:_LONGEST],
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
