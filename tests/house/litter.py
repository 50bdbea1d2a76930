"""What must not lie about in tracked files: paths of one machine, package registries, marks.

Registries are chosen by whoever installs, in the configuration of pip or npm; a host written here
would override that choice silently. The patterns are fixed, rather than taken from this machine, so
that the verdict is the same everywhere.
"""

import re

# Classes of one letter keep this file from finding itself.
PATTERNS = {
    "machine path": re.compile(r"(?<![\w.~*)-])/(?:work|root|workspace)/\w|\.pyen[v]/|/opt/py[p]i"),
    "registry host": re.compile(
        r"\bpy[p]i\.org|pythonhoste[d]\.org|registry\.np[m]|registry\.yar[n]"
        r"|\bartifactor[y]\b|jfro[g]\.io|--(?:extra-)?index-ur[l]"
    ),
    "mark": re.compile(r"\b(?:T[O]DO|FIX[M]E|X[X]X)\b"),
}


def litter(name: str, text: str) -> list[str]:
    """What is found in a file: `file:line kind`."""
    return [
        f"{name}:{number} {kind}"
        for number, line in enumerate(text.splitlines(), start=1)
        for kind, pattern in PATTERNS.items()
        if pattern.search(line)
    ]
