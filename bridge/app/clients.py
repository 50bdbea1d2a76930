"""Where each MCP client keeps its servers, and how one more gets in there.

`block` is what a person pastes; `write` merges it into the client's own file. A file we cannot read
whole (a syntax error) is left alone: what we do not understand we do not rewrite. In one with
comments, as Zed's is from the start, nothing but our entry changes. What was there is kept in a
copy beside it, and the new text replaces the old in one step.
"""

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bridge import config
from bridge.app import commented
from bridge.errors import UsageError
from launcher.plain_file import replace

NAME = "chrome-bridge"
_SECTION = f"mcp_servers.{NAME}"
Shape = Literal["plain", "stdio", "zed", "opencode", "toml"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client; `folders` by system, under the home folder unless absolute."""

    key: str
    title: str
    shape: Shape
    under: tuple[str, ...]  # where the servers are, inside the file
    linux: str
    darwin: str = ""
    win32: str = ""
    hint: str = ""

    def file(self, home: Path, platform: str) -> Path:
        """Its configuration file on this system."""
        place = {"darwin": self.darwin, "win32": self.win32}.get(platform) or self.linux
        return home / place


_SUPPORT = "Library/Application Support"
CLIENTS = {
    client.key: client
    for client in (
        Client(
            key="claude-code",
            title="Claude Code",
            shape="stdio",
            under=("mcpServers",),
            linux=".claude.json",
            hint=f"or run: claude mcp add {NAME} --scope user -- COMMAND",
        ),
        Client(
            key="claude-desktop",
            title="Claude Desktop",
            shape="plain",
            under=("mcpServers",),
            linux=".config/Claude/claude_desktop_config.json",
            darwin=f"{_SUPPORT}/Claude/claude_desktop_config.json",
            win32="AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        Client(
            key="cursor",
            title="Cursor",
            shape="plain",
            under=("mcpServers",),
            linux=".cursor/mcp.json",
        ),
        Client(
            key="vscode",
            title="VS Code",
            shape="stdio",
            under=("servers",),
            linux=".config/Code/User/mcp.json",
            darwin=f"{_SUPPORT}/Code/User/mcp.json",
            win32="AppData/Roaming/Code/User/mcp.json",
        ),
        Client(
            key="codex",
            title="Codex",
            shape="toml",
            under=("mcp_servers",),
            linux=".codex/config.toml",
        ),
        Client(
            key="gemini",
            title="Gemini CLI",
            shape="plain",
            under=("mcpServers",),
            linux=".gemini/settings.json",
        ),
        Client(
            key="windsurf",
            title="Windsurf",
            shape="plain",
            under=("mcpServers",),
            linux=".codeium/windsurf/mcp_config.json",
        ),
        Client(
            key="zed",
            title="Zed",
            shape="zed",
            under=("context_servers",),
            linux=".config/zed/settings.json",
            win32="AppData/Roaming/Zed/settings.json",
        ),
        Client(
            key="opencode",
            title="opencode",
            shape="opencode",
            under=("mcp",),
            linux=".config/opencode/opencode.json",
        ),
    )
}


def command(arguments: Sequence[str] = ()) -> list[str]:
    """How a client starts us: absolute, for programs with windows know little of our PATH."""
    beside = Path(sys.executable).with_name(NAME)
    script = str(beside) if beside.exists() else shutil.which(NAME)
    start = [script] if script else [sys.executable, "-m", "bridge"]
    return [*start, "serve", *arguments]


def anchored(arguments: Sequence[str]) -> list[str]:
    """Arguments of `serve` whose paths lead to the same files wherever a client starts us."""
    kinds = {f"--{o.flag}": o.kind for kind in config.KINDS for o in config.options_of(kind)}
    paths = {"--config", *(flag for flag, kind in kinds.items() if kind == "path")}
    told: list[str] = []
    before = ""  # the flag this is the value of
    for each in arguments:
        flag, equals, value = each.partition("=")
        if before in paths:
            each = _absolute(each)
        elif not before and equals and flag in paths:
            each = f"{flag}={_absolute(value)}"
        takes = (
            not before and not equals and (flag in paths or kinds.get(flag, "switch") != "switch")
        )
        before = flag if takes else ""
        told.append(each)
    return told


def _absolute(path: str) -> str:
    return path if path.startswith("~") else str(Path(path).absolute())


def block(client: Client, argv: Sequence[str]) -> str:
    """What to paste into the client's file."""
    if client.shape == "toml":
        return _toml(argv)
    value: Any = {NAME: _entry(client, argv)}
    for key in reversed(client.under):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)


def _entry(client: Client, argv: Sequence[str]) -> dict[str, Any]:
    program, *arguments = argv
    match client.shape:
        case "stdio":
            return {"type": "stdio", "command": program, "args": arguments}
        case "zed":
            return {"source": "custom", "command": program, "args": arguments, "env": {}}
        case "opencode":
            return {"type": "local", "command": [program, *arguments], "enabled": True}
        case _:
            return {"command": program, "args": arguments}


