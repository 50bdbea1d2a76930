"""The caller's scripts through the door."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.policy.options import PolicyOptions
from bridge.tools.script import LARGEST
from tests.support.fake_chrome import Asked
from tests.support.played_page import PlayedPage, open_played_page


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_played_page() as opened:
        yield opened


def _evaluates(page: PlayedPage, value: Any) -> list[Asked]:
    """Let every script have this value; what was asked."""
    asked: list[Asked] = []

    def answer(command: Asked) -> dict[str, Any]:
        asked.append(command)
        return {"result": {"type": "object", "value": value}}

    page.chrome.answers["Runtime.evaluate"] = answer
    return asked


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2, "2"), (None, "null"), ({"a": [1, "ü"]}, '{"a": [1, "ü"]}'), ("</page>", '"</page>"')],
)
async def test_json(page: PlayedPage, value: Any, shown: str) -> None:
    """The answer is the value as JSON, inside the fence."""
    _evaluates(page, value)
    assert (await page.door.text("eval", expression="x")).splitlines()[1] == shown


async def test_nothing_to_show(page: PlayedPage) -> None:
    """An empty object says what else it may stand for; nothing else does."""
    _evaluates(page, {})
    assert "a function (call it)" in (await page.door.text("eval", expression="x")).splitlines()[-1]
    _evaluates(page, [])
    assert "call it" not in await page.door.text("eval", expression="x")


@pytest.mark.parametrize("script", ["() => 1;", "async (a, b) => {\n}", "$x=>x // one"])
async def test_functions(page: PlayedPage, script: str) -> None:
    """A function that is written down is called: its own value is none that JSON has."""
    asked = _evaluates(page, {})
    await page.door.text("eval", expression=script)
    _, called = (command.params["expression"] for command in asked)
    assert called == f"({script.rstrip(';')}\n)()"


@pytest.mark.parametrize("script", ["onload", "(() => ({}))()", "f(() => 1)", "new Map()"])
async def test_no_functions(page: PlayedPage, script: str) -> None:
    """What only has a function for its value, or may have, is not called."""
    asked = _evaluates(page, {})
    await page.door.text("eval", expression=script)
    assert len(asked) == 1


async def test_promises(page: PlayedPage) -> None:
    """Promises are awaited unless the caller says otherwise."""
    asked = _evaluates(page, 1)
    await page.door.text("eval", expression="x")
    await page.door.text("eval", expression="x", awaitPromise=False)
    assert [command.params["awaitPromise"] for command in asked] == [True, False]


async def test_large_values(page: PlayedPage) -> None:
    """A value above 256 KiB is cut and says so; the kept part is read by cursor."""
    _evaluates(page, "x" * (LARGEST + 1000))
    answer = await page.door.text("eval", expression="x")
    assert "truncated: true" in answer
    cursor = answer.partition("cursor: ")[2].split()[0]
    assert "xxx…\n" in await page.door.text("get_text", cursor=cursor, maxTokens=0)


async def test_needs_its_switch() -> None:
    """Without the switch for scripts none is run."""
    async with open_played_page(PolicyOptions(unsafe_all_domains=True)) as page:
        refusal = await page.door.refusal("eval", expression="1")
        assert refusal.startswith("POLICY_DENIED")
        assert "--unsafe-enable-eval" in refusal
