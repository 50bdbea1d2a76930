"""The file that tells an extension where this server is, and the token: links/<serverId>.json.

Whoever can read it may use the browser, so it is written for its owner alone and looked at again
and again: one that is gone, or that others could read meanwhile, makes the token worthless, and a
new one takes its place. A folder others have access to is not written to at all.
"""

import hashlib
import json
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bridge import log
from bridge.errors import UsageError
from bridge.transport.link import EXTENSION_ID
from launcher import plain_file, record

FOLDER = "links"
"""In the data folder."""

_MOST = 4096
_log = log.get("relay")


class Invitation:
    """Made by `open_invitation`."""

    def __init__(self, folder: Path, client_name: str, port: int, token: str | None) -> None:
        # A server with a token that stays is the same one to a browser each time.
        self.server_id = secrets.token_hex(8) if token is None else _name(port, token)
        self.token = ""
        self._given = token
        self._folder = folder
        self._client_name = client_name
        self._port = port
        self._started_at = time.time()

    @property
    def file(self) -> Path:
        return self._folder / f"{self.server_id}.json"

    @property
    def lost(self) -> bool:
        """It has been taken away, or others may have read it."""
        try:
            return not _is_private(self.file, stat.S_IFREG)
        except OSError:
            return True

    def renew(self) -> None:
        """Another token; OSError if it cannot be written, and then the file is gone as well."""
        self.token, self._given = self._given or secrets.token_urlsafe(32), None
        text = json.dumps(
            {
                "v": 1,
                "serverId": self.server_id,
                "clientName": self._client_name,
                "port": self._port,
                "token": self.token,
                "pid": os.getpid(),
                "startedAt": self._started_at,
                "extensionId": EXTENSION_ID,
            }
        )
        try:
            _own(self._folder)
            plain_file.replace(self.file, text.encode())
        except OSError:
            plain_file.unlink(self.file)
            raise

    def withdraw(self) -> None:
        """The file goes, unless it tells of another server.

        One with the same token and port has the same name, and may have them before we are gone.
        """
        with suppress(OSError, ValueError, RecursionError):
            said = json.loads(plain_file.read_plain(self.file, _MOST))
            if isinstance(said, dict) and said.get("startedAt") != self._started_at:
                return
        plain_file.unlink(self.file)


@contextmanager
def open_invitation(
    folder: Path, client_name: str, port: int, token: str | None = None
) -> Iterator[Invitation]:
    """The file, for as long as the block lasts; BAD_ARGS where it would not be ours alone.

    Files that processes left which are no more go as well.
    """
    invitation = Invitation(folder, client_name, port, token)
    try:
        invitation.renew()
        if invitation.lost:
            raise PermissionError(f"{invitation.file} is not for its owner alone")
    except OSError as error:
        plain_file.unlink(invitation.file)
        raise UsageError(
            "BAD_ARGS",
            f"no extension can be told of this server: {error}",
            hint=f"{folder} has to be a folder of yours that nobody else may enter (mode 0700).",
        ) from error
    sweep(folder)
    try:
        yield invitation
    finally:
        invitation.withdraw()


def _name(port: int, token: str) -> str:
    return hashlib.sha256(f"server\n{port}\n{token}".encode()).hexdigest()[:16]


def sweep(folder: Path) -> None:
    """Remove what processes that are no more have left; nothing else is touched.

    Drafts among it: one that was killed while it replaced its file has left its token there.
    """
    for file in (*folder.glob("*.json"), *folder.glob(".*.json.*")):
        with suppress(OSError, ValueError, RecursionError):
            said = json.loads(plain_file.read_plain(file, _MOST))
            pid = said.get("pid") if isinstance(said, dict) else None
            if isinstance(pid, int) and not _runs(pid):
                _log.info("removed %s", log.facts(file=file.name, pid=pid))
                plain_file.unlink(file)


def _runs(pid: int) -> bool:
    return 0 < pid < 1 << 31 and record.started_at(pid) != ""


def _own(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    if not _is_private(folder, stat.S_IFDIR):
        raise PermissionError(f"{folder} is not for its owner alone")


def _is_private(path: Path, kind: int) -> bool:
    """Ours, of this kind itself rather than through a link, and closed to everybody else."""
    found = path.lstat()
    if stat.S_IFMT(found.st_mode) != kind:
        return False
    if sys.platform == "win32":  # a profile's folders are its owner's there; modes say nothing
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077
