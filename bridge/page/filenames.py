"""Names for files whose names a page proposes. Pure.

A name is kept as far as it is harmless: it names a file in one folder and nothing else, on any
system, looks like what it is, and is not run by opening it.
"""

import unicodedata

LONGEST = 200
"""Characters of a name."""

_BYTES = 240  # of a name in UTF-8: file systems end at 255, and a number may be added
_SUFFIX = ".download"
_UNTITLED = "download"
_RESERVED = set('<>:"/\\|?*')
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)

# What a double click, or a careless command, would run, install or mount.
_RUN = (
    "ade adp apk app appimage application appref-ms asp aspx bash bat cer chm cmd com command "
    "cpl crt crx csh deb desktop dll dmg docm drv exe fish gadget hta inf ins iso jar jnlp js "
    "jse ksh library-ms lnk lua mde msc msh msi msp mst ocx out php pif pkg pl plist ppam "
    "pptm ps1 ps1xml ps2 psc1 psd1 psm1 py pyc pyw pyz rb reg rpm run scf scpt scr sct "
    "search-ms settingcontent-ms sh shb shs sys tcsh terminal tool url vb vbe vbs vhd vhdx "
    "webloc workflow ws wsc wsf wsh xbap xlam xll xlsm xpi zsh "
)
_RUNNABLE = frozenset(_RUN.split())


def safe_filename(proposed: str) -> str:
    """A harmless name as close to the proposed one as can be."""
    name = _visible(proposed).strip(" .") or _UNTITLED
    if name.partition(".")[0].strip().lower() in _DEVICES:
        name = f"_{name}"
    kept = _cut(name, 0)
    if _ending(kept) not in _RUNNABLE:  # of what is kept: a cut can end at one
        return kept
    return _cut(name, len(_SUFFIX)) + _SUFFIX


def numbered(name: str, number: int) -> str:
    """The name for the second, third … file of that name."""
    stem, dot, ending = name.rpartition(".")
    return f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"


def _visible(text: str) -> str:
    """In one line, without marks that change how it looks, or places that lead elsewhere."""
    plain = unicodedata.normalize("NFC", text[: 10 * LONGEST])
    kept = []
    for character in plain:
        if character in _RESERVED or character.isspace():
            kept.append(" " if character.isspace() else "_")
        elif unicodedata.category(character)[0] != "C":  # controls, marks of direction, surrogates
            kept.append(character)
    return "".join(kept)


def _ending(name: str) -> str:
    return name.rpartition(".")[2].strip().lower()


def _cut(name: str, reserve: int) -> str:
    """Short enough, with its ending if that is of a usual length."""
    stem, dot, ending = name.rpartition(".")
    tail = f".{ending}" if dot and stem and len(ending) <= 20 else ""
    head = name.removesuffix(tail) if tail else name
    head = head[: LONGEST - reserve - len(tail)]
    while len((head + tail).encode()) > _BYTES - reserve:
        head = head[:-1]
    return head.rstrip(" .") + tail
