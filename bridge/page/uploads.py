"""Gives files to a page, without any window of the system.

Only files below one folder, reached without following a link: a page can ask for anything, and so
can whoever speaks through a page. What is given is the path as it was found then.
"""

import errno
import os
import stat
from pathlib import Path

import trio

from bridge import cdp
from bridge.errors import BridgeError, PageError, PolicyDenied, UsageError
from bridge.page.actions import Actions
from bridge.page.activity import Recording
from bridge.page.frames import Frames
from bridge.page.pointing import Pointing
from bridge.page.settling import Aftermath, Settling, Told, not_actionable
from bridge.page.target import Target
from bridge.page.worlds import Worlds

PICKER = (
    "the page asks with the browser's own picker of files (showOpenFilePicker and its like), which "
    "only a person can answer: it was cancelled"
)
"""Of a chooser that belongs to no field."""

_LOOK = "It was clicked; look at the page for the field or button that takes files."
_OUT_OF_REACH = ("NOT_ACTIONABLE", "REF_EXPIRED", "SELECTOR_NOT_FOUND")
_COPY = 1  # what may be done with what is dragged
_WITHOUT_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)


def allowed_path(path: str, folder: Path) -> Path:
    """The file, if it is a plain one in the folder; relative paths are relative to it."""
    base = Path(os.path.realpath(folder))
    wanted = Path(os.path.normpath(base / path))
    try:
        inside = wanted.relative_to(base)
    except ValueError:
        raise _outside(path, folder) from None
    if "\0" in path or inside == Path():
        raise _no_file(path)
    try:
        plain = _is_plain(base, inside.parts)
    except (FileNotFoundError, UnicodeEncodeError):  # half a surrogate pair is in no name
        raise _no_file(path) from None
    except OSError as error:  # a link where none is followed, or something nobody may open
        if error.errno == errno.ENAMETOOLONG:
            raise _no_file(path) from None
        raise _outside(path, folder) from None
    if not plain:
        raise _no_file(path)
    return wanted


def _is_plain(base: Path, parts: tuple[str, ...]) -> bool:
    """Step by step from the folder, so that no part can be a link."""
    if os.open not in os.supports_dir_fd:  # Windows
        steps = [base.joinpath(*parts[: n + 1]) for n in range(len(parts))]
        if any(step.is_symlink() for step in steps):
            raise OSError("a link")
        return steps[-1].is_file()
    at = os.open(base, os.O_RDONLY | _FOLDER)
    try:
        for name in parts[:-1]:
            inner = os.open(name, os.O_RDONLY | _FOLDER | _WITHOUT_LINKS, dir_fd=at)
            os.close(at)
            at = inner
        last = os.open(parts[-1], os.O_RDONLY | _WITHOUT_LINKS, dir_fd=at)
    finally:
        os.close(at)
    try:
        return stat.S_ISREG(os.fstat(last).st_mode)
    finally:
        os.close(last)


