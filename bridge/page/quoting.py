"""A page's words in a sentence of ours."""


def quoted(text: str, longest: int = 200) -> str:
    """A short piece of a page's text in a sentence of ours: one line, in quotes."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 10 * longest])
    plain = " ".join(plain.split())
    shown = plain if len(plain) <= longest else plain[: longest - 1] + "…"
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'
