"""Which browsers are told of the host, where, and how it is taken back; on every platform."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.relay import native_host, registration
from bridge.relay.registration import Host, Place, host_of, places
from bridge.transport import link
from launcher import platform as platforms
from launcher.platform import Machine, Platform

NAME = f"{link.HOST_NAME}.json"


def linux(root: Path, **environment: str) -> Platform:
    machine = Machine(environment=environment, home="/home/me", user_id=1000, root=root)
    return platforms.current(machine, system="linux")


def browser(root: Path, folder: str) -> Path:
    made = root / "home/me" / folder
    made.mkdir(parents=True)
    return made


@pytest.fixture
def host(tmp_path: Path) -> Host:
    found = host_of(tmp_path / "our data")
    found.write()
    return found


def manifests(found: list[Place]) -> dict[str, Path | None]:
    return {place.browser: place.manifest for place in found}


def test_places_on_linux(tmp_path: Path, host: Host) -> None:
    """Each browser that has a user-data folder is told in it; no other one is."""
    folders = {
        "Google Chrome": ".config/google-chrome",
        "Google Chrome Beta": ".config/google-chrome-beta",
        "Chromium": ".config/chromium",
        "Microsoft Edge": ".config/microsoft-edge",
        "Brave": ".config/BraveSoftware/Brave-Browser",
        "Vivaldi": ".config/vivaldi",
        "Opera": ".config/opera",
    }
    made = {name: browser(tmp_path, folder) for name, folder in folders.items()}
    found = manifests(places(linux(tmp_path), host))
    assert found == {n: f / "NativeMessagingHosts" / NAME for n, f in made.items()}


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "CHROME_CONFIG_HOME"])
def test_configured_folder(variable: str, tmp_path: Path, host: Host) -> None:
    """A configuration folder that was moved is looked for where it is."""
    moved = tmp_path / "moved/chromium"
    moved.mkdir(parents=True)
    browser(tmp_path, ".config/google-chrome")
    found = places(linux(tmp_path, **{variable: "/moved"}), host)
    assert manifests(found) == {"Chromium": moved / "NativeMessagingHosts" / NAME}


@pytest.mark.parametrize(
    "folder",
    [
        "snap/chromium/common/chromium",
        "snap/brave/current/.config/BraveSoftware/Brave-Browser",
        ".var/app/com.google.Chrome/config/google-chrome",
    ],
)
def test_sandboxed(folder: str, tmp_path: Path, host: Host) -> None:
    """A snap or flatpak is named as one that cannot, and nothing is written there."""
    made = browser(tmp_path, folder)
    [place] = places(linux(tmp_path), host)
    assert "snap or flatpak" in place.obstacle
    assert registration.register(place, host) == "impossible"
    assert list(made.iterdir()) == []


def test_places_on_mac(tmp_path: Path, host: Host) -> None:
    """On macOS they are below Application Support."""
    support = "Library/Application Support"
    chrome = browser(tmp_path, f"{support}/Google/Chrome")
    opera = browser(tmp_path, f"{support}/com.operasoftware.Opera")
    machine = Machine(environment={}, home="/home/me", user_id=501, root=tmp_path)
    found = manifests(places(platforms.current(machine, system="darwin"), host))
    assert found == {
        "Google Chrome": chrome / "NativeMessagingHosts" / NAME,
        "Opera": opera / "NativeMessagingHosts" / NAME,
    }


def test_places_on_windows(tmp_path: Path, host: Host) -> None:
    """On Windows each key of the registry is named once, by the first browser that reads it."""
    for folder in ("Google/Chrome", "Google/Chrome Beta", "Vivaldi", "Chromium", "Microsoft/Edge"):
        (tmp_path / "C/Local" / folder / "User Data").mkdir(parents=True)
    machine = Machine(environment={"LOCALAPPDATA": "C:\\Local"}, home="C:\\me", root=tmp_path)
    found = places(platforms.current(machine, system="win32"), host)
    assert {place.browser: place.key for place in found} == {
        name: f"Software\\{vendor}\\NativeMessagingHosts\\{link.HOST_NAME}"
        for name, vendor in (
            ("Google Chrome", "Google\\Chrome"),
            ("Chromium", "Chromium"),
            ("Microsoft Edge", "Microsoft\\Edge"),
        )
    }


def test_places_on_wsl(tmp_path: Path, host: Host) -> None:
    """A browser of the Windows beside us is named as one that cannot."""
    (tmp_path / "mnt/c/Users/me/AppData/Local/Google/Chrome/User Data").mkdir(parents=True)
    browser(tmp_path, ".config/chromium")
    machine = Machine(
        environment={"WSL_DISTRO_NAME": "Debian"}, home="/home/me", user_id=1000, root=tmp_path
    )
    found = places(platforms.current(machine, system="linux"), host)
    assert [place.browser for place in found if not place.obstacle] == ["Chromium"]
    assert [place.browser for place in found if place.obstacle] == ["Google Chrome (Windows)"]


def test_our_profiles(tmp_path: Path, host: Host) -> None:
    """Profiles of ours that exist are told as well."""
    folder = host.data_dir / "profiles" / "work"
    folder.mkdir(parents=True)
    [place] = places(linux(tmp_path), host)
    assert place.manifest == folder / "NativeMessagingHosts" / NAME


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(browser="Chromium", manifest=tmp_path / "browser/NativeMessagingHosts" / NAME)


def read(place: Place) -> dict[str, object]:
    assert place.manifest is not None
    told: dict[str, object] = json.loads(place.manifest.read_text())
    return told


def test_register(place: Place, host: Host) -> None:
    """The manifest names our wrapper and our extension, and doing it again changes nothing."""
    assert registration.state_of(place, host) == "absent"
    assert registration.register(place, host) == "registered"
    told = read(place)
    assert (told["name"], told["type"]) == (link.HOST_NAME, "stdio")
    assert (told["path"], told["allowed_origins"]) == (str(host.wrapper), [f"{link.ORIGIN}/"])
    assert place.manifest is not None
    before = place.manifest.stat()
    assert registration.register(place, host) == "registered"
    assert place.manifest.stat() == before


def test_unregister(place: Place, host: Host) -> None:
    """What is ours goes, once."""
    registration.register(place, host)
    assert registration.unregister(place, host) == "absent"
    assert registration.unregister(place, host) == "absent"
    assert place.manifest is not None
    assert list(place.manifest.parent.iterdir()) == []


@pytest.mark.parametrize("text", ['{"path": "/usr/bin/other"}', "{}", "[]", "{", "[" * 9999])
def test_foreign(text: str, place: Place, host: Host) -> None:
    """A manifest of our name that leads elsewhere is neither replaced nor removed."""
    assert place.manifest is not None
    place.manifest.parent.mkdir(parents=True)
    place.manifest.write_text(text)
    assert registration.register(place, host) == "foreign"
    assert registration.unregister(place, host) == "foreign"
    assert place.manifest.read_text() == text


def test_registry(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the registry the value is the manifest in our data folder."""
    values: dict[str, str] = {}
    monkeypatch.setattr(registration, "read_value", values.get)
    monkeypatch.setattr(registration, "write_value", values.__setitem__)
    monkeypatch.setattr(registration, "delete_value", values.__delitem__)
    place = Place(browser="Google Chrome", key="Software\\x")
    assert registration.register(place, host) == "registered"
    assert values == {"Software\\x": str(host.manifest)}
    assert registration.unregister(place, host) == "absent"
    values["Software\\x"] = "C:\\other.json"
    assert registration.unregister(place, host) == "foreign"
    assert values


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's script")
def test_wrapper(host: Host) -> None:
    """The wrapper runs the host on our links, in a folder only we may write."""
    assert host.wrapper.stat().st_mode & 0o777 == 0o700
    assert host.wrapper.parent.stat().st_mode & 0o777 == 0o700
    done = subprocess.run(
        [host.wrapper, native_host.ORIGIN], stdin=subprocess.DEVNULL, capture_output=True, env={}
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout[4:]) == {"v": 1, "servers": []}


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's script")
def test_wrapper_in_an_odd_folder(tmp_path: Path) -> None:
    """Quotes, dollars and spaces in a path are only letters."""
    host = host_of(tmp_path / 'it\'s $(odd) "here"')
    host.write()
    host.links.mkdir(mode=0o700)
    (host.links / "other.json").write_text("{}")
    done = subprocess.run(
        [host.wrapper, native_host.ORIGIN], stdin=subprocess.DEVNULL, capture_output=True
    )
    assert b"passed over 1 file" in done.stderr


def test_remove(host: Host) -> None:
    """Our own files go, and once is enough."""
    host.remove()
    host.remove()
    assert not host.wrapper.exists()
    assert not host.manifest.exists()
