"""Writes the pages of docs/ that repeat what the code already knows: `python -m docs.generate`.

One page is one function in PAGES; `--check` writes nothing and names the stale ones. What a code
means is told here and not in `bridge/errors.py`, which every program loads and no program reads
aloud; a code without a meaning, or a meaning without a code, stops the generator.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from bridge import config, errors
from bridge.tools.catalogue import TOOLS
from bridge.tools.registry import Tool
from bridge.tools.toolsets import DEFAULT, Toolsets
from launcher import flags

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
NOTICE = "<!-- Written by docs/generate.py; change it there, then run: make gen -->"
TOOL_TABLE = ("<!-- tools: written by docs/generate.py -->\n", "<!-- /tools -->")

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
    "RATE_LIMITED": "As many calls as the owner allows in 60 s were made; nothing was done.",
    "DOWNLOAD_FAILED": "The download never began, was refused, interrupted or could not be stored.",
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
    told = [[cell.replace("|", "\\|") for cell in cells] for cells in lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in told)


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
        "A client of the server reads it as an answer marked as an error: `CODE: sentence` on the\n"
        "first line, the next step on the second. One more word may stand there: `INTERNAL` is no\n"
        "failure anybody foresaw but a bug of ours. It names the kind of exception and the tool,\n"
        "the log has the rest, and the server goes on.\n\n"
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
        "`config.toml` in the user's configuration folder, with the names of the flags. What is\n"
        "repeatable stands between blanks in a variable, or, of paths, as in `PATH`. What cannot\n"
        "be used is an error.\n\n" + table(("flag", "environment", "default", "what it does"), rows)
    )


def _default(option: config.Option) -> str:
    if option.field == "data_dir":
        return "the user's data folder"
    empty = option.default in (None, (), "")
    return "" if empty else f"`{str(option.default).lower()}`"


def tools_page() -> str:
    """Every tool with its arguments, by set."""
    sets = sorted(Toolsets.known(), key=lambda name: name not in DEFAULT)
    parts = [
        "# Tools\n\n"
        f"On offer from the start: {_listed(name for name in sets if name in DEFAULT)}. More with\n"
        "`--toolsets` or, while the server runs, with the tool `toolsets`. What the policy\n"
        "switches off altogether is left out of the list.\n\n"
        "- *Effect* is what the policy is asked about: "
        "[security.md](security.md#the-policy) says how.\n"
        "- *Hints* are the annotations of MCP: whether the tool only reads, may destroy\n"
        "  something, may be repeated without further effect, and meets the open world.\n"
        "- `tabId` is taken by every tool with a *tab*: without it the current one is meant.\n"
        "- `ref` is an element's name in a snapshot (`e12`, in a frame `f1e12`), `selector` CSS.\n"
    ]
    for name in sets:
        parts.append(f"\n## Set {name}\n")
        parts += [_tool(tool) for tool in TOOLS.values() if tool.toolset == name]
    return "".join(parts)


def _tool(tool: Tool) -> str:
    hints = {
        "read-only": tool.read_only,
        "destructive": tool.destructive,
        "idempotent": tool.idempotent,
        "open world": tool.open_world,
    }
    told = ", ".join(f"{name} {'yes' if given else 'no'}" for name, given in hints.items())
    facts = [tool.effect.name, "works on a tab" if tool.tab else "needs no tab"]
    if tool.during_dialog:
        facts.append("works while a dialog is open")
    rows = [
        (f"`{name}`", type_of(schema), _value(tool, name), prose(schema.get("description", "")))
        for name, schema in tool.arguments.schema["properties"].items()
        if not (tool.tab and name == "tabId")
    ]
    return (
        f"\n### {tool.name}\n\n{prose(tool.summary)}\n\nEffect {', '.join(facts)}. Hints: {told}.\n"
        + ("\n" + table(("argument", "type", "default", "meaning"), rows) if rows else "")
    )


def type_of(schema: Mapping[str, Any]) -> str:
    """A schema's type in the words of a person."""
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_of(each) for each in schema["anyOf"])
    kind: str = schema.get("type", "anything")
    if kind == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"object of {type_of(inner)}" if isinstance(inner, dict) else kind
    high = schema.get("maximum")
    return kind if high is None else f"{kind} up to {high}"


def _value(tool: Tool, argument: str) -> str:
    """The default, from the function itself: the schema leaves out those that say nothing."""
    default = signature(tool.function).parameters[tool.arguments.fields[argument]].default
    if default is Parameter.empty:
        return "required"
    return "" if default in (None, [], {}) else f"`{json.dumps(default)}`"


def prose(text: str) -> str:
    """A sentence of a tool as Markdown: `<select>` is a word there, not an element of the page."""
    return text.replace("<", "&lt;")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def tool_table() -> str:
    """The tools in a few lines, for the README."""
    rows = [
        (f"`{tool.name}`", prose(tool.summary))
        for tool in TOOLS.values()
        if tool.toolset in DEFAULT
    ]
    more = [
        f"- `{name}`: {_listed(tool.name for tool in TOOLS.values() if tool.toolset == name)}\n"
        for name in Toolsets.known()
        if name not in DEFAULT
    ]
    return table(("tool", "what it does"), rows) + (
        "\nMore sets, for `--toolsets`:\n\n" + "".join(more) if more else ""
    )


def readme(text: str) -> str:
    """The README with the table of tools as the code has it."""
    start, end = TOOL_TABLE
    head, begun, rest = text.partition(start)
    _, ended, tail = rest.partition(end)
    if not (begun and ended):
        raise SystemExit(f"docs/generate.py: README.md has no place for the tools: {start.strip()}")
    return f"{head}{start}{tool_table()}{end}{tail}"


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
    "tools.md": tools_page,
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
    pages = {DOCS / name: text for name, text in stale(DOCS).items()}
    told = README.read_text(encoding="utf-8")
    if readme(told) != told:
        pages[README] = readme(told)
    if "--check" in arguments:
        for file in pages:
            sys.stderr.write(f"{file.relative_to(DOCS.parent)} is stale: run make gen\n")
        return 1 if pages else 0
    for file, text in pages.items():
        file.write_text(text, encoding="utf-8", newline="\n")
    return 0


def _agree(needed: set[str], told: set[str], what: str) -> None:
    odd = sorted(needed ^ told)
    if odd:
        raise SystemExit(f"docs/generate.py: {what} missing or left over: {', '.join(odd)}")


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
