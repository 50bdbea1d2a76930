"""The token of an HTTP server: 256 bits in a file only its owner can read.

Whoever has reason to distrust a token wants it gone at once, without a restart that takes the
browser along: so it can be made anew in its file, which clients already know.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bridge.errors import LaunchError
from launcher import plain_file


class KeptToken:
    """Made by `kept_token`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.value = ""

    @property
    def lost(self) -> bool:
        """Somebody has taken the file away."""
        return not self.file.is_file()

    def renew(self) -> None:
        """Another value; OSError if it cannot be written, and then the file is gone as well."""
        self.value = secrets.token_urlsafe(32)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            plain_file.replace(self.file, f"{self.value}\n".encode())
        except OSError:
            with suppress(OSError):
                self.file.unlink()
            raise


@contextmanager
def kept_token(folder: Path, kind: str = "http") -> Iterator[KeptToken]:
    """A fresh token, and its file for as long as the block lasts; LAUNCH_FAILED without one."""
    token = KeptToken(folder / f"{kind}-{secrets.token_hex(4)}.token")
    try:
        token.renew()
    except OSError as error:
        raise LaunchError(
            "LAUNCH_FAILED",
            f"the token cannot be written to {token.file}: {error.strerror or error}",
            hint="Give a data folder of yours, with room in it, with --data-dir.",
        ) from error
    try:
        yield token
    finally:
        token.file.unlink(missing_ok=True)
