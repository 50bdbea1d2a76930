"""`chrome-bridge`, which is `python -m bridge`: the command line, and what comes around it.

Loading the command line takes a few tenths of a second, and Python answers an interrupt in them
with a trace of what it was loading. Nothing is held yet, so the system's own answer does: the
process ends, and nothing is said. Next to none of what is made meanwhile ever goes, so the search
for garbage is put off: at Python's own pace it is 5 to 7 % of a server's start (116 ms with it, 108
without, medians of 20 in turns). At the end nothing is held any more, and Python would take another
30 to 80 ms to take itself apart, object by object, which whoever waits for us would wait.
"""

import gc
import logging
import os
import signal
import sys
from io import TextIOWrapper
from typing import NoReturn

_OBJECTS = 20_000  # made and not gone until it is looked which of them could go
_UNSAID = 120  # Python's own code where the last words could not be written


def main() -> None:
    """Run the command that was given."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else: told to ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_OBJECTS)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        # Not every terminal or pipe takes the title of any page, nor the name of any file.
        sys.stdout.reconfigure(errors="backslashreplace")
    from bridge.cli import main as commands

    try:
        commands(prog_name="chrome-bridge")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _leave(end.code or 0)
        raise
    except OSError as error:  # of the last words alone: all else is caught where it happens
        sys.stderr.write(f"chrome-bridge cannot say what it has to: {error.strerror}\n")
        _leave(_UNSAID)


def _leave(code: int) -> NoReturn:
    logging.shutdown()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # it was closed before we came
                stream.flush()
    except (OSError, ValueError):
        code = code or _UNSAID
    os._exit(code)


if __name__ == "__main__":
    main()
