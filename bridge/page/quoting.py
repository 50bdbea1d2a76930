"""A page's words, its address, and numbers of things, in a sentence of ours.

Pages make addresses as long as 2 MB, and nearly every answer names one. A long one ends where a
part of it ends, never inside one: secrets are looked for later, and have to be whole to be found.
"""

import re

_LONGEST_ADDRESS = 1_000
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*:(//[^/?#]*)?", re.IGNORECASE)


def quoted(text: str, longest: int = 200) -> str:
    """A short piece of a page's text in a sentence of ours: one line, in quotes."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 10 * longest])
    plain = " ".join(plain.split()) + ("…" if len(text) > 10 * longest else "")
    return '"' + cut(plain, longest).replace("\\", "\\\\").replace('"', '\\"') + '"'


def cut(text: str, longest: int) -> str:
    """As much of it, and a mark where it was cut: by that the rest of a secret is known for one."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def counted(number: int, thing: str) -> str:
    """`1 link`, `2 links`, `1 match`, `2,000 matches`."""
    ending = "es" if thing.endswith("ch") else "s"
    return f"{number:,} {thing}{'' if number == 1 else ending}"


def address(url: str) -> str:
    """A page's address; a very long one without the parts that make it so."""
    if len(url) <= _LONGEST_ADDRESS:
        return url
    origin = _ORIGIN.match(url)
    parts = (url.partition("#")[0], re.split("[?#]", url)[0], origin[0] if origin else "")
    shown = next((part for part in parts if len(part) <= _LONGEST_ADDRESS), "")
    return f"{shown}… ({len(url):,} characters)"