def _toml(argv: Sequence[str]) -> str:
    program, *arguments = argv
    listed = ", ".join(map(_toml_text, arguments))
    return f"[{_SECTION}]\ncommand = {_toml_text(program)}\nargs = [{listed}]\n"


def _toml_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # a basic string, too


# Writing.


@dataclass(frozen=True, slots=True)
class Written:
    """What was done to a client's file."""

    file: Path
    changed: bool
    backup: Path | None  # None where there was no file


def write(client: Client, argv: Sequence[str], file: Path) -> Written:
    """Put us into this file; BAD_ARGS if it cannot be understood or written."""
    try:
        file = file.resolve()  # a link stays one: what it leads to is written
        if file.exists() and not file.is_file():  # a pipe would be waited for, for ever
            raise _unusable(client, file, "it is no file")
        before, ends = _read(file) if file.exists() else (None, "\n")
        after = _merged(client, argv, before or "")
        content = after.replace("\n", ends).encode()  # before anything is begun
        if after == before:
            return Written(file, False, None)
        file.parent.mkdir(parents=True, exist_ok=True)
        backup = _keep(file) if before is not None else None
        mode = 0o600 if before is None else file.stat().st_mode & 0o777
        replace(file, content, mode=mode)
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(client, file, str(error)) from error
    except (ValueError, RuntimeError) as error:  # a link to itself, and what is nested too deeply
        raise _unusable(client, file, f"it cannot be read: {error}") from error
    return Written(file, True, backup)


def _read(file: Path) -> tuple[str, str]:
    """What it says, in lines that end as ours do, and how all of its own end, if all alike.

    A mark at its beginning, as editors on Windows make it, is not part of what it says.
    """
    text = file.read_bytes().decode("utf-8-sig")
    windows = 0 < text.count("\n") == text.count("\r\n")
    return text.replace("\r\n", "\n"), "\r\n" if windows else "\n"


def _merged(client: Client, argv: Sequence[str], text: str) -> str:
    if client.shape == "toml":
        return _merged_toml(argv, text)
    bare = commented.bare(text)
    whole = json.loads(bare, object_pairs_hook=_once) if bare.strip() else {}
    place = whole
    for key in client.under:
        if not isinstance(place, dict):
            break
        place = place.setdefault(key, {})
    if not isinstance(place, dict):
        raise ValueError(f"{'.'.join(client.under)} is no object")
    place[NAME] = _entry(client, argv)
    if bare == text:
        return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    after = commented.put(text, (*client.under, NAME), place[NAME])
    if json.loads(commented.bare(after)) != whole:
        raise ValueError("it is written in a way we do not rewrite")
    return after


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two members of one name, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a name twice")
    return found


def _merged_toml(argv: Sequence[str], text: str) -> str:
    """The text with our table replaced or appended; everything else, comments too, as it was."""
    before = _others(text)
    if NAME in tomllib.loads(text).get("mcp_servers", {}):
        text, found = _OURS.subn("", text)
        if not found:
            raise ValueError(f"{_SECTION} is written in a way we do not rewrite")
    merged = (text.rstrip() + "\n\n" if text.strip() else "") + _toml(argv)
    if _others(merged) != before:
        raise ValueError(f"{_SECTION} is written in a way we do not rewrite")
    return merged


def _others(text: str) -> dict[str, Any]:
    """All but our table."""
    whole = tomllib.loads(text)
    servers = whole.pop("mcp_servers", {})
    if not isinstance(servers, dict):
        raise ValueError("mcp_servers is no table")
    return {**whole, "mcp_servers": {key: servers[key] for key in servers if key != NAME}}


# Our table and its sub-tables, up to the next header, what is noted above that, or the end.
_HEADER = r"""\[\s*mcp_servers\s*\.\s*["']?chrome-bridge["']?\s*(?:\.[^\]\n]*)?\]"""
_NOTES = r"(?:[ \t]*\#[^\n]*\n(?:[ \t]*(?:\#[^\n]*)?\n)*)?"
_OURS = re.compile(
    rf"^{_HEADER}[^\n]*\n?(?:(?!\[)[^\n]*(?:\n|\Z))*?(?={_NOTES}(?:^\[|\Z))", re.MULTILINE
)


def _keep(file: Path) -> Path:
    """A copy of what is there, under a name that nothing has yet."""
    number = 1
    while True:
        backup = file.with_name(f"{file.name}.before-{NAME}{number if number > 1 else ''}")
        if not backup.exists():
            shutil.copy2(file, backup)
            return backup
        number += 1


def _unusable(client: Client, file: Path, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"the configuration of {client.title} in {file} was left as it is: {why}",
        hint="Paste the block by hand; without --write it is printed.",
        facts={"file": str(file)},
    )
