"""What a user has allowed "always" when asked: one small file that a person can read and edit.

It is written like a policy file, and only ever grown by an answer of the user. A file that cannot
be read grants nothing, and is not written over: a person may want to mend it.
"""

import json
import tomllib
from pathlib import Path

from bridge import log
from bridge.errors import UsageError
from bridge.policy.rules import Level, Policy
from launcher.plain_file import read_plain, replace

_NAME = "allowed.toml"
_LONGEST = 1_000_000
_HEAD = "# Hosts that were allowed always, when asked; remove a line to be asked again.\n"
_log = log.get("app")


class Grants:
    """The lasting grants of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._file = data_dir / _NAME

    def apply(self, policy: Policy) -> Policy:
        """The policy and what has been granted before."""
        for level, hosts in (self._read() or {}).items():
            for host in hosts:
                try:
                    policy = policy.with_grant(host, level)
                except UsageError as error:
                    _log.warning("%s: %s", self._file, error.message)
        return policy

    def remember(self, host: str, level: Level) -> None:
        """Keep a grant for the next server; a disk that refuses costs the memory, not the call."""
        hosts = self._read()
        if hosts is None or host in hosts[level]:
            return
        hosts[level].append(host)
        lines = [f"{level.value} = [{', '.join(map(_text, hosts[level]))}]\n" for level in Level]
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace(self._file, (_HEAD + "".join(lines)).encode())
        except OSError as error:
            _log.warning("the grant for %s is not kept: %s", host, error)

    def _read(self) -> dict[Level, list[str]] | None:
        """None if it is damaged."""
        hosts: dict[Level, list[str]] = {level: [] for level in Level}
        try:
            raw = tomllib.loads(read_plain(self._file, _LONGEST).decode("utf-8-sig"))
            for level in Level:
                hosts[level] = _texts(raw.get(level.value, []))
        except FileNotFoundError:
            return hosts
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s grants nothing: %s", self._file, error)
            return None
        return hosts


def _texts(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("a list of hosts is no list of texts")
    return value


def _text(host: str) -> str:
    """As TOML writes it, and JSON does, too: what a person has written may be no host."""
    return json.dumps(host, ensure_ascii=False)
