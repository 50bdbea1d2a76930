"""The tools of one server, and what they work with; loaded while its browser starts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bridge import __version__
from bridge.app.ways import Ways
from bridge.gate.fetch import conditions
from bridge.mcp.options import ServeOptions
from bridge.policy.rate import Rate
from bridge.timeouts import Timeouts
from bridge.tools import catalogue as catalogue
from bridge.tools.audit import open_audit
from bridge.tools.call import Tools
from bridge.tools.desk import Desk
from bridge.tools.guard import Guard
from bridge.tools.office import Office
from bridge.tools.premises import Premises
from bridge.tools.secrets import Secrets
from bridge.tools.toolsets import Toolsets
from launcher.options import LaunchOptions

_AUDIT = "audit.jsonl"


@asynccontextmanager
async def open_tools(
    launch: LaunchOptions,
    serve: ServeOptions,
    ways: Ways,
    guard: Guard,
    secrets: Secrets,
    timeouts: Timeouts,
) -> AsyncIterator[Tools]:
    """The tools, until the block ends; what they did is written down by then."""
    names = [name for each in serve.toolsets for name in each.split(",") if name]
    toolsets = Toolsets(names, prefix=serve.tool_prefix)
    premises = Premises()

    def furnish(client: str) -> Desk:
        desk = Desk(ways.choice, timeouts, premises, client)
        desk.downloads, desk.data_dir = ways.downloads(), launch.data_dir
        desk.version = __version__
        desk.gaps = lambda: ways.gate.missing
        desk.socket_rules = lambda: conditions(guard.policy)
        desk.readings.scrub = secrets.scrub
        return desk

    office = Office(ways.choice, furnish)
    file = launch.data_dir / _AUDIT
    async with open_audit(file, office, timeouts, scrub=secrets.scrub) as audit:
        gate, rate = ways.gate_of, Rate(serve.rate_limit)
        yield Tools(office, guard, toolsets, audit.note, secrets=secrets, gate=gate, rate=rate)
