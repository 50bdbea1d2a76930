"""A PDF comes in pieces, and not without end."""

import base64

import pytest
import trio

from bridge.errors import PageError
from bridge.page.printing import print_page
from bridge.session.connection import open_connection
from tests.support.calling import Calling, call_in
from tests.support.fake_chrome import FakeChrome


async def _print(pieces: list[bytes], largest: int = 1000) -> tuple[Calling[bytes], FakeChrome]:
    chrome = FakeChrome()
    async with open_connection(chrome) as connection, trio.open_nursery() as nursery:
        printing = call_in(nursery, lambda: print_page(connection.root, largest=largest))
        asked = await chrome.asked("Page.printToPDF")
        assert asked.params["transferMode"] == "ReturnAsStream"
        chrome.answer(asked, {"data": "", "stream": "7"})
        while (asked := await chrome.asked()).method == "IO.read":
            data = base64.b64encode(pieces.pop(0)).decode()
            chrome.answer(asked, {"base64Encoded": True, "data": data, "eof": not pieces})
        assert (asked.method, asked.params) == ("IO.close", {"handle": "7"})
        chrome.answer(asked)
    return printing, chrome


async def test_pieces() -> None:
    """All pieces come together, and the browser may forget them."""
    printing, _ = await _print([b"%PDF", b"-1.7"])
    assert await printing.result() == b"%PDF-1.7"


async def test_too_large() -> None:
    """What is too large is given up, and the browser may forget it as well."""
    printing, _ = await _print([b"x" * 600] * 5)
    error = await printing.error()
    assert isinstance(error, PageError)
    assert "larger than 1,000 bytes" in error.message


@pytest.mark.parametrize("size", [0, 1000])
async def test_just_fits(size: int) -> None:
    """The limit itself is allowed."""
    printing, _ = await _print([b"x" * size])
    assert len(await printing.result()) == size


async def test_taken_back() -> None:
    """A call that ends in the middle leaves nothing in the browser."""
    chrome = FakeChrome()
    async with open_connection(chrome) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(print_page, connection.root)
        chrome.answer(await chrome.asked("Page.printToPDF"), {"data": "", "stream": "7"})
        assert (await chrome.asked()).method == "IO.read"
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            asked = await chrome.asked()
        assert (asked.method, asked.params) == ("IO.close", {"handle": "7"})
