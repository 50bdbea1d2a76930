"""Pairing by a code: a server of whom the native host says nothing."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bridge import cdp
from bridge.relay import pairing
from bridge.relay.server import Relay, open_relay
from bridge.session.connection import Connection
from bridge.transport.link import ORIGIN, Sites
from tests.chromium.test_extension_pages import (
    Ask,
    click,
    fill,
    open_page,
    open_view,
    outside,
    see,
    visit,
)
from tests.support.linked import in_extension

__all__ = ["outside"]
pytestmark = [pytest.mark.chromium, pytest.mark.extension]


@pytest.fixture
async def stranger(tmp_path: Path, outside: Connection) -> AsyncIterator[Relay]:
    """Its folder is not the one the browser's host reads."""
    pages = pairing.open_pages("A stranger")
    async with open_relay(
        tmp_path / "links", "A stranger", Sites(visited=["*"]), pages=pages
    ) as relay:
        yield relay
        drop = json.dumps({"do": "unpair", "port": relay.port})
        await in_extension(outside, f"chrome.runtime.sendMessage({drop})")


@asynccontextmanager
async def open_code_page(outside: Connection, relay: Relay) -> AsyncIterator[Ask]:
    """The page the extension opens when the person has pressed the button on the server's."""
    target = await visit(outside, f"http://127.0.0.1:{relay.port}/pair")
    async with open_view(outside, target) as page:
        await click(page, "Tell the extension")
        await see(page, "The extension has opened its own page for the code.")
    (found,) = await code_pages(outside)
    async with open_view(outside, found) as ask:
        await see(ask, "It calls itself A stranger")
        yield ask
    await outside.root.execute(cdp.target.close_target(found))


async def code_pages(outside: Connection) -> list[cdp.target.TargetID]:
    targets = (await outside.root.execute(cdp.target.get_targets())).target_infos
    return [info.target_id for info in targets if info.url == f"{ORIGIN}/pair.html"]


async def give(ask: Ask, code: str) -> None:
    await fill(ask, "#code", code)
    await click(ask, "Pair")


async def test_code(outside: Connection, stranger: Relay) -> None:
    """The right code, however typed, connects the browser; before, there is no page for it."""
    assert await code_pages(outside) == []
    async with open_code_page(outside, stranger) as ask:
        told = json.loads(stranger.file.read_text())
        await give(ask, "K7M2")
        await see(ask, "A code has eight letters and digits")
        minute = pairing.minute_of(time.time())
        await give(ask, pairing.code_at(told["token"], told["serverId"], minute).lower())
        await see(ask, "A stranger is connected.")
        assert [each.product.partition("/")[0] for each in stranger.links()] == ["Chrome"]
        assert not await ask("document.getElementById('form').checkVisibility()")


async def test_wrong_code(outside: Connection, stranger: Relay) -> None:
    """Five wrong codes end it: the page asks for none any more, and nobody is let in."""
    async with open_code_page(outside, stranger) as ask:
        for left in ("4 more tries", "3 more tries", "2 more tries", "1 more try"):
            await give(ask, "0000-0000")
            await see(ask, left)
        await give(ask, "0000-0000")
        await see(ask, "Five wrong codes.")
        assert not await ask("document.getElementById('form').checkVisibility()")
    assert stranger.links() == []


async def test_code_page_alone(outside: Connection) -> None:
    """Opened by nobody's wish, the page asks for nothing."""
    async with open_page(outside, "pair.html") as ask:
        assert not await ask("document.getElementById('form').checkVisibility()")


_FORWARD = """(() => {
  const [said] = [...document.querySelector("#about b").parentNode.childNodes].slice(-1);
  const left = (at) => {
    const range = document.createRange();
    range.setStart(said, at);
    range.setEnd(said, at + 1);
    return range.getBoundingClientRect().left;
  };
  return left(2) < left(5);
})()"""


async def test_name_that_turns(outside: Connection) -> None:
    """What the page says after a program's name reads as ever, whatever marks the name ends in."""
    introduced = {"port": 40123, "serverId": "0" * 16, "clientName": "A \N{RIGHT-TO-LEFT OVERRIDE}"}
    keep = f"chrome.storage.session.set({{ introduced: {json.dumps(introduced)} }})"
    await in_extension(outside, f"{keep}.then(() => 1)")
    page = await visit(outside, f"{ORIGIN}/pair.html")
    async with open_view(outside, page) as ask:
        await see(ask, "It calls itself A")
        assert await ask(_FORWARD)
    await outside.root.execute(cdp.target.close_target(page))
