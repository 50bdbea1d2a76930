"""Who may see and change what sites remember."""

from collections.abc import Mapping
from typing import Any

import pytest
import trio

from bridge.policy.options import PolicyOptions
from tests.bridge.page.test_storage import _cookie
from tests.support.told_page import HERE, ToldPage, open_told_page

_READING = PolicyOptions(read_domain=("here.test",))
_ACTING = PolicyOptions(allow_domain=("here.test",), enable_mutations=True)


async def _with_cookies(
    page: ToldPage, method: str, *cookies: Mapping[str, Any], **args: Any
) -> str:
    told: list[str] = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            told.append(await page.door.text("cookies", **args))

        nursery.start_soon(ask)
        asked = await page.chrome.asked.receive()
        assert asked.method == method
        page.chrome.fake.answer(asked, {"cookies": cookies})
    return told[0]


async def test_values_are_hidden() -> None:
    """Cookies show their values only when that is asked for."""
    async with open_told_page(_READING) as page:
        cookie = {**_cookie("here.test", "sid"), "value": "CANARY"}
        told = await _with_cookies(page, "Network.getCookies", cookie)
        assert "sid=(hidden) here.test/ httpOnly session" in told
        assert "sid=CANARY" in await _with_cookies(page, "Network.getCookies", cookie, values=True)


async def test_only_of_readable_hosts() -> None:
    """Cookies of a domain are those of its hosts that may be read."""
    async with open_told_page(_READING) as page:
        told = await _with_cookies(
            page,
            "Network.getAllCookies",
            _cookie("here.test", "fine"),
            _cookie("deep.here.test", "CANARY"),
            domain="here.test",
        )
    assert "fine" in told
    assert "CANARY" not in told


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "https://denied.test/"},
        {"domain": "denied.test"},
        {"action": "clear"},
        {"action": "set", "name": "a", "value": "b"},
        {"action": "delete", "name": "a"},
    ],
)
async def test_denied(arguments: dict[str, Any]) -> None:
    """Cookies of another host are not read, and those of one that may only be read not changed."""
    async with open_told_page(_READING) as page:
        told = await page.door.refusal("cookies", **arguments)
        assert told.startswith("POLICY_DENIED")
        assert "Network.getCookies" not in page.chrome.methods()


async def test_wider_domain() -> None:
    """A cookie for a domain wider than what may be acted on is not set."""
    async with open_told_page(_ACTING) as page:
        told = await page.door.refusal(
            "cookies", action="set", name="a", value="b", url=HERE, domain=".test"
        )
    assert told.startswith("POLICY_DENIED")


@pytest.mark.parametrize(
    ("tool", "arguments", "missing"),
    [
        ("cookies", {"action": "set", "value": "b"}, "name"),
        ("cookies", {"action": "set", "name": "a"}, "value"),
        ("storage", {"action": "set", "value": "b"}, "key"),
        ("storage", {"action": "remove"}, "key"),
    ],
)
async def test_missing(tool: str, arguments: dict[str, Any], missing: str) -> None:
    """An action names the argument it lacks."""
    async with open_told_page(_ACTING) as page:
        told = await page.door.refusal(tool, **arguments)
    assert told.startswith(f"BAD_ARGS: {missing} is needed")


@pytest.mark.parametrize("action", ["get", "delete", "clear"])
async def test_url_and_domain(action: str) -> None:
    """Two places to look for cookies are one too many; none is left out without a word."""
    async with open_told_page(_ACTING) as page:
        told = await page.door.refusal(
            "cookies", action=action, name="sid", url=HERE, domain="here.test"
        )
    assert told.startswith(f"BAD_ARGS: {action} takes one of url and domain")


async def test_storage_is_acted_on() -> None:
    """Storage of a page that may only be read is not changed."""
    async with open_told_page(_READING) as page:
        for action in ("set", "remove", "clear"):
            told = await page.door.refusal("storage", action=action, key="k", value="v")
            assert told.startswith("POLICY_DENIED")


async def test_clear_of_one() -> None:
    """Who names an item does not lose all the others."""
    async with open_told_page(_ACTING) as page:
        told = await page.door.refusal("storage", action="clear", key="k")
    assert told.startswith("BAD_ARGS: key: clear would remove all items")
    assert "Use remove" in told


async def test_page_without_storage() -> None:
    """A page of no site has no storage."""
    async with open_told_page() as page:
        await page.show("about:blank")
        assert "has no storage" in await page.door.refusal("storage")
