"""`serve`: a browser behind tools, tools behind a door, the door on a wire.

The order is what a client waits for: the handshake is answered first, then the tools are imported
and listed. The SDK, which takes longer than everything before, is imported for a client that says
what only the SDK can answer. The browser starts with the first call that needs one.
"""

import faulthandler
import gc
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import trio

from bridge import __version__
from bridge.errors import UsageError
from bridge.mcp.early import Early
from bridge.mcp.hello import Hello
from bridge.mcp.options import SETS, ServeOptions
from bridge.mcp.wire import Wire
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.relay.options import LinkOptions
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.tools.answer import Door
from bridge.tools.instructions import INSTRUCTIONS
from bridge.tools.secrets import read_secrets
from launcher.options import LaunchOptions

_PREFIX = re.compile(r"[A-Za-z0-9_-]{0,32}")  # a name has 64 characters at most for many clients
OpenDoor = Callable[[str], AbstractAsyncContextManager[Door]]
"""Given what the client calls itself, "" where that is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Everything the owner of a server has said."""

    launch: LaunchOptions
    policy: PolicyOptions
    serve: ServeOptions
    link: LinkOptions = field(default_factory=LinkOptions)
    http_token: str | None = None


async def serve(wishes: Wishes, timeouts: Timeouts, tell: Callable[[str], None]) -> None:
    """Serve until the client hangs up, or, over HTTP, until we are ended."""
    policy = read_policy(wishes.policy)
    check(wishes.policy, wishes.serve, wishes.link)
    renewals: list[Callable[[], None]] = []

    @asynccontextmanager
    async def open_for(client: str) -> AsyncIterator[Door]:
        from bridge.app.door import open_door

        async with open_door(
            wishes.launch,
            wishes.serve,
            policy,
            timeouts,
            link=wishes.link,
            client=client,
            renewals=renewals,
        ) as door:
            yield door

    if wishes.serve.http is None:
        await serve_stdio(open_for, INSTRUCTIONS, timeouts)
        return
    async with open_for("") as door:
        await door.ready("", None)  # whoever is told that we serve is served
        token = Token(wishes.http_token, wishes.launch.data_dir)
        await serve_http(door, wishes.serve.http, token, timeouts, tell, renewals)


def check(policy: PolicyOptions, serve: ServeOptions, link: LinkOptions) -> None:
    """BAD_ARGS for what no call could ever work with, before a client is greeted."""
    check_port("--link-port", link.link_port)
    if not _PREFIX.fullmatch(serve.tool_prefix):
        raise UsageError(
            "BAD_ARGS",
            f"--tool-prefix: no client takes tools called {serve.tool_prefix[:100]!r}…",
            hint="Use up to 32 letters, digits, _ and -, such as browser_.",
        )
    _check_uploads(policy)
    if not 0 <= serve.rate_limit <= sys.maxsize:
        raise UsageError(
            "BAD_ARGS",
            f"--rate-limit: {serve.rate_limit} is no number of calls",
            hint="Name one, such as 600, or 0 for any number.",
        )
    if serve.secrets is not None:
        read_secrets(serve.secrets)
    for name in (name for each in serve.toolsets for name in each.split(",") if name):
        if name not in (*SETS, "all"):
            raise UsageError(
                "BAD_ARGS",
                f"there is no set of tools called {name[:100]!r}",
                hint=f"Sets: {', '.join(SETS)}, or all.",
            )


def check_port(flag: str, port: int) -> None:
    """BAD_ARGS for a port that is none."""
    if not 0 <= port < 65536:
        raise UsageError(
            "BAD_ARGS",
            f"{flag}: {port} is no port",
            hint="Name one from 1024 to 65535, or 0 for any.",
        )


def check_starter(serve: ServeOptions) -> None:
    """BAD_ARGS where a client that starts us, and talks to us at standard input, got no answer."""
    if serve.http is not None:
        raise UsageError(
            "BAD_ARGS",
            "--http: a client that starts a server talks to it at standard input alone",
            hint="Leave it out; or run chrome-bridge serve --http yourself, and tell the client "
            "where it is, and the token.",
        )