class Uploads:
    """Of one tab."""

    def __init__(
        self,
        frames: Frames,
        worlds: Worlds,
        pointing: Pointing,
        settling: Settling,
        actions: Actions,
    ) -> None:
        self._frames = frames
        self._worlds = worlds
        self._pointing = pointing
        self._settling = settling
        self._actions = actions

    async def upload(self, target: Target, files: list[Path]) -> Aftermath:
        """Set the files of a field, or of the chooser that a click on the element opens."""
        until = trio.current_time() + self._frames.main.session.connection.timeouts.action
        with target.named():
            options = {"ms": self._pointing.left(until)}
            found = await self._worlds.call(target.frame, "fileField", target.wanted, options)
        names = [str(file) for file in files]
        if not found["field"] and not names:
            raise not_actionable(f"{target.name}: it is no field for files, which could be emptied")
        if not found["field"]:
            return await self._through_chooser(target, names)
        if found["folder"] and names:
            raise _for_a_folder(target)
        _check_count(target.name, len(names), multiple=found["multiple"])
        frame = target.frame

        async def deed(seen: Recording) -> Told:
            field = await self._worlds.hold(frame, "fileElement", target.wanted, acting=True)
            seen.delivered = True
            given = cdp.dom.set_file_input_files(names, object_id=field.object_id)
            if names:
                await frame.session.execute(given)
            else:
                await self._worlds.call(frame, "clearFiles", target.wanted, acting=True)
            told: Told = await self._worlds.call(frame, "filesIn", target.wanted)
            return {**told, "matches": found["matches"]}

        return await self._settling.after(frame, deed)

    async def _through_chooser(self, target: Target, names: list[str]) -> Aftermath:
        why: BridgeError = _asked_for_none(target)
        with self._settling.recording() as seen:
            after = await self._actions.click(target, choosing=True)
            chooser = after.chooser
            if chooser is None and not after.arrived and after.dialog is None:
                try:
                    if dropped := await self._by_drop(target, names, seen):
                        return dropped
                except BridgeError as error:
                    if error.code not in _OUT_OF_REACH:
                        raise
                    why = error  # what the click has opened may be in the way, and ask for them yet
                chooser = await self._settling.late_chooser(seen)
        if chooser is None and after.dialog is not None:
            raise _asked_first(target, after.dialog.type)
        if chooser is None:
            raise why
        return await self._give(target, chooser, names)

    async def _give(
        self, target: Target, chooser: cdp.page.FileChooserOpened, names: list[str]
    ) -> Aftermath:
        if chooser.backend_node_id is None:
            raise not_actionable(f"{target.name}: {PICKER}", _LOOK, delivered=True)
        _check_count(target.name, len(names), multiple=chooser.mode == "selectMultiple")
        frame = self._frames.get(chooser.frame_id)
        asked = cdp.dom.describe_node(backend_node_id=chooser.backend_node_id)
        field = (await frame.session.execute(asked, timeout="read")).node
        if "webkitdirectory" in (field.attributes or [])[::2]:  # names, each before its value
            raise _for_a_folder(target, delivered=True)
        given = cdp.dom.set_file_input_files(names, backend_node_id=chooser.backend_node_id)

        async def deed(seen: Recording) -> Told:
            await self._worlds.call(frame, "watch", acting=True)
            seen.delivered = True
            await frame.session.execute(given)
            told: Told = await self._worlds.call(frame, "filesIn", None)
            return {**told, "names": [Path(name).name for name in names], "matches": 1}

        return await self._settling.after(frame, deed)

    async def _by_drop(
        self, target: Target, names: list[str], clicked: Recording
    ) -> Aftermath | None:
        """Onto what was clicked and asked for none; None where it takes no dropped files."""
        taken = False
        until = trio.current_time() + self._frames.main.session.connection.timeouts.settle
        files = cdp.input.DragData(items=[], files=names, drag_operations_mask=_COPY)

        async def deed(seen: Recording) -> Told:
            nonlocal taken
            spot = await self._pointing.aim(target, until, guarded=False, dropping=True)
            if clicked.course.chooser is not None:
                return {}

            async def drag(kind: str) -> None:
                event = cdp.input.dispatch_drag_event(kind, spot.x, spot.y, files)
                await self._settling.deliver(spot.frame, seen, event)

            await self._worlds.call(spot.frame, "listenForDrag", acting=True)
            await drag("dragEnter")
            await drag("dragOver")
            taken = await self._worlds.call(spot.frame, "takesDrop")
            if not taken:
                await drag("dragCancel")  # dropped, Chrome would show the file instead of the page
                return {}
            await drag("drop")
            told: Told = await self._worlds.call(spot.frame, "changes")
            return {**told, "dropped": True, "matches": spot.matches}

        after = await self._settling.after(target.frame, deed)
        return after if taken else None


def _asked_for_none(target: Target) -> PageError:
    return not_actionable(
        f"{target.name}: it is no field for files, takes none that are dropped on it, and a click "
        "on it asked for none",
        _LOOK,
        delivered=True,
    )


def _asked_first(target: Target, dialog: str) -> PageError:
    return not_actionable(
        f"{target.name}: the click on it opened a dialog ({dialog}), and asked for no file yet",
        "Answer it with handle_dialog, then look at the page.",
        delivered=True,
    )


def _for_a_folder(target: Target, **facts: object) -> PageError:
    """Chromium 156 drops single files, and tells nobody."""
    return not_actionable(
        f"{target.name}: it takes a whole folder, and only files are given from here",
        "Look for a field that takes files; a person can choose the folder.",
        **facts,
    )


def _check_count(name: str, count: int, *, multiple: bool) -> None:
    if count > 1 and not multiple:
        raise not_actionable(f"{name}: it takes one file, and {count} were given", "Give one path.")


def _outside(path: str, folder: Path) -> PolicyDenied:
    return PolicyDenied(
        "POLICY_DENIED",
        f"{path[:200]!r} is not a file in the folder for uploads",
        hint=f"Only plain files below {folder} can be given to a page, and no links.",
        facts={"path": path[:1000]},
    )


def _no_file(path: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"there is no file {path[:200]!r} in the folder for uploads",
        hint="Give the path of a file, relative to that folder or absolute.",
    )
