"""Where browsers look for a native-messaging host, and how ours gets there and away again.

One manifest for each browser of the person: Chrome looks in its own user-data folder, so a file in
one says nothing to another. All of them point at one wrapper in our data folder, which names the
interpreter absolutely, for a browser started from a desktop knows nothing of environments. A
manifest of our name that leads elsewhere is somebody's, perhaps a second data folder of ours: it is
named, and left alone.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from bridge.relay import native_host
from bridge.relay.invitation import FOLDER as LINKS
from bridge.relay.registry import delete_value, read_value, write_value
from bridge.transport.link import EXTENSION_ID, HOST_NAME
from launcher.hosts import FOLDER, IN_PROFILE, put
from launcher.plain_file import read_plain
from launcher.platform import NAMES, Channel, Platform
from launcher.platform.wsl import Wsl
from launcher.profile import named_profiles

_MANIFEST = f"{HOST_NAME}.json"
_LONGEST = 64 * 1024
_BOX = re.compile(r"/snap/[^/]+/(?:common|current)/|/\.var/app/")
_BOXED = "a snap or flatpak cannot start a program outside of itself"
_BESIDE = "a browser of Windows cannot start a program of this Linux"

# Browsers we do not start ourselves, by platform: name, and folder beside Chromium's own.
_OTHERS: dict[str, dict[str, str]] = {
    "linux": {"Vivaldi": "vivaldi", "Opera": "opera"},
    "mac": {"Vivaldi": "Vivaldi", "Opera": "com.operasoftware.Opera"},
    "windows": {"Vivaldi": "../Vivaldi/User Data"},
}
# The others, Brave and Vivaldi among them, read Chrome's.
_KEYS: dict[str, str] = {
    "chromium": "Software\\Chromium",
    "edge": "Software\\Microsoft\\Edge",
    "edge-beta": "Software\\Microsoft\\Edge",
    "edge-dev": "Software\\Microsoft\\Edge",
    "edge-canary": "Software\\Microsoft\\Edge",
}
_CHROMES_KEY = "Software\\Google\\Chrome"

State = Literal["registered", "absent", "foreign", "impossible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one browser looks."""

    browser: str
    manifest: Path | None = None  # the file it reads
    key: str = ""  # on Windows: the key whose default value names the file
    obstacle: str = ""  # why no host of ours can be reached from there

    @property
    def where(self) -> str:
        """For people."""
        return f"HKEY_CURRENT_USER\\{self.key}" if self.key else str(self.manifest or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Our own files, all in one folder of the data folder."""

    data_dir: Path

    @property
    def wrapper(self) -> Path:
        """What the browser starts."""
        ending = ".bat" if sys.platform == "win32" else ""
        return self.data_dir / FOLDER / f"chrome-bridge-link{ending}"

    @property
    def manifest(self) -> Path:
        """What profiles we launch get a copy of, and what the registry of Windows names."""
        return self.data_dir / FOLDER / _MANIFEST

    @property
    def links(self) -> Path:
        """Where servers say that they are there."""
        return self.data_dir / LINKS

    def text(self) -> bytes:
        """The manifest."""
        told = {
            "name": HOST_NAME,
            "description": "Tells the chrome-bridge extension which servers run.",
            "path": str(self.wrapper),
            "type": "stdio",
            "allowed_origins": [f"chrome-extension://{EXTENSION_ID}/"],
        }
        return f"{json.dumps(told, indent=2, ensure_ascii=False)}\n".encode()

    def script(self, python: str = sys.executable) -> bytes:
        """The wrapper."""
        words = [python, "-I", "-S", str(Path(native_host.__file__).resolve()), str(self.links)]
        if sys.platform == "win32":
            quoted = " ".join(f'"{word}"' for word in words).replace("%", "%%")
            return f"@chcp 65001 >nul\r\n@{quoted} %*\r\n".encode()
        return f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'.encode()

    def write(self) -> None:
        """Put wrapper and manifest where they belong; raises OSError."""
        folder = self.wrapper.parent
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)  # whoever writes there runs programs in our name
        put(self.wrapper, self.script(), mode=0o700)
        put(self.manifest, self.text())

    def remove(self) -> None:
        """Take them away again."""
        self.wrapper.unlink(missing_ok=True)
        self.manifest.unlink(missing_ok=True)


def host_of(data_dir: Path) -> Host:
    """The host of this data folder; what is written into manifests has to be absolute."""
    return Host(data_dir=data_dir.expanduser().absolute())


def places(platform: Platform, host: Host) -> list[Place]:
    """Where the browsers of this person look, as far as there are any, and our own profiles."""
    found = [_place(platform, *each) for each in _roots(platform) if each[2].is_dir()]
    if platform.name == "windows":
        return _one_for_each_key(found)
    profiles = sorted(named_profiles(host.data_dir).glob("*/"))
    return found + [
        Place(browser=f"our profile {folder.name!r}", manifest=folder / IN_PROFILE / _MANIFEST)
        for folder in profiles
    ]


def _one_for_each_key(found: list[Place]) -> list[Place]:
    first: dict[str, Place] = {}
    for place in found:
        first.setdefault(place.key, place)
    return list(first.values())


def _roots(platform: Platform) -> Iterator[tuple[str, str, Path]]:
    """Channel, name and user-data folder of every browser that could be here."""
    roots = platform.default_user_data_dirs()
    for channel, folder in roots:
        yield channel, NAMES[cast(Channel, channel)], folder
    beside = next(folder for channel, folder in roots if channel == "chromium")
    if platform.name == "windows":
        beside = beside.parent
    others = _OTHERS["linux" if platform.name == "wsl" else platform.name]
    for name, place in others.items():
        yield name, name, beside.parent / place.removeprefix("../")


def _place(platform: Platform, channel: str, name: str, folder: Path) -> Place:
    if platform.name == "windows":
        key = f"{_KEYS.get(channel, _CHROMES_KEY)}\\NativeMessagingHosts\\{HOST_NAME}"
        return Place(browser=name, key=key)
    if _BOX.search(folder.as_posix()):
        return Place(browser=f"{name} (sandboxed)", obstacle=_BOXED)
    if isinstance(platform, Wsl) and folder.is_relative_to(platform.locate(platform.mount)):
        return Place(browser=f"{name} (Windows)", obstacle=_BESIDE)
    return Place(browser=name, manifest=folder / IN_PROFILE / _MANIFEST)


def state_of(place: Place, host: Host) -> State:
    """Whether this browser finds our host."""
    if place.obstacle:
        return "impossible"
    leads_to = _leads_to(place)
    if leads_to is None:
        return "absent"
    ours = host.manifest if place.key else host.wrapper
    return "registered" if leads_to == str(ours) else "foreign"


def _leads_to(place: Place) -> str | None:
    """The program, or the manifest of the registry; "" where nothing can be made of it."""
    if place.key:
        return read_value(place.key)
    assert place.manifest is not None
    try:
        told = json.loads(read_plain(place.manifest, _LONGEST))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError):
        return ""
    return str(told.get("path", "")) if isinstance(told, dict) else ""


def register(place: Place, host: Host) -> State:
    """Let this browser find our host, whose files are there; raises OSError."""
    state = state_of(place, host)
    if state not in ("absent", "registered"):
        return state
    if place.key:
        write_value(place.key, str(host.manifest))
    elif place.manifest is not None:
        put(place.manifest, host.text())
    return "registered"


def unregister(place: Place, host: Host) -> State:
    """Take away what is ours, and nothing else; raises OSError."""
    state = state_of(place, host)
    if state != "registered":
        return state
    if place.key:
        delete_value(place.key)
    elif place.manifest is not None:
        place.manifest.unlink(missing_ok=True)
    return "absent"
