"""Names of files that a page proposes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.page.filenames import LONGEST, numbered, safe_filename


@pytest.mark.parametrize(
    ("proposed", "name"),
    [
        ("report.txt", "report.txt"),
        ("two words & more.txt", "two words & more.txt"),
        ("文書 ü.txt", "文書 ü.txt"),
        ("../../escape.txt", "_.._escape.txt"),
        ("..\\..\\escape.txt", "_.._escape.txt"),
        ("/etc/passwd", "_etc_passwd"),
        ("C:\\x.txt", "C__x.txt"),
        (".profile", "profile"),
        ("...", "download"),
        ("", "download"),
        ("cut\0off.txt", "cutoff.txt"),
        ("a\r\nb.txt", "a  b.txt"),
        ("lone \ud800.txt", "lone.txt"),
        ('say "hi".txt', "say _hi_.txt"),
        ("trailing. . ", "trailing"),
    ],
)
def test_harmless(proposed: str, name: str) -> None:
    """A name keeps what is harmless and names one file in one folder."""
    assert safe_filename(proposed) == name


@pytest.mark.parametrize(
    "proposed",
    ["setup.exe", "photo.jpg.sh", "X.EXE", "x.exe.", "x.exe ", "photo\u202egpj.exe", "a.lnk"],
)
def test_runnable(proposed: str) -> None:
    """What opening would run gets an ending that nothing runs, however it is dressed up."""
    name = safe_filename(proposed)
    assert name.endswith(".download")
    assert "\u202e" not in name


@pytest.mark.parametrize("sign", ["a", "文"])
def test_runnable_when_cut(sign: str) -> None:
    """Nor does a name that becomes such a one only where it is cut."""
    for length in range(LONGEST):
        name = safe_filename(sign * length + ".exe" + "x" * 30)
        assert not name.endswith(".exe")


@pytest.mark.parametrize("proposed", ["CON", "con.txt", "Aux.tar.gz", "COM1", "lpt9.log", "nul"])
def test_devices(proposed: str) -> None:
    """Names of devices name files."""
    assert safe_filename(proposed) == f"_{proposed}"


def test_length() -> None:
    """A long name is cut before its ending, in characters and in bytes."""
    assert safe_filename("n" * 300 + ".txt") == "n" * (LONGEST - 4) + ".txt"
    assert len(safe_filename("n" * 300 + ".exe")) == LONGEST
    wide = safe_filename("文" * 300 + ".txt")
    assert wide.endswith("文.txt")
    assert len(wide.encode()) <= 240


def test_numbered() -> None:
    """A further file of the same name has a number before its ending."""
    assert numbered("a.txt", 2) == "a (2).txt"
    assert numbered("a", 3) == "a (3)"


@given(st.text())
def test_any_text(proposed: str) -> None:
    """Whatever is proposed, the name is one visible, relative, short name."""
    name = safe_filename(proposed)
    assert 0 < len(name) <= LONGEST
    assert len(name.encode()) <= 255
    assert not set(name) & set('/\\:*?"<>|\0')
    assert name.strip(" .") == name
    assert safe_filename(name) in (name, f"{name}.download")
