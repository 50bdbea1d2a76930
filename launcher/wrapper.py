"""What kind of file a browser's path is, and which program a wrapper script would run.

On Linux `chromium` and `google-chrome` are mostly shell scripts around the real binary. Starting
the binary itself saves a shell (10 % of the way to the first page on Debian) and keeps the flags of
/etc/chromium.d out. A script is read, never run, and believed only when it is simple: one `exec` of
a literal path, or of variables that are each set once to literal text or to the script's own
folder. A script that passes switches of its own, or lies outside the folders of packages, was made
by someone for a reason and stays.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["program", "script", "unreadable"]
Locate = Callable[[str], Path]

_PROGRAMS = (
    b"\x7fELF",
    b"MZ",
    b"\xcf\xfa\xed\xfe",  # Mach-O, 64 bit
    b"\xca\xfe\xba\xbe",  # Mach-O, several architectures
)
_PACKAGED = ("/usr/bin", "/usr/lib", "/usr/lib64", "/opt")
_LIMIT = 65536  # a wrapper is a page of text; Debian's has 5 KB
_ASSIGNMENT = re.compile(r"\s*(?:export\s+|readonly\s+)?([A-Za-z_]\w*)=(.*)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_OWN_FOLDER = re.compile(r"dirname\b.*\$\{?0\}?")

SNAP_NOTE = (
    "This browser is a snap: it may only use a profile folder in the home directory that is not "
    "hidden, and not /tmp."
)
FLATPAK_NOTE = (
    "This browser is a flatpak: it sees only the folders that its permissions name, and the "
    "debugging pipe does not reach it."
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The file to start; `missing` names what a wrapper would have run but is not there."""

    path: Path
    note: str = ""
    missing: str = ""


def kind_of(path: Path) -> Kind | None:
    """What the first bytes say; None when the file is no kind of program."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except PermissionError:
        return "unreadable"  # a program may be executable without being readable
    if head.startswith(_PROGRAMS):
        return "program"
    return "script" if head.startswith(b"#!") else None


def resolve_wrapper(path: Path, locate: Locate) -> Resolved:
    """The real binary behind this path where it can be known, else the path itself."""
    real = path.resolve()
    if real.name == "snap" or path.parent == locate("/snap/bin"):
        return Resolved(path, SNAP_NOTE)  # snap looks at the name it was called by
    if kind_of(real) != "script":
        return Resolved(real)
    text = _read(real)
    if "flatpak run" in text:
        return Resolved(path, FLATPAK_NOTE)
    if not any(real.is_relative_to(locate(folder)) for folder in _PACKAGED):
        return Resolved(path)
    return _follow(path, real, text, locate)


def _follow(path: Path, real: Path, text: str, locate: Locate) -> Resolved:
    variables = _literal_variables(text, str(real.parent))
    missing = ""
    for words in _exec_lines(text):
        target = _expand(words[0], variables)
        if target is None or not target.startswith("/"):
            continue
        inner = Path(target) if target.startswith(f"{real.parent}/") else locate(target)
        if not inner.exists():
            missing = missing or target
        elif inner.parent == locate("/snap/bin"):
            return Resolved(inner, SNAP_NOTE)
        elif not any(word.startswith("--") for word in words[1:]) and kind_of(inner) == "program":
            return Resolved(inner.resolve())
        else:
            return Resolved(path)
    return Resolved(path, missing=missing)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_LIMIT).decode("utf-8", "replace")


def _literal_variables(text: str, own_folder: str) -> Mapping[str, str]:
    found: dict[str, str | None] = {}
    for line in text.splitlines():
        assignment = _ASSIGNMENT.fullmatch(line)
        if assignment is None:
            continue
        name, value = assignment.groups()
        literal = own_folder if _OWN_FOLDER.search(value) else _literal(value, found)
        found[name] = literal if found.get(name, literal) == literal else None
    return {name: value for name, value in found.items() if value is not None}


def _literal(value: str, variables: Mapping[str, str | None]) -> str | None:
    try:
        words = shlex.split(value, comments=True)
    except ValueError:
        return None
    known = {name: text for name, text in variables.items() if text is not None}
    return _expand(words[0], known) if len(words) == 1 else None


def _expand(word: str, variables: Mapping[str, str]) -> str | None:
    names = {braced or plain for braced, plain in _VARIABLE.findall(word)}
    if not names <= variables.keys():
        return None
    text = _VARIABLE.sub(lambda match: variables[match[1] or match[2]], word)
    return None if re.search(r"[$`*?]", text) else text


def _exec_lines(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if words[:1] != ["exec"]:
            continue
        words = words[3:] if words[1:2] == ["-a"] else words[1:]
        if words:
            yield words
