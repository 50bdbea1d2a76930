"""Removes a profile folder that nobody needs any more.

It is renamed first: whoever comes for the old name finds either the whole folder or none, never one
that loses its files under his hands. What was only half removed keeps its new name, so that a later
clean-up knows it for rubbish.

Standard library only: the watchdog runs this without the packages.
"""

import os
import shutil
import time
from pathlib import Path

from launcher import memory

RUBBISH = ".gone"
"""Ending of the name under which a folder is removed."""

_TRIES, _PAUSE = 40, 0.025  # Chrome's crash handlers write for a moment after it has gone


def remove_folder(folder: Path) -> None:
    """Remove it with all it holds, as far as that is possible within a second."""
    doomed = folder
    if not folder.name.endswith(RUBBISH):
        doomed = folder.with_name(folder.name + RUBBISH)
        try:
            os.rename(folder, doomed)
        except OSError:  # Windows, while something in it is open
            doomed = folder
    for _ in range(_TRIES):
        if memory.clear(str(doomed)):
            shutil.rmtree(doomed, ignore_errors=True)
        if not os.path.lexists(doomed):
            return
        time.sleep(_PAUSE)  # noqa: TID251 -- no trio here, and a folder has no event
