"""Which frame has the focus, and so gets the keys; and whether it may have them.

Keys go to the page, and Chrome hands them on to whatever has the focus there, also in a frame of
another site. A page can move it at any time, also by a key: so it is looked for behind whatever
the page could answer to, right before keys are sent. What moves it between that look and the keys
(a round trip, 1 to 3 ms) is not noticed, for no key can be sent to one frame alone (Chromium 156).
"""

from collections.abc import Callable
from dataclasses import dataclass

from bridge.errors import PolicyDenied
from bridge.page.frames import Frame, Frames
from bridge.page.pointing import Admit, Pointing
from bridge.page.worlds import Worlds


@dataclass(frozen=True, slots=True)
class Leave:
    """Which frames may have keys."""

    admit: Admit
    opens: Callable[[Frame | None], bool]
    """Whether this one may without anybody being asked; None is one that is not known."""


class Focus:
    """Of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds, pointing: Pointing) -> None:
        self._frames = frames
        self._worlds = worlds
        self._pointing = pointing

    async def frame(self, leave: Leave | None) -> Frame:
        """The frame that has the focus; POLICY_DENIED where it may not have keys."""
        frame = await self._walk(leave)
        while leave is not None and not leave.opens(frame):
            await _admit(leave, frame)
            frame = await self._walk(leave)  # a user may have been asked meanwhile
        return frame

    async def check(self, leave: Leave | None) -> None:
        """POLICY_DENIED where the focus has come to where no keys may go."""
        if leave is None or leave.opens(None):
            return
        if not leave.opens(await self._walk(leave)):
            # The page hears a little late of what a frame in another process has taken.
            await self._worlds.call(self._frames.main, "rest")
            await self.frame(leave)

    def may_stray(self, leave: Leave | None) -> bool:
        """Whether a key could move the focus to where the next one may not go.

        Over the extension a frame that is out of its reach is not known.
        """
        if leave is None or leave.opens(None):
            return False
        extension = self._frames.main.session.connection.kind == "extension"
        return extension or not all(map(leave.opens, self._frames))

    async def _walk(self, leave: Leave | None) -> Frame:
        """The frame that has the focus, or the outermost one around it that may have no keys."""
        frame = self._frames.main
        while leave is None or leave.opens(frame):
            ref = await self._worlds.call(frame, "focusedFrame")
            inner = await self._pointing.inner(frame, ref) if ref else None
            if inner is None:
                if ref and leave is not None and not leave.opens(None):
                    raise _unknown()
                break
            frame = inner
        return frame


async def _admit(leave: Leave, frame: Frame) -> None:
    try:
        await leave.admit(frame)
    except PolicyDenied as error:
        raise _refused(f"a frame: {error.message}", error.hint, error.facts) from error


def _unknown() -> PolicyDenied:
    return _refused("a frame that is not known, so nobody can say whether it may have keys", "", {})


def _refused(where: str, hint: str, facts: dict[str, object]) -> PolicyDenied:
    return PolicyDenied(
        "POLICY_DENIED",
        f"the focus is in {where}",
        hint=f"Name an element outside of it (ref or selector). {hint}".rstrip(),
        facts=facts,
    )
