"""Runs the caller's JavaScript in a page and brings its value back.

A script is bounded twice: Chrome's own `timeout` ends an endless loop inside the page, the deadline
outside covers promises; a page that still hangs after it is freed by terminating what runs there.
"""

import math

import msgspec

from bridge import cdp
from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, PageError
from bridge.page.frames import Frame, Frames
from bridge.session.session import Session

WORLD = "chrome-bridge"
"""Name of our isolated world: the page cannot see or change what runs there."""

_UNSERIALIZABLE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}


class Scripts:
    """Evaluation in the main world (the caller's scripts) and in an isolated one (ours)."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._worlds: dict[tuple[str, str], cdp.runtime.ExecutionContextId] = {}

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
        try:
            result = await session.execute(command, timeout=timeout)
        except DeadlineExceeded:
            await free(session)
            raise
        except ChromeError as error:
            raise _navigated_away(error) from error
        return _value(result.result, result.exception_details)

    async def isolated(self, expression: str, frame: Frame | None = None) -> object:
        """Value of an expression in our own world of a frame, out of the page's reach."""
        frame = frame or self._frames.main
        for last in (False, True):  # a document may have gone between two events of ours
            context = await self._world(frame)
            try:
                result = await frame.session.execute(
                    cdp.runtime.evaluate(
                        expression, return_by_value=True, await_promise=True, context_id=context
                    )
                )
                return _value(result.result, result.exception_details)
            except ChromeError as error:
                self._worlds.clear()
                if last or "Cannot find context" not in error.message:
                    raise _navigated_away(error) from error
        raise AssertionError("unreachable")

    async def _world(self, frame: Frame) -> cdp.runtime.ExecutionContextId:
        key = (frame.id, frame.loader)
        if key not in self._worlds:
            made = await frame.session.execute(
                cdp.page.create_isolated_world(frame.id, world_name=WORLD)
            )
            live = {(f.id, f.loader) for f in self._frames}
            self._worlds = {k: v for k, v in self._worlds.items() if k in live}
            self._worlds[key] = cdp.runtime.ExecutionContextId(made.execution_context_id)
        return self._worlds[key]


async def free(session: Session) -> None:
    """End what runs in a page that does not come back; other pages never notice."""
    try:
        await session.execute(cdp.runtime.terminate_execution(), timeout="probe")
    except BridgeError:
        return  # nothing was running, or nothing is there any more


def _navigated_away(error: ChromeError) -> BridgeError:
    """A document that goes takes its scripts along; said in words of the page."""
    if error.code == "CDP_ERROR" and "context" in error.message.lower():
        return PageError(
            "EVAL_THREW",
            "the page navigated while the script was running",
            hint="Whatever the script did until then has happened; look at the page.",
        )
    return error


def _value(result: cdp.runtime.RemoteObject, thrown: cdp.runtime.ExceptionDetails | None) -> object:
    if thrown is not None:
        raise _threw(thrown)
    if result.unserializable_value is not None:
        text = result.unserializable_value
        return int(text[:-1]) if text.endswith("n") else _UNSERIALIZABLE[text]
    return None if result.value is msgspec.UNSET else result.value


def _threw(thrown: cdp.runtime.ExceptionDetails) -> PageError:
    exception = thrown.exception
    text = exception.description if exception is not None else None
    if exception is not None and text is None:
        text = str(exception.value)
    first = (text or thrown.text).splitlines()[0][:500] if (text or thrown.text) else "no reason"
    return PageError(
        "EVAL_THREW",
        f"the script threw: {first}",
        facts={"line": thrown.line_number, "column": thrown.column_number, "stack": text or ""},
    )
