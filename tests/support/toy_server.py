"""`python -m tests.support.toy_server`: the toy door on standard input and output."""

from functools import partial

import trio

from bridge.app.endings import until_ended
from bridge.app.serving import serve_stdio
from bridge.timeouts import Timeouts
from tests.support.toy_door import ToyDoor

if __name__ == "__main__":
    trio.run(until_ended, partial(serve_stdio, ToyDoor(), Timeouts()))
