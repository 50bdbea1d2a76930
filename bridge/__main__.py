"""`chrome-bridge`, which is `python -m bridge`: the command line, and what comes before it.

Loading the command line takes a few tenths of a second, and Python answers an interrupt in them
with a trace of what it was loading. Nothing is held yet, so the system's own answer does: the
process ends, and nothing is said.
"""

import signal


def main() -> None:
    """Run the command that was given."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else: told to ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from bridge.cli import main as commands

    commands(prog_name="chrome-bridge")


if __name__ == "__main__":
    main()
