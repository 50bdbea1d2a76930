"""Arguments that want to be more than data, given to every tool that reads a real page.

The page has a sentinel that any script put together from an argument would fire.
"""

from typing import Any

import pytest

from bridge.tools.catalogue import TOOLS
from bridge.tools.registry import Tool
from tests.support.reader import Reader
from tests.support.reader import reader as reader
from tests.support.rows import in_turn

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

FIRE = "fire(1)"
STRINGS = [
    f"'); {FIRE}; ('",
    f'"); {FIRE}; ("',
    f"`); {FIRE}; (`",
    f"${{{FIRE}}}",
    f"</script><script>{FIRE}</script>",
    f"<img src=x onerror={FIRE}>",
    f"*/{FIRE}/*",
    f"\n{FIRE}\n//",
    f"\u2028{FIRE}\u2029",
    f"a[title='{FIRE}'",
    f'a[title="{FIRE}"]',
    "a:has(:is(",
    "\\",
    "\\'",
    "\x00",
    "e1\x00",
    "\ud800",
    "x\udfff\ud800y",
    "\u202etxet desrever",
    "x" * 1_000_000,
    "constructor",
    "__proto__",
    "*",
    "",
    " ",
]
WORKS_ON = [
    "get_text",
    "get_html",
    "snapshot",
    "screenshot",
    "get_attributes",
    "check_visibility",
]
READING = [
    tool
    for tool in TOOLS.values()
    if tool.toolset in ("core", "dom")
    and tool.function.__module__.rpartition(".")[2] in ("read", "look", "dom")
]


def _given(tool: Tool, text: str) -> list[dict[str, Any]]:
    """Every way to hand this text to the tool."""
    fields = tool.arguments.schema.get("properties", {})
    needed = {name: "body" for name in tool.arguments.schema.get("required", [])}
    calls: list[dict[str, Any]] = []
    for name, kind in fields.items():
        if name == "tabId":
            continue
        if kind.get("type") == "array":
            calls.append({**needed, name: [text], **_about(tool, name)})
        elif kind.get("type") == "string" and "enum" not in kind:
            calls.append({**needed, name: text})
    return calls


def _about(tool: Tool, name: str) -> dict[str, Any]:
    """An element, for tools that need one beside the argument in question."""
    fields = tool.arguments.schema.get("properties", {})
    return {"selector": "body"} if "selector" in fields and name != "selector" else {}


@in_turn("text", STRINGS)
async def test_data_stays_data(reader: Reader, text: str) -> None:
    """No argument of any tool is run; each call answers with text or with a code."""
    await reader.go("/form")
    await reader.tab.evaluate("fired = []; fire = (what) => fired.push(what); 1")
    for tool in READING:
        for given in _given(tool, text):
            if tool.name == "wait_for":
                given["timeoutMs"] = 1
            answer = await reader.door.call(tool.name, **given)
            assert not answer.text.startswith("INTERNAL"), (tool.name, list(given))
            assert len(answer.text) < 110_000, (tool.name, list(given))
            if answer.is_error:
                code = answer.text.partition(":")[0]
                assert code in KNOWN, (tool.name, list(given), answer.text[:200])
    assert await reader.tab.evaluate("fired") == []


KNOWN = {"BAD_ARGS", "SELECTOR_NOT_FOUND", "REF_EXPIRED", "TIMEOUT", "NOT_ACTIONABLE"}


@in_turn("tool", READING)
async def test_wrong_calls(reader: Reader, tool: Tool) -> None:
    """Unknown names and wrong types are BAD_ARGS."""
    await reader.go("/form")
    required = tool.arguments.schema.get("required", [])
    if required:
        assert (await reader.refusal(tool.name)).startswith("BAD_ARGS")
    assert "there is no argument 'selectr'" in await reader.refusal(tool.name, selectr="x")
    for name, kind in tool.arguments.schema.get("properties", {}).items():
        wrong: object = {"deep": [1]} if kind.get("type") != "object" else 7
        refusal = await reader.refusal(tool.name, **{name: wrong})
        assert refusal.startswith("BAD_ARGS"), name


@in_turn("tool", WORKS_ON)
async def test_elements_that_are_not_there(reader: Reader, tool: str) -> None:
    """A selector that matches nothing, none at all, a ref of nowhere: each has its own code."""
    await reader.go("/form")
    expected = {
        "selector": {"#nothing": "SELECTOR_NOT_FOUND", "!!": "BAD_ARGS", "": "BAD_ARGS"},
        "ref": {"e99999": "REF_EXPIRED", "f7e1": "REF_EXPIRED", "12": "BAD_ARGS", "": "BAD_ARGS"},
    }
    for name, cases in expected.items():
        for given, code in cases.items():
            if tool == "check_visibility" and given == "#nothing":
                continue  # that is its answer
            answer = await reader.refusal(tool, **{name: given})
            assert answer.startswith(code), (name, given, answer)


async def test_a_hundred_matches(reader: Reader) -> None:
    """A selector with very many matches is answered as well."""
    await reader.go("/big?n=4000")
    assert "matches:" in await reader.text("get_text", selector="div")
    assert (await reader.text("query_dom", selector="div", limit=3)).startswith("99")
