"""A process of ours in somebody's browser, with a gate: it acts once, and says when that is over.

`python -m tests.support.patrol ENDPOINT ADDRESS`. Its first line comes while the gate stands before
pop-ups, its second when it stands there no longer. It ends with its stdin.
"""

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from bridge import log
from bridge.browser.browser import open_tabs
from bridge.gate.fetch import Gate
from bridge.policy.hosts import parse_address
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.session.connection import open_connection
from bridge.timeouts import Timeouts
from bridge.transport.websocket import open_websocket

_ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def open_patrol(endpoint: str, address: str) -> Iterator[subprocess.Popen[str]]:
    """The process; killed at the end, stopped or not."""
    command = [sys.executable, "-m", "tests.support.patrol", endpoint, address]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT, text=True
    ) as patrol:
        try:
            yield patrol
        finally:
            patrol.kill()


class _Heard(logging.Handler):
    """Passes on that the gate is gone."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == "pop-ups are watched no longer":
            _say("over")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _patrol(endpoint: str, address: str) -> None:
    log.get("gate").setLevel(logging.DEBUG)
    log.get("gate").addHandler(_Heard())
    host = parse_address(address)
    assert host is not None
    policy = Policy.from_options(PolicyOptions(allow_domain=(f"{host.host}:{host.port}",)))
    gate = Gate(lambda: policy)
    async with (
        open_websocket(endpoint, Timeouts()) as transport,
        open_connection(transport) as connection,
        open_tabs(connection, exclusive=False, prepare=gate.prepare) as browser,
    ):
        await browser.new_tab(address)
        async with gate.acting():
            _say("acting")
        await trio.to_thread.run_sync(sys.stdin.read)


if __name__ == "__main__":
    trio.run(_patrol, sys.argv[1], sys.argv[2])
