"""Runs the caller's JavaScript in a page and brings its value back.

A script is bounded twice: Chrome's own `timeout` ends an endless loop inside the page, the deadline
outside covers promises; a page that still hangs after it is freed by terminating what runs there.
A dialog that the script opens, or that is open already, ends the wait at once.
"""

from bridge import cdp
from bridge.errors import ChromeError, DeadlineExceeded
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.page.rescue import free
from bridge.page.values import check_thrown, in_words_of_the_page, value_of
from bridge.page.worlds import Worlds
from bridge.session import faults

_TERMINATED = -32603  # "Internal error": what Chrome 156 answers when its own timeout struck


class Scripts:
    """Evaluation in the main world (the caller's scripts) and in an isolated one (ours)."""

    def __init__(self, frames: Frames, dialogs: Dialogs, worlds: Worlds) -> None:
        self._frames = frames
        self._dialogs = dialogs
        self._worlds = worlds

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
            raise in_words_of_the_page(error) from error
        check_thrown(result.exception_details)
        return value_of(result.result)

    async def isolated(self, expression: str, frame: Frame | None = None) -> object:
        """Value of an expression in our own world of a frame, out of the page's reach."""
        return await self._worlds.evaluate(frame or self._frames.main, expression)
