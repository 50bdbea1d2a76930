"""From a browser that has been started, or found, to one whose tabs can be driven."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import trio

from bridge import cdp
from bridge.browser.browser import Browser, Prepare, open_tabs
from bridge.browser.prelude import fit
from bridge.errors import ChromeError, DeadlineExceeded, LaunchError
from bridge.session.connection import Connection, open_connection
from bridge.timeouts import Timeouts
from bridge.transport.pipe import open_pipe
from bridge.transport.websocket import open_websocket
from launcher.chrome import Chrome


@asynccontextmanager
async def connect(
    chrome: Chrome,
    timeouts: Timeouts,
    begun: float,
    *,
    close_tabs: bool,
    prepare: Prepare | None,
    size: tuple[int, int] | None = None,
) -> AsyncIterator[Browser]:
    """Talk to it until the block ends; `begun` is when we began to want it.

    `size` is that of its pages where no window shows them.
    """

    def arrange(browser: Browser) -> None:
        if size is not None:
            fit(browser, size)
        if prepare is not None:
            prepare(browser)

    async with AsyncExitStack() as stack:
        try:
            connection = await _reach(chrome, timeouts, stack)
            browser = await stack.enter_async_context(
                open_tabs(
                    connection,
                    exclusive=chrome.pipe is not None,
                    fresh=chrome.errand is not None,
                    close_tabs=close_tabs,
                    prepare=arrange,
                )
            )
            for path in chrome.extensions:
                await connection.root.execute(cdp.extensions.load_unpacked(str(path)))
        except (ChromeError, DeadlineExceeded) as error:
            why = await chrome.failure(timeouts)
            if why is None and error.code in ("BROWSER_HUNG", "TIMEOUT"):
                why = await _given_up(chrome, trio.current_time() - begun, timeouts)
            raise (why or error) from error
        yield browser


async def _reach(chrome: Chrome, timeouts: Timeouts, stack: AsyncExitStack) -> Connection:
    if chrome.pipe is not None:
        pipe = await stack.enter_async_context(open_pipe(*chrome.pipe))
        return await stack.enter_async_context(open_connection(pipe, timeouts, starting=True))
    patience = "approve" if chrome.needs_approval else "connect"
    socket = open_websocket(chrome.url, timeouts, patience=patience)
    return await stack.enter_async_context(
        open_connection(await stack.enter_async_context(socket), timeouts)
    )


async def _given_up(chrome: Chrome, seconds: float, timeouts: Timeouts) -> LaunchError | None:
    """What a browser that has not come up said until it was ended; only where it is ours alone.

    A port is known to be up when it is read; the first to miss a word on a pipe are we.
    """
    if chrome.errand is None or chrome.pipe is None:
        return None
    with trio.move_on_after(timeouts.farewell):
        await chrome.errand.cancel()
    return chrome.errand.overdue(seconds)
