"""`python -m tests.support.toy_server`: the toy door on standard input and output."""

from contextlib import nullcontext

import trio

from bridge.app.endings import until_ended
from bridge.app.serving import serve_stdio
from bridge.timeouts import Timeouts
from tests.support.toy_door import ToyDoor


async def _serve() -> None:
    await serve_stdio(lambda: nullcontext(ToyDoor()), ToyDoor.instructions, Timeouts())


if __name__ == "__main__":
    trio.run(
        until_ended,
        _serve,
    )
