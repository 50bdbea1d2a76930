"""Settings written into a profile."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from launcher.preferences import RESTRICTED, set_preferences


def settings(profile: Path) -> Any:
    return json.loads((profile / "Default" / "Preferences").read_bytes())


def test_a_fresh_profile(tmp_path: Path) -> None:
    """A profile that has no settings yet gets these."""
    set_preferences(tmp_path, RESTRICTED)
    assert settings(tmp_path) == RESTRICTED
    if sys.platform != "win32":
        assert (tmp_path / "Default" / "Preferences").stat().st_mode & 0o777 == 0o600


def test_others_stay(tmp_path: Path) -> None:
    """Whatever else is set stays as it was."""
    (tmp_path / "Default").mkdir()
    before = {"net": {"x": 1, "network_prediction_options": 0}, "name": "Ädä \ud800", "webrtc": 3}
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(before))
    set_preferences(tmp_path, RESTRICTED)
    assert settings(tmp_path) == {
        "net": {"x": 1, "network_prediction_options": 2},
        "name": "Ädä \ud800",
        "webrtc": {"ip_handling_policy": "disable_non_proxied_udp"},
    }


def test_all_that_may_open(tmp_path: Path) -> None:
    """The profile used last, the one that is named and all there are get them; odd names do not."""
    (tmp_path / "Local State").write_text('{"profile": {"last_used": "Profile 1"}}')
    (tmp_path / "Profile 2").mkdir()
    (tmp_path / "Profile 2" / "Preferences").write_text("{}")
    set_preferences(tmp_path, RESTRICTED, named="Work")
    assert {file.parent.name for file in tmp_path.glob("*/Preferences")} == {
        "Default",
        "Profile 1",
        "Profile 2",
        "Work",
    }
    for file in tmp_path.glob("*/Preferences"):
        assert json.loads(file.read_bytes()) == RESTRICTED


@pytest.mark.parametrize("name", ["..", ".", "", "../x", "/x", "a/b", "\0", 5, None, {}])
def test_odd_profiles(tmp_path: Path, name: object) -> None:
    """What is no name of a folder leads nowhere."""
    profile = tmp_path / "p"
    profile.mkdir()
    (profile / "Local State").write_text(json.dumps({"profile": {"last_used": name}}))
    set_preferences(profile, RESTRICTED)
    assert list(tmp_path.rglob("Preferences")) == [profile / "Default" / "Preferences"]


def test_written_once(tmp_path: Path) -> None:
    """Settings that are made already are not written again."""
    set_preferences(tmp_path, RESTRICTED)
    file = tmp_path / "Default" / "Preferences"
    before = file.stat().st_ino
    set_preferences(tmp_path, RESTRICTED)
    assert file.stat().st_ino == before
    assert [each.name for each in file.parent.iterdir()] == ["Preferences"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_damaged_settings(tmp_path: Path, damage: bytes) -> None:
    """Settings that Chrome could not read either are begun anew."""
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_bytes(damage)
    set_preferences(tmp_path, RESTRICTED)
    assert settings(tmp_path) == RESTRICTED


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    """What cannot be written is an error of the system, and leaves nothing behind."""
    (tmp_path / "Default" / "Preferences").mkdir(parents=True)
    with pytest.raises(OSError, match=r"Preferences|denied"):
        set_preferences(tmp_path, RESTRICTED)
    assert [each.name for each in (tmp_path / "Default").iterdir()] == ["Preferences"]
