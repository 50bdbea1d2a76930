"""Calls as a confused or a hostile client makes them, to every tool there is, on a real page.

What a caller gets is a code, a reason and a next step, soon; what it sends never runs in the page
(but for `eval`, which is for that). Readers have more of this in `test_reading_hostile`.
"""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bridge.browser.prelude import PRELUDE
from bridge.tools.catalogue import TOOLS
from bridge.tools.registry import Tool
from fixtures.site import Site, open_site
from tests.support.browsers import PATIENCE, open_browser_at, sweep
from tests.support.door import OpenDoor, open_door

pytestmark = pytest.mark.chromium
HURRIED = replace(PATIENCE, action=0.05, settle=0.2, read=1.0, evaluate=1.0, navigation=1.0)
FIRE = "fire(1)"
REF = re.compile(r"\[ref=(\w+)\]")
NASTY = [
    f"'); {FIRE}; ('",
    f'"); {FIRE}; ("\n`${{{FIRE}}}`\u2028//',
    f"</script><img src=x onerror={FIRE}>",
    f'a[title="{FIRE}"], "',
    "\x00e1\x00",
    "\ud83d",
    "\u202eterces",
    "__proto__",
    "",
    "x" * 1_000_000,
]
CODES = {
    *("BAD_ARGS", "SELECTOR_NOT_FOUND", "REF_EXPIRED", "NOT_ACTIONABLE", "TIMEOUT", "STALE_TAB"),
    *("TAB_NOT_FOUND", "NAVIGATION_FAILED", "POLICY_DENIED", "DOWNLOAD_FAILED", "EVAL_THREW"),
    *("UNKNOWN_TOOL", "DIALOG_OPEN"),
}
TARGETED = [
    tool
    for tool in TOOLS.values()
    if {"ref", "selector"} <= tool.arguments.schema["properties"].keys()
]
NEEDED: dict[str, Any] = {
    "text": "a",
    "label": "a",
    "values": ["a"],
    "paths": [],
    "key": "a",
    "expression": "(e) => 1",
    "url": "about:blank",
    "width": 800,
    "height": 600,
    "fields": {"#name": "a"},
    "calls": [],
    "action": "accept",
    "tabId": "t1",
    "selector": "body",
}


@asynccontextmanager
async def open_all(endpoint: str, folder: Path) -> AsyncIterator[OpenDoor]:
    """All tools, in a hurry."""
    async with open_browser_at(endpoint, exclusive=False, timeouts=HURRIED) as browser:
        browser.add_prelude(*PRELUDE)
        async with open_door(browser, timeouts=HURRIED, toolsets=("all",)) as opened:
            opened.desk.data_dir = folder
            yield opened
        await sweep(browser.connection, spare=True)


@pytest.fixture
async def door(endpoint: str, site: Site, tmp_path: Path) -> AsyncIterator[OpenDoor]:
    """All of them before a page that notices whatever is run in it."""
    async with open_all(endpoint, tmp_path) as opened:
        await _show(opened, site)
        yield opened


async def _show(door: OpenDoor, site: Site) -> None:
    await door.text("navigate", url=site.url("/form"))
    await door.text("eval", expression="window.fired = 0; window.fire = () => fired++; 1")


async def _unharmed(door: OpenDoor, site: Site) -> None:
    """Nothing was run, and the tab works."""
    here = door.desk.current
    assert here is not None
    if here.url == site.url("/form"):
        assert await here.evaluate("window.fired") in (0, None)
    await door.call("handle_dialog", action="dismiss")
    await _show(door, site)


def needed(tool: Tool) -> dict[str, Any]:
    """What has to be given, and is of no interest."""
    return {name: NEEDED[name] for name in tool.arguments.schema.get("required", [])}


async def judged(door: OpenDoor, tool: str, given: dict[str, Any], within: float = 4.0) -> str:
    """The answer: in time, of bounded size, and if it is an error with code and next step."""
    began = trio.current_time()
    answer = await door.call(tool, **given)
    case = (tool, {name: ascii(value)[:60] for name, value in given.items()}, answer.text[:300])
    assert trio.current_time() - began < within, case
    assert len(answer.text) < 120_000, case
    if answer.is_error:
        lines = [line for line in answer.text.splitlines() if not line.startswith("Note:")]
        assert lines[0].partition(":")[0] in CODES, case
        assert len(lines) > 1, case
        assert len(answer.text) < 4_000, case
    return answer.text


async def test_wrong_calls(door: OpenDoor) -> None:
    """Names nobody knows and values of other types are BAD_ARGS, and the argument is named."""
    for tool in TOOLS.values():
        said = await door.refusal(tool.name, selectr="x")
        assert said.startswith("BAD_ARGS: there is no argument 'selectr'")
        for missing in tool.arguments.schema.get("required", [])[:1]:
            assert (await door.refusal(tool.name)).startswith(f"BAD_ARGS: {missing} is missing")
        for name, kind in tool.arguments.schema["properties"].items():
            for wrong in _wrong(kind):
                said = await door.refusal(tool.name, **{**needed(tool), name: wrong})
                assert said.startswith(f"BAD_ARGS: {name}"), (tool.name, name, wrong, said)
                assert len(said) < 1_000


def _wrong(kind: dict[str, Any]) -> Iterator[object]:
    """Values that no argument of that kind takes."""
    yield {"deep": [{}]} if kind.get("type") != "object" else [7]
    if kind.get("type") in ("string", "array"):
        yield 7
    if kind.get("type") in ("integer", "number", "boolean"):
        yield "seven"
    if "enum" in kind:
        yield "seven"


