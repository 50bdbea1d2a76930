"""Settings of a profile that no switch makes; written only while no browser runs on it.

With `network_prediction_options` 2 Chrome neither looks names up nor connects ahead of a request.
The gate over CDP refuses requests, and by then a connection to the refused host would be there
(Chromium 156: with this, no look-up and no connection in any try). A person finds it in the
settings as "Preload pages", and can change it back.

One profile folder of ours holds as many profiles of Chrome as a person has made there. It opens the
one that a switch names, else the one used last; all of them get the settings.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launcher.plain_file import read_plain, replace

_LONGEST = 100_000_000

RESTRICTED: Mapping[str, Mapping[str, object]] = {
    "net": {"network_prediction_options": 2},
    "webrtc": {"ip_handling_policy": "disable_non_proxied_udp"},
}


def set_preferences(
    profile: Path, wanted: Mapping[str, Mapping[str, object]], *, named: str = ""
) -> None:
    """Make these settings, and leave all others as they are; raises OSError."""
    last = _part(_read(profile / "Local State"), "profile").get("last_used")
    there = [file.parent.name for file in profile.glob("*/Preferences")]
    names = ("Default", named, last, *there)
    for name in {name for name in names if isinstance(name, str) and _is_folder_name(name)}:
        _set(profile / name / "Preferences", wanted)


def _is_folder_name(name: str) -> bool:
    return name not in ("", "..") and name.isprintable() and Path(name).name == name


def _set(file: Path, wanted: Mapping[str, Mapping[str, object]]) -> None:
    present = _read(file)
    if all(_part(present, name).items() >= values.items() for name, values in wanted.items()):
        return
    for name, values in wanted.items():
        present[name] = {**_part(present, name), **values}
    file.parent.mkdir(mode=0o700, exist_ok=True)
    text = json.dumps(present, ensure_ascii=False, separators=(",", ":"))
    replace(file, text.encode("utf-8", "surrogatepass"))


def _read(file: Path) -> dict[str, Any]:
    """What is set; nothing where Chrome could not read it either and would begin anew."""
    try:
        found = json.loads(read_plain(file, _LONGEST))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _part(present: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = present.get(name)
    return part if isinstance(part, dict) else {}
