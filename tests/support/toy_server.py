"""`python -m tests.support.toy_server`: the toy door on standard input and output.

With a HOST:PORT and a folder it serves HTTP there instead, and keeps the token in that folder.
"""

import sys
from contextlib import nullcontext
from pathlib import Path

import trio

from bridge.app.endings import until_ended
from bridge.app.serving import Token, serve_http, serve_stdio
from bridge.timeouts import Timeouts
from tests.support.toy_door import ToyDoor


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _serve() -> None:
    door = ToyDoor()
    if len(sys.argv) > 1:
        token = Token(None, Path(sys.argv[2]))
        await serve_http(door, sys.argv[1], token, Timeouts(), _say)
    else:
        await serve_stdio(lambda client: nullcontext(door), ToyDoor.instructions, Timeouts())


if __name__ == "__main__":
    trio.run(until_ended, _serve)