NO_TARGETS = [
    ({"ref": "e1", "selector": "body"}, "BAD_ARGS"),
    ({"selector": "#nothing"}, "SELECTOR_NOT_FOUND"),
    ({"selector": "!!"}, "BAD_ARGS"),
    ({"selector": "a[title='x\n"}, "BAD_ARGS"),
    ({"ref": "e99999"}, "REF_EXPIRED"),
    ({"ref": "f7e1"}, "REF_EXPIRED"),
    ({"ref": "12"}, "BAD_ARGS"),
]


async def test_targets_that_are_none(door: OpenDoor) -> None:
    """Both, not there, no selector, of another page: each has its code."""
    for tool in TARGETED:
        for target, code in NO_TARGETS:
            said = await judged(door, tool.name, {**needed(tool), **target})
            if tool.name == "check_visibility" and code == "SELECTOR_NOT_FOUND":
                continue  # that is its answer
            if tool.name in ("upload_file", "download_file") and said.startswith("POLICY_DENIED"):
                continue  # nothing may be uploaded, or kept, here at all
            assert said.startswith(f"{code}:"), (tool.name, target, said)


async def test_refs_of_other_places(door: OpenDoor, site: Site) -> None:
    """A ref of the page before, or of another tab, is never taken for an element of this one."""
    before = REF.findall(await door.text("snapshot"))
    await door.text("reload")
    await door.text("snapshot")
    await door.text("tab_new", url=site.url("/form"))
    elsewhere = REF.findall(await door.text("snapshot"))
    first = (await door.text("tabs_list")).split()[1]
    assert len(before) == len(elsewhere) > 10
    for ref in before[:3]:
        assert (await door.refusal("click", ref=ref, tabId=first)).startswith("REF_EXPIRED: ")
    for ref in elsewhere[-3:]:
        assert (await door.refusal("click", ref=ref, tabId=first)).startswith("REF_EXPIRED: ")


_LATER = [pytest.param(text, marks=pytest.mark.slow) for text in NASTY[2:]]


@pytest.mark.parametrize("text", [*NASTY[:2], *_LATER], ids=lambda text: ascii(text[:12]))
async def test_data_stays_data(door: OpenDoor, site: Site, text: str) -> None:
    """Every text argument of every tool with it: answered in time, and nothing is run."""
    for tool in TOOLS.values():
        for name, kind in tool.arguments.schema["properties"].items():
            if tool.name == "eval" and name == "expression":
                continue
            for value in _holding(kind, text):
                extra = {"timeoutMs": 1} if tool.name == "wait_for" else {}
                target = {"selector": "body"} if tool in TARGETED and name not in TARGETS else {}
                await judged(door, tool.name, {**needed(tool), **extra, **target, name: value})
        await _unharmed(door, site)


TARGETS = ("ref", "selector", "url")


def _holding(kind: dict[str, Any], text: str) -> Iterator[object]:
    """This text as an argument of that kind."""
    if kind.get("type") == "string":
        yield text
    elif kind.get("type") == "array" and kind["items"].get("type") == "string":
        yield [text]
    elif kind.get("type") == "object":
        yield {text: "x"}
        yield {"#name": text}
    elif kind.get("type") == "array" and kind["items"].get("type") == "object":
        yield [{"tool": text}, {"tool": "get_text", "arguments": {text: text}}]


def _values(kind: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values the schema allows, and a few that it does not."""
    texts = st.sampled_from(["body", "#name", "e1", "f1e1", "", "\x00", "\ud800", "*", "::before"])
    simple: dict[str, st.SearchStrategy[Any]] = {
        "string": texts | st.text(max_size=20),
        "boolean": st.booleans(),
        "integer": st.integers(-1, 200) | st.just(2**70),
        "number": st.floats(allow_nan=True) | st.integers(-5000, 5000),
    }
    if "enum" in kind:
        return st.sampled_from(kind["enum"]) | texts
    if kind.get("type") == "array":
        return st.lists(_values(kind["items"]), max_size=3)
    if kind.get("type") == "object":
        return st.dictionaries(texts, texts | st.booleans() | st.none(), max_size=3)
    return simple.get(kind.get("type", ""), texts) | st.none()


UNTAMED = {"eval", "emulate", "tab_close", "wait_for"}  # their very work is to harm or to wait
TAME = [tool for tool in TOOLS.values() if tool.name not in UNTAMED]


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool, and some of its arguments."""
    tool = draw(st.sampled_from(TAME))
    properties = tool.arguments.schema["properties"]
    names = draw(st.lists(st.sampled_from(sorted(properties) or ["none"]), max_size=4, unique=True))
    return tool.name, {name: draw(_values(properties.get(name, {}))) for name in names}


@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.generate],  # a browser has a past: what failed once need not fail again
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(made=st.lists(calls(), min_size=20, max_size=40))
async def test_whatever_the_schemas_allow(
    endpoint: str, tmp_path: Path, made: list[tuple[str, dict[str, Any]]]
) -> None:
    """Any call is answered in its time with text or with code and next step; the server lives."""
    async with open_site() as site, open_all(endpoint, tmp_path) as door:
        await door.text("navigate", url=site.url("/form"))
        for tool, given_ in made:
            await judged(door, tool, given_, within=8.0)
        await door.call("handle_dialog", action="dismiss")
        assert site.url("/form") in await door.text("tab_new", url=site.url("/form"))
