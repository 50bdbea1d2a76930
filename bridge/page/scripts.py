"""Runs the caller's JavaScript in a page and brings its value back.

A script is bounded twice: Chrome's own `timeout` ends an endless loop inside the page, the deadline
outside covers promises; a page that still hangs after it is freed by terminating what runs there.
A dialog that the script opens, or that is open already, ends the wait at once.
"""

from typing import TypeVar

import trio

from bridge import cdp
from bridge.cdp.base import Command, Object
from bridge.errors import ChromeError, DeadlineExceeded
from bridge.page.bounds import check_bounds
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.page.rescue import free
from bridge.page.values import check_thrown, in_words_of_the_page, value_of, value_threw
from bridge.page.worlds import Handle, Worlds
from bridge.session import faults

R = TypeVar("R", bound=Object)

# "Internal error": what Chrome 156 answers when its own timeout struck; and, without having waited
# for that, when a getter throws as a script's value is taken.
_INTERNAL = -32603
_NEARLY = 0.9  # of the time a script has; its clock is not ours


class Scripts:
    """Evaluation in the main world (the caller's scripts) and in an isolated one (ours)."""

    def __init__(self, frames: Frames, dialogs: Dialogs, worlds: Worlds) -> None:
        self._frames = frames
        self._dialogs = dialogs
        self._worlds = worlds

    async def evaluate(
        self, expression: str, *, await_promise: bool = True, timeout: str = "evaluate"
    ) -> object:
        """Value of an expression in the page, promises awaited; EVAL_THREW if it throws."""
        session = self._frames.main.session
        seconds: float = getattr(session.connection.timeouts, timeout)
        command = cdp.runtime.evaluate(
            expression,
            return_by_value=True,
            await_promise=await_promise,
            user_gesture=True,
            timeout=seconds * 1000,
        )
        result = await self._run(self._frames.main, command, timeout)
        check_thrown(result.exception_details)
        return value_of(result.result)

    async def evaluate_on(
        self, frame: Frame, element: Handle, function: str, *, await_promise: bool = True
    ) -> object:
        """Value of a function of an element (its argument, and its `this`), in the page's world."""
        session = frame.session
        described = await session.execute(cdp.dom.describe_node(object_id=element.object_id))
        there = await session.execute(
            cdp.dom.resolve_node(backend_node_id=described.node.backend_node_id)
        )
        assert there.object.object_id is not None
        command = cdp.runtime.call_function_on(
            function,
            object_id=there.object.object_id,
            arguments=[cdp.runtime.CallArgument(object_id=there.object.object_id)],
            return_by_value=True,
            await_promise=await_promise,
            user_gesture=True,
        )
        result = await self._run(frame, command, "evaluate")
        check_thrown(result.exception_details)
        return value_of(result.result)

    async def _run(self, frame: Frame, command: Command[R], timeout: str) -> R:
        self._dialogs.check()
        session = frame.session
        departures = self._frames.departures
        began = trio.current_time()
        try:
            with self._dialogs.ending():
                await departures.passed(session)  # a script that is held runs in the next page
                check_bounds(frame)
                with departures.named(session):
                    return await session.execute(command, timeout=timeout)
        except DeadlineExceeded as error:
            if not error.facts.get("going"):
                await free(session)
            raise
        except ChromeError as error:
            if error.facts.get("cdp_code") == _INTERNAL:
                seconds: float = getattr(session.connection.timeouts, timeout)
                if trio.current_time() - began < seconds * _NEARLY:
                    raise value_threw() from error
                raise faults.too_slow(command.method, timeout, seconds) from error
            raise in_words_of_the_page(error) from error

    async def isolated(self, expression: str, frame: Frame | None = None) -> object:
        """Value of an expression in our own world of a frame, out of the page's reach."""
        return await self._worlds.evaluate(frame or self._frames.main, expression)