def _check_uploads(policy: PolicyOptions) -> None:
    if not policy.enable_uploads:
        return
    if policy.uploads_dir is None:
        raise UsageError(
            "BAD_ARGS",
            "--enable-uploads needs --uploads-dir: files come from one folder alone",
            hint="Add --uploads-dir FOLDER, or leave --enable-uploads out.",
        )
    if not policy.uploads_dir.is_dir():
        raise UsageError(
            "BAD_ARGS",
            f"--uploads-dir: there is no folder {policy.uploads_dir}",
            hint="Make it, or name another.",
        )


def read_policy(options: PolicyOptions) -> Policy:
    """What the flags and the policy file say together; BAD_ARGS where they err."""
    text = ""
    if options.policy_file is not None:
        try:
            text = options.policy_file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "BAD_ARGS",
                f"the policy file {options.policy_file} cannot be read: {error}",
                hint="Name a file of TOML with the lists never, read and act.",
            ) from error
    return Policy.from_options(options, file=text)


@dataclass(frozen=True, slots=True)
class Token:
    """What a client over HTTP has to know: given by the environment, or made and kept in a file."""

    given: str | None
    folder: Path


async def serve_http(
    door: Door,
    address: str,
    token: Token,
    timeouts: Timeouts,
    tell: Callable[[str], None],
    renewals: Sequence[Callable[[], None]] = (),
) -> None:
    """Serve HTTP until cancelled; says where, and where the token is, never what it is."""
    try:
        from bridge.app.renewal import renew_all
        from bridge.mcp.http import open_http
        from bridge.mcp.tokens import kept_token
    except ModuleNotFoundError as error:
        raise UsageError(
            "BAD_ARGS",
            f"serving HTTP needs a package that is not installed: {error.name}",
            hint="Install chrome-bridge[http].",
        ) from error

    async with AsyncExitStack() as stack:
        kept, secret, place = None, token.given, "in CHROME_BRIDGE_HTTP_TOKEN"
        if secret is None:
            kept = stack.enter_context(kept_token(token.folder))
            secret, place = kept.value, f"in {kept.file}"
        opened = open_http(door, __version__, address, secret, timeouts)
        http = await stack.enter_async_context(opened)
        with ending(timeouts):
            async with open_scope() as nursery:
                await nursery.start(renew_all, kept, http.renew, renewals, timeouts)
                tell(f"Serving {http.url} (the bearer token is {place}).")
                await trio.sleep_forever()


async def serve_stdio(open_door: OpenDoor, instructions: str, timeouts: Timeouts) -> None:
    """Serve the client at standard input until it hangs up."""
    if sys.stdin is None or sys.stdout is None:  # their numbers are those of other things by now
        raise UsageError(
            "BAD_ARGS",
            "standard input or output is closed, and a client talks to a server there",
            hint="Have the client start the server; or serve HTTP: --http 127.0.0.1:8000.",
        )
    if sys.platform == "win32":  # no waiting for pipes there, so the SDK's threads have to do
        from bridge.mcp.server import serve_threads

        async with open_door("") as door:
            await serve_threads(door, __version__)
    else:
        from bridge.mcp.stdio import open_stdio

        async with open_stdio(timeouts) as wire:
            with suppress(trio.EndOfChannel):
                await _serve_wire(open_door, instructions, timeouts, wire)


async def _serve_wire(
    open_door: OpenDoor, instructions: str, timeouts: Timeouts, wire: Wire
) -> None:
    hello = Hello(wire, __version__)
    await hello.greet(instructions)
    async with open_door(hello.client) as door, open_scope() as calls:
        early = Early(wire, calls)
        with ending(timeouts):
            await hello.attend(door, early)
            await _import_server()
            from bridge.mcp.server import serve_wire

            await serve_wire(door, __version__, wire, hello, early)


async def _import_server() -> None:
    """The SDK is not imported before a client needs it: it costs 0.3 s and 38 MB."""

    def work() -> None:
        import_module("bridge.mcp.server")
        gc.freeze()  # some 200,000 objects that stay: no collection need ever look at them again

    await trio.to_thread.run_sync(work, abandon_on_cancel=True)


@contextmanager
def ending(timeouts: Timeouts) -> Iterator[None]:
    """When the block ends, what is left has so long to end as well; then the process ends anyway.

    By the kernel's hand, for a process whose own no longer moves; where there is no such alarm, by
    a thread of the interpreter, which may stumble over other threads, but falls the right way.
    """
    try:
        yield
    finally:
        if sys.platform == "win32":
            faulthandler.dump_traceback_later(timeouts.exit, exit=True)
        else:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, timeouts.exit)
