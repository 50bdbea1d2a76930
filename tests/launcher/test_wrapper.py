"""Wrapper scripts, snaps and flatpaks."""

import os
from pathlib import Path

import pytest

from launcher.platform.base import Machine
from launcher.wrapper import FLATPAK_NOTE, SNAP_NOTE, kind_of, resolve_wrapper

ELF = b"\x7fELF\x02\x01\x01" + bytes(9)

# The shape of Debian's script: a folder out of a variable, sourced settings, exec at the end.
DEBIAN = """#!/bin/sh
PROG=chromium
ROOT=/usr/lib/$PROG
SETTINGS=""
for extra in /etc/chromium.d/*; do . $extra; done
if test -z "$CHROME_WRAPPER"; then
    export CHROME_WRAPPER="/usr/bin/$PROG"
fi
if [ $debug -eq 1 ]; then
    /usr/bin/gdb "$ROOT/$PROG"
    exit $?
else
    exec $ROOT/$PROG $SETTINGS "$@"
fi
"""
# The shape of the vendors' script: the folder the script itself lies in.
VENDOR = """#!/bin/bash
MYSELF="`readlink -f "$0"`"
export CHROME_WRAPPER="$MYSELF"
PLACE="`dirname "$MYSELF" # $0`"
exec < /dev/null
exec > >(exec cat)
exec -a "$0" "$PLACE/chrome" "$@"
"""
SNAP_STUB = """#!/bin/sh
if ! [ -x /snap/bin/chromium ]; then
    echo "install the snap" >&2
    exit 1
fi
exec /snap/bin/chromium "$@"
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose root is an empty folder."""
    return Machine(environment={}, home="/home/ada", root=tmp_path)


