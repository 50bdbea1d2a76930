"""A page on paper: a PDF, fetched in pieces and bounded."""

import base64
from contextlib import suppress

import trio

from bridge import cdp
from bridge.cdp.base import Command
from bridge.errors import BridgeError, PageError
from bridge.session.session import Session

LARGEST = 50 * 1024 * 1024
"""Bytes of a document."""

_PIECE = 1024 * 1024


async def print_page(session: Session, *, landscape: bool = False, largest: int = LARGEST) -> bytes:
    """The page as a PDF, with its backgrounds, on A4 unless its style says otherwise."""
    command: Command[cdp.page.PrintToPDFResult] = cdp.page.print_to_pdf(
        landscape=landscape,
        print_background=True,
        paper_width=8.27,
        paper_height=11.69,
        prefer_css_page_size=True,
        generate_tagged_pdf=True,
        transfer_mode="ReturnAsStream",
    )
    printed = await session.execute(command)
    assert printed.stream is not None
    try:
        return await _read(session, printed.stream, largest)
    finally:  # also of a call that was taken back: Chrome keeps it for as long as it lives
        with trio.move_on_after(session.connection.timeouts.halt, shield=True):
            with suppress(BridgeError):
                await session.execute(cdp.io.close(printed.stream))


async def _read(session: Session, stream: cdp.io.StreamHandle, largest: int) -> bytes:
    pieces = bytearray()
    while True:
        piece = await session.execute(cdp.io.read(stream, size=_PIECE))
        pieces += base64.b64decode(piece.data) if piece.base64_encoded else piece.data.encode()
        if len(pieces) > largest:
            raise PageError(
                "DOWNLOAD_FAILED",
                f"the PDF of the page is larger than {largest:,} bytes",
                hint="Print a smaller page.",
            )
        if piece.eof:
            return bytes(pieces)
