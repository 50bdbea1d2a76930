"""Writes the pages of docs/ that repeat what the code already knows: `python -m docs.generate`.

One page is one function in PAGES; `--check` writes nothing and names the stale ones. What a code
means is told here and not in `bridge/errors.py`, which every program loads and no program reads
aloud; a code without a meaning, or a meaning without a code, stops the generator.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bridge import config, errors
from launcher import flags

DOCS = Path(__file__).resolve().parent
NOTICE = "<!-- Written by docs/generate.py; change it there, then run: make gen -->"

MEANINGS: Mapping[str, str] = {
    "BAD_ARGS": "An argument or option is missing, unknown, malformed or at odds with another.",
    "UNKNOWN_TOOL": "No tool has this name.",
    "REF_EXPIRED": "The element reference is from a snapshot the page has outgrown.",
    "STALE_TAB": "The tab with this id was closed, or its browser has been restarted.",
    "TAB_NOT_FOUND": "No open tab has this id.",
    "POLICY_DENIED": "The effect is not allowed for this origin.",
    "SELECTOR_NOT_FOUND": "Nothing on the page matches.",
    "NOT_ACTIONABLE": "The element is there but hidden, moving, disabled or covered.",
    "DIALOG_OPEN": "A dialog of the page is open and has to be answered first.",
    "EVAL_THREW": "The script threw, or its promise was rejected.",
    "NAVIGATION_FAILED": "The document could not be loaded.",
    "PAGE_CRASHED": "The process that renders the page died.",
    "DOWNLOAD_FAILED": "The download was refused, interrupted or could not be stored.",
    "CDP_ERROR": "Chrome answered the command with an error.",
    "TARGET_GONE": "The tab, frame or worker was closed.",
    "DETACHED": "The debugging session ended while its target lives on.",
    "NO_BACKEND": "There is no browser to talk to.",
    "BROWSER_GONE": "The browser ended or the connection to it broke.",
    "BROWSER_HUNG": "The browser runs but no longer answers.",
    "EXTENSION_DISCONNECTED": "The extension is not connected.",
    "DEVTOOLS_OPEN": "DevTools took the tab over from the extension.",
    "BACKPRESSURE": "More is waiting to be sent than may wait.",
    "LAUNCH_FAILED": "No browser was found, or it did not start.",
    "PROFILE_LOCKED": "Another browser holds the profile.",
    "LOGIN_REQUIRED": "The chat page wants a login first.",
    "CHAT_NOT_SENT": "The question did not leave; asking again does no harm.",
    "CHAT_TIMEOUT": "The question was sent, but no finished answer came in time.",
    "GEMINI_STUCK_STOP_BUTTON": "Gemini kept showing its stop button after the answer.",
    "GEMINI_STUCK_NO_RESPONSE": "Gemini took the question and showed no answer.",
    "BUSY": "Another question is being asked in this chat.",
    "TIMEOUT": "The operation took longer than its deadline.",
}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def families(drawing: str) -> dict[str, str]:
    """Who can fix what, by family, read from the tree at the top of errors.py."""
    return dict(re.findall(r"^ +[├└] (\w+) {2,}(\S.*?) {2,}\S", drawing, re.MULTILINE))


def errors_page() -> str:
    """Every error code with its family, who can fix it and what it means."""
    codes = sorted((code, family.__name__) for family in errors.FAMILIES for code in family.codes)
    _agree({code for code, _ in codes}, set(MEANINGS), "meaning of a code")
    fixers = families(errors.__doc__ or "")
    _agree({family.__name__ for family in errors.FAMILIES}, set(fixers), "family in the tree")
    rows = [(f"`{code}`", f"`{name}`", fixers[name], MEANINGS[code]) for code, name in codes]
    return (
        "# Error codes\n\n"
        "Each failure is one `BridgeError`: `code` is a promise to programs, the message is for\n"
        "people, `hint` names the next step, and `retryable` says that the same call again can do\n"
        "no harm. A code belongs to exactly one family; the family says who can fix it.\n\n"
    ) + table(["Code", "Family", "Who can fix it", "What it means"], rows)


def options_page() -> str:
    """Every option with its flag, its variable and its default."""
    rows = [
        (f"`--{option.flag}`", f"`{option.variable}`", _default(option), option.help)
        for kind in config.KINDS
        for option in config.options_of(kind)
    ]
    return (
        "# Options\n\n"
        "The same for every command and, under the name of the field, for the library. A flag\n"
        "wins over the environment, the environment over the file: `--config FILE`, else\n"
        "`config.toml` in the user's configuration folder, with the names of the flags. What\n"
        "cannot be used is an error.\n\n"
        + table(("flag", "environment", "default", "what it does"), rows)
    )


def _default(option: config.Option) -> str:
    if option.field == "data_dir":
        return "the user's data folder"
    empty = option.default in (None, (), "")
    return "" if empty else f"`{str(option.default).lower()}`"


def flags_page() -> str:
    """The switches Chrome is started with, and those that are left out on purpose."""
    given = [(f"`{switch}`", reason) for switch, reason in flags.explain()]
    left_out = [(f"`{switch}`", reason) for switch, reason in flags.LEFT_OUT]
    return (
        "# Chrome's switches\n\nWhat a browser of ours is started with.\n\n"
        + table(("switch", "why"), given)
        + "\n## Left out on purpose\n\n"
        + table(("switch", "why not"), left_out)
    )


PAGES: Mapping[str, Callable[[], str]] = {
    "errors.md": errors_page,
    "options.md": options_page,
    "chrome-flags.md": flags_page,
}


def stale(folder: Path) -> dict[str, str]:
    """The pages whose file is missing or differs, with the text they ought to have."""
    wanted = {name: f"{NOTICE}\n\n{page()}" for name, page in PAGES.items()}
    return {name: text for name, text in wanted.items() if _read(folder / name) != text}


def main(arguments: Sequence[str]) -> int:
    """Write the stale pages, or with `--check` name them and fail."""
    pages = stale(DOCS)
    if "--check" in arguments:
        for name in pages:
            sys.stderr.write(f"docs/{name} is stale: run make gen\n")
        return 1 if pages else 0
    for name, text in pages.items():
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


def _agree(needed: set[str], told: set[str], what: str) -> None:
    odd = sorted(needed ^ told)
    if odd:
        raise SystemExit(f"docs/generate.py: {what} missing or left over: {', '.join(odd)}")


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
