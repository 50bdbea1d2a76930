"""Answers the open dialog, and tells what the page does then.

The page goes on in the middle of what had opened the dialog, so whatever that goes on to do belongs
to the answer.
"""

from bridge import cdp
from bridge.errors import PageError
from bridge.page.activity import Recording
from bridge.page.bounds import check_bounds
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frames
from bridge.page.pointing import Pointing
from bridge.page.settling import Aftermath, Settling, Told, not_actionable
from bridge.page.worlds import Worlds
from bridge.session.session import Session


class Answering:
    """Of one tab."""

    def __init__(
        self,
        session: Session,
        frames: Frames,
        worlds: Worlds,
        dialogs: Dialogs,
        pointing: Pointing,
        settling: Settling,
    ) -> None:
        self._session = session
        self._frames = frames
        self._worlds = worlds
        self._dialogs = dialogs
        self._pointing = pointing
        self._settling = settling

    async def answer(self, *, accept: bool, text: str | None = None) -> Aftermath:
        """Accept or dismiss it; NOT_ACTIONABLE if there is none, or it takes no text."""
        dialog = self._dialogs.current
        if dialog is None:
            raise not_actionable("no dialog is open", "Go on; there is nothing to answer.")
        if text is not None and dialog.type != "prompt":
            raise not_actionable(
                f"the open dialog is of the type {dialog.type} and takes no text",
                "Answer it without promptText.",
            )
        if text is None and accept and dialog.type == "prompt":
            text = dialog.default_prompt  # as a person who changes nothing; Chrome would take ""
        leaving = dialog.type == "beforeunload" and accept

        async def deed(seen: Recording) -> Told:
            with self._session.events(cdp.page.JavascriptDialogClosed) as closed:
                check_bounds(self._frames.main)
                await self._dialogs.answer(accept=accept, text=text)
                seen.delivered = True
                await closed.receive()
            if leaving:
                async with self._settling.while_there():  # the tab may have been asked to close
                    while not seen.course.leaving and not seen.course.arrived:
                        await seen.change()
                return {}
            await self._pointing.stand_down()  # what had opened it will not be told of its press
            return await self._look()

        return await self._settling.after(self._frames.main, deed)

    async def _look(self) -> Told:
        try:
            told: Told = await self._worlds.call(self._frames.main, "changes")
        except PageError as error:
            if not error.facts.get("navigated"):
                raise
            return {}
        return told
