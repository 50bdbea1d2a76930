"""Logging: one logger per room, key=value facts, and never a word of a page.

Library users configure `logging` themselves; `configure` is for our own commands. Levels are
off, important (warnings), all (everything down to debug).
"""

import logging
import sys
from pathlib import Path
from typing import Literal

from bridge.errors import UsageError

Level = Literal["off", "important", "all"]
LEVELS: dict[str, int] = {
    "off": logging.CRITICAL + 10,
    "important": logging.WARNING,
    "all": logging.DEBUG,
}


_LIBRARIES = ("mcp", "trio")


def get(room: str) -> logging.Logger:
    """The logger of a room: `get("session")` is `chrome_bridge.session`."""
    return logging.getLogger(f"chrome_bridge.{room}")


def get_root() -> logging.Logger:
    """The logger above all rooms."""
    return logging.getLogger("chrome_bridge")


def facts(**values: object) -> str:
    """`a=1 b=two` for a log line; text with spaces or anything unprintable is quoted."""
    return " ".join(f"{key}={_plain(value)}" for key, value in values.items() if value is not None)


def _plain(value: object) -> str:
    text = str(value)
    return text if text and text.isprintable() and " " not in text else repr(text)


def configure(level: Level, file: Path | None = None) -> None:
    """Send our loggers to stderr, or to a file of mode 0600, at this level, or BAD_ARGS.

    So are those of our libraries, which would write to stderr in any case: never more than their
    warnings, for in the rest are messages with all that they hold.
    """
    handler = logging.StreamHandler(sys.stderr) if file is None else _file_handler(file)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for logger in (get_root(), *map(logging.getLogger, _LIBRARIES)):
        for old in list(logger.handlers):
            logger.removeHandler(old)
            old.close()
        logger.addHandler(handler)
        own = logger is get_root()
        logger.setLevel(LEVELS[level] if own else max(LEVELS[level], logging.WARNING))
        logger.propagate = False


def _file_handler(file: Path) -> logging.Handler:
    try:
        file.touch(mode=0o600)
        if file.is_file():  # also one that was there before; never a device
            file.chmod(0o600)
        return logging.FileHandler(file, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            "BAD_ARGS",
            f"--log-file: {file} cannot be written: {error.strerror}",
            hint="Name a file in a folder that exists and is yours.",
        ) from error