def _put(machine: Machine, place: str, content: bytes | str) -> Path:
    path = machine.locate(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(0o755)
    return path


def _link(machine: Machine, place: str, target: Path) -> Path:
    path = machine.locate(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def test_debians_wrapper_leads_to_the_binary(machine: Machine) -> None:
    """A script that execs a variable folder and a variable name is seen through."""
    real = _put(machine, "/usr/lib/chromium/chromium", ELF)
    wrapper = _put(machine, "/usr/bin/chromium", DEBIAN)
    assert resolve_wrapper(wrapper, machine.locate).path == real


def test_a_vendors_wrapper_leads_to_the_binary_beside_it(machine: Machine) -> None:
    """Links are followed to the script, and its own folder is the binary's."""
    real = _put(machine, "/opt/google/chrome/chrome", ELF)
    script = _put(machine, "/opt/google/chrome/google-chrome", VENDOR)
    middle = _link(machine, "/etc/alternatives/google-chrome", script)
    first = _link(machine, "/usr/bin/google-chrome", middle)
    assert resolve_wrapper(first, machine.locate).path == real


def test_a_link_to_a_binary_is_followed(machine: Machine) -> None:
    """A link is replaced by the binary it leads to."""
    real = _put(machine, "/usr/lib/chromium/chromium", ELF)
    link = _link(machine, "/usr/bin/chromium", real)
    assert resolve_wrapper(link, machine.locate).path == real


@pytest.mark.parametrize(
    "script",
    [
        DEBIAN.replace('"$@"', '--proxy-server=10.0.0.1 "$@"'),
        DEBIAN.replace("ROOT=/usr", "ROOT=/usr\nROOT=/opt"),
        DEBIAN.replace("ROOT=/usr/lib", "ROOT=`somewhere`"),
        DEBIAN.replace("exec $ROOT", "exec $UNKNOWN"),
        DEBIAN.replace("exec ", "nice "),
        "#!/bin/sh\nexec 'unfinished\n",
        "#!/bin/sh\n",
    ],
    ids=["own switch", "set twice", "computed", "unknown", "no exec", "broken", "empty"],
)
def test_a_script_that_is_not_simple_stays(machine: Machine, script: str) -> None:
    """Whatever is not certain, or was tuned by hand, is started as it is."""
    _put(machine, "/usr/lib/chromium/chromium", ELF)
    wrapper = _put(machine, "/usr/bin/chromium", script)
    resolved = resolve_wrapper(wrapper, machine.locate)
    assert (resolved.path, resolved.missing) == (wrapper, "")


@pytest.mark.parametrize("place", ["/usr/local/bin/chromium", "/home/ada/bin/chromium"])
def test_a_script_of_a_person_stays(machine: Machine, place: str) -> None:
    """A simple script outside the folders of packages is somebody's own and stays."""
    _put(machine, "/usr/lib/chromium/chromium", ELF)
    wrapper = _put(machine, place, DEBIAN)
    assert resolve_wrapper(wrapper, machine.locate).path == wrapper


def test_a_script_around_a_script_stays(machine: Machine) -> None:
    """Only a binary replaces a wrapper."""
    _put(machine, "/usr/lib/chromium/chromium", "#!/bin/sh\n")
    wrapper = _put(machine, "/usr/bin/chromium", DEBIAN)
    assert resolve_wrapper(wrapper, machine.locate).path == wrapper


def test_a_wrapper_of_nothing_says_what_is_missing(machine: Machine) -> None:
    """An empty package's script is recognised by the program that is not there."""
    wrapper = _put(machine, "/usr/bin/chromium-browser", SNAP_STUB)
    assert resolve_wrapper(wrapper, machine.locate).missing == "/snap/bin/chromium"


def test_a_snap_keeps_its_name(machine: Machine) -> None:
    """A snap is started by its own link, for it looks at its name, and its limits are told."""
    program = _put(machine, "/usr/bin/snap", ELF)
    link = _link(machine, "/snap/bin/chromium", program)
    other = _link(machine, "/usr/local/bin/chromium", link)
    for path in (link, other):
        resolved = resolve_wrapper(path, machine.locate)
        assert (resolved.path, resolved.note) == (path, SNAP_NOTE)


def test_the_stub_of_an_installed_snap_leads_to_it(machine: Machine) -> None:
    """The empty package's script leads to the snap when that is there."""
    program = _put(machine, "/usr/bin/snap", ELF)
    link = _link(machine, "/snap/bin/chromium", program)
    wrapper = _put(machine, "/usr/bin/chromium-browser", SNAP_STUB)
    resolved = resolve_wrapper(wrapper, machine.locate)
    assert (resolved.path, resolved.note) == (link, SNAP_NOTE)


def test_a_flatpak_keeps_its_wrapper(machine: Machine) -> None:
    """A flatpak can only be started through its wrapper, and its limits are told."""
    script = '#!/bin/sh\nexec /usr/bin/flatpak run --branch=stable com.google.Chrome "$@"\n'
    _put(machine, "/usr/bin/flatpak", ELF)
    wrapper = _put(machine, "/var/lib/flatpak/exports/bin/com.google.Chrome", script)
    resolved = resolve_wrapper(wrapper, machine.locate)
    assert (resolved.path, resolved.note) == (wrapper, FLATPAK_NOTE)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (ELF, "program"),
        (b"MZ\x90\x00", "program"),
        (b"\xcf\xfa\xed\xfe\x0c", "program"),
        (b"\xca\xfe\xba\xbe\x00", "program"),
        (b"#!/bin/sh\n", "script"),
        (b"", None),
        (b"PK\x03\x04", None),
        (b"hello", None),
    ],
)
def test_the_first_bytes_tell_the_kind(tmp_path: Path, head: bytes, kind: str | None) -> None:
    """Programs of three systems and scripts are known by their first bytes."""
    path = tmp_path / "file"
    path.write_bytes(head)
    assert kind_of(path) == kind


@pytest.mark.skipif(os.access("/etc/shadow", os.R_OK), reason="nothing is unreadable for root")
def test_a_program_may_be_unreadable(tmp_path: Path) -> None:
    """A file that may not be read is not called a wrong one."""
    path = tmp_path / "file"
    path.write_bytes(ELF)
    path.chmod(0o111)
    assert kind_of(path) == "unreadable"
