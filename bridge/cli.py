"""The command line: flags in, text or JSON out. Errors are one sentence and the next step."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
import trio

from bridge import __version__, config, log
from bridge.errors import BridgeError
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.proxy.options import ProxyOptions
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions
from launcher.wishes import check_wishes

S = TypeVar("S")
T = TypeVar("T")
_FAILED = 1
_INTERRUPTED = 130
_CLIENTS = (
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "codex",
    "gemini",
    "windsurf",
    "zed",
    "opencode",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="chrome-bridge")
def main() -> None:
    """Drive a real, logged-in Chrome.

    Nothing is collected and nothing is sent anywhere: no telemetry.
    """


_json_flag = click.option("as_json", "--json", is_flag=True, help="Print JSON.")


@main.command("open")
@click.argument("url", default="about:blank")
@config.flags(LaunchOptions, config.LogOptions)
@_json_flag
def open_command(url: str, as_json: bool, config_file: Path | None, **values: Any) -> None:
    """Open URL in the browser of a profile, for logging in and looking.

    With a window (the default) the browser stays open and this command returns. With --headless
    the browser is held until Ctrl-C, SIGTERM, or the end of the process that called.
    """
    from bridge.app import endings, opening

    options = _options(config_file, values)
    try:
        url = opening.full_address(url)
    except BridgeError as error:
        _fail(error)
    if options.headless is None:
        click.echo(f"Opening a window on the profile {options.profile!r} …", err=True)

    def tell(opened: opening.Opened) -> None:
        # A page could turn the line round by its title, and tell some terminals to do things.
        title = "".join(each if each.isprintable() else " " for each in opened.title).strip()
        lines = [f"{title or opened.url} is open in tab {opened.tab}."]
        if opened.headless and opened.ownership == "launched":
            lines.append("The headless browser stays until this command ends (Ctrl-C).")
        _print(asdict(opened), lines, as_json)

    work = partial(opening.open_url, options, url, _saying(tell), timeouts=Timeouts())
    _end(_wait(partial(endings.until_ended, work)))


@main.command()
@config.flags(LaunchOptions, LinkOptions, PolicyOptions, ServeOptions, config.LogOptions)
def serve(config_file: Path | None, **values: Any) -> None:
    """Serve the browser's tools to an MCP client at standard input, or over HTTP.

    Ends when the client hangs up, on SIGTERM or Ctrl-C, or with the process that called.
    """
    from bridge.app import endings, serving

    launch = _options(config_file, values)
    try:
        wishes = serving.Wishes(
            launch=launch,
            policy=config.build(PolicyOptions, values, file=config_file),
            serve=config.build(ServeOptions, values, file=config_file),
            link=config.with_token(config.build(LinkOptions, values, file=config_file), os.environ),
            http_token=config.bearer_token(os.environ, config.HTTP_TOKEN),
        )
    except BridgeError as error:
        _fail(error)
    work = partial(serving.serve, wishes, Timeouts(), _saying(click.echo))
    _end(_wait(partial(endings.until_ended, work)))


@main.command()
@config.flags(LaunchOptions, LinkOptions, PolicyOptions, ProxyOptions, config.LogOptions)
def proxy(config_file: Path | None, **values: Any) -> None:
    """Let programs that speak CDP (Playwright, Puppeteer) work on tabs of your own Chrome.

    They connect to the address this prints, with the token as a header:
    `Authorization: Bearer …`. Ends on SIGTERM or Ctrl-C, or with the process that called.
    """
    from bridge.app import endings, proxying

    launch = _options(config_file, values)
    try:
        wishes = proxying.Wishes(
            launch=launch,
            policy=config.build(PolicyOptions, values, file=config_file),
            link=config.with_token(config.build(LinkOptions, values, file=config_file), os.environ),
            proxy=config.build(ProxyOptions, values, file=config_file),
            token=config.bearer_token(os.environ, config.PROXY_TOKEN),
        )
    except BridgeError as error:
        _fail(error)
    work = partial(proxying.proxy, wishes, Timeouts(), _saying(click.echo))
    why = _run(partial(endings.until_ended, work))
    if why == "SIGINT":
        sys.exit(_INTERRUPTED)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--picture",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("chrome-bridge-demo.png"),
    show_default=True,
    help="Where the screenshot goes.",
)
def demo(arguments: tuple[str, ...], picture: Path) -> None:
    """Show what an agent sees: a client, our server, and a page of this machine.

    ARGUMENTS go to `serve`: chrome-bridge demo -- --executable-path /opt/chrome
    """
    from bridge.app import demo as tour
    from bridge.app import endings

    _check_flags(tour.flags(arguments), tour.environment())
    fine = False

    async def show() -> None:
        nonlocal fine
        fine = await tour.run(_saying(click.echo), picture, arguments)

    _end(_wait(partial(endings.until_ended, show)))
    if not fine:
        sys.exit(_FAILED)


@main.command()
@config.flags(LaunchOptions, config.LogOptions)
@_json_flag
def status(as_json: bool, config_file: Path | None, **values: Any) -> None:
    """Say what runs on a profile; starts nothing."""
    from bridge.app import status as state

    found = _run(partial(state.status, _options(config_file, values), Timeouts()))
    _print(asdict(found), _status_lines(asdict(found)), as_json)


@main.command()
@config.flags(LaunchOptions, config.LogOptions)
@_json_flag
def stop(as_json: bool, config_file: Path | None, **values: Any) -> None:
    """Close the browser we launched on a profile, whoever uses it."""
    from bridge.app import status as state

    done = _run(partial(state.stop, _options(config_file, values), Timeouts()))
    said = "Closed the browser." if done.stopped else f"Nothing to stop: {done.reason}."
    _print(asdict(done), [said], as_json)


@main.command()
@config.flags(LaunchOptions, config.LogOptions)
@_json_flag
def doctor(as_json: bool, config_file: Path | None, **values: Any) -> None:
    """Say which ways to a browser are open here, and what opens the others."""
    from bridge.app import doctor as health

    found = _run(partial(health.diagnose, _options(config_file, values), Timeouts()))
    _print(asdict(found), health.lines(found), as_json)


@main.group()
def extension() -> None:
    """Work in a person's own Chrome, through our extension."""


@extension.command("install")
@config.flags(LaunchOptions, config.LogOptions)
@_json_flag
def extension_install(as_json: bool, config_file: Path | None, **values: Any) -> None:
    """Let your browsers find our servers by themselves (native messaging); once for all."""
    from bridge.app import extension as arm

    done = _try(partial(arm.install, _options(config_file, values)))
    _print(asdict(done), arm.installed_lines(done), as_json)


@extension.command("path")
@_json_flag
def extension_path(as_json: bool) -> None:
    """Print the folder to load unpacked, and how."""
    from bridge.app import extension as arm

    _print({"path": str(arm.folder())}, [str(arm.folder()), "", *arm.clicks()], as_json)


@extension.command("status")
@config.flags(LaunchOptions, config.LogOptions)
@click.option("--show-pairing", is_flag=True, help="Show what a person needs to pair by hand.")
@_json_flag
def extension_status(
    show_pairing: bool, as_json: bool, config_file: Path | None, **values: Any
) -> None:
    """Say which browsers find our servers, and which servers run; changes nothing."""
    from bridge.app import extension as arm

    options = _options(config_file, values)
    found = _run(partial(arm.status, options, Timeouts(), codes=show_pairing))
    watched = show_pairing and not as_json and sys.stdout.isatty()
    pasted = arm.texts_to_paste(options) if watched else {}
    _print(asdict(found), arm.status_lines(found, pasted), as_json)


@extension.command("uninstall")
@config.flags(LaunchOptions, config.LogOptions)
@_json_flag
def extension_uninstall(as_json: bool, config_file: Path | None, **values: Any) -> None:
    """Take back what `install` has done."""
    from bridge.app import extension as arm

    done = _try(partial(arm.uninstall, _options(config_file, values)))
    _print(asdict(done), arm.uninstalled_lines(done), as_json)


def _check_flags(arguments: tuple[str, ...], tour: dict[str, str] | None = None) -> None:
    """End with a sentence on what `serve` would not start with, before somebody else meets it.

    A client's server reads the machine's own options as well; that of a tour its flags, and what is
    in the environment it is given.
    """
    from bridge.app import serving

    values = dict(serve.make_context("chrome-bridge serve", list(arguments)).params)
    file = values.pop("config_file")
    try:
        check_wishes(config.build(LaunchOptions, values, file=file, environment=tour))
        policy = config.build(PolicyOptions, values, file=file, environment=tour)
        serving.read_policy(policy)
        link = config.build(LinkOptions, values, file=file, environment=tour)
        served = config.build(ServeOptions, values, file=file, environment=tour)
        serving.check(policy, served, link)
        serving.check_starter(served)
        config.build(config.LogOptions, values, file=file, environment=tour)
    except BridgeError as error:
        _fail(error)


def _options(file: Path | None, values: dict[str, Any]) -> LaunchOptions:
    """Options and logging as file, environment and flags say."""
    try:
        logging = config.build(config.LogOptions, values, file=file)
        log.configure(logging.log_level, logging.log_file)
        options = config.build(LaunchOptions, values, file=file)
        check_wishes(options)
    except BridgeError as error:
        _fail(error)
    for name in config.unknown_variables(os.environ):
        click.echo(f"warning: {name} is set and means nothing to this version", err=True)
    return options


def _run(work: Callable[[], Awaitable[T]]) -> T:
    """Run it; an interrupt has it tidy up, where so far one simply ended the process."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        return _wait(work)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _wait(work)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _end(why: str) -> None:
    if why == "SIGINT":
        sys.exit(_INTERRUPTED)


class _Unsaid(Exception):
    """Nobody hears what the work has to say, which ends it; why is the cause."""


def _saying(say: Callable[[S], None]) -> Callable[[S], None]:
    def said(what: S) -> None:
        try:
            say(what)
        except OSError as error:
            raise _Unsaid from error

    return said


def _wait(work: Callable[[], Awaitable[T]]) -> T:
    """Run it; an error of ours becomes a sentence, anything else a report of a bug."""
    try:
        return trio.run(work)
    except BridgeError as error:
        _fail(error)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except _Unsaid as error:
        raise error.__cause__ or error from None  # as where a command speaks when all is done
    except Exception as error:  # noqa: BLE001 -- the border to a person: a sentence, not a trace
        log.get("cli").exception("unexpected")
        click.echo(f"chrome-bridge has a bug: {type(error).__name__}: {error}", err=True)
        sys.exit(_FAILED)


def _try(work: Callable[[], T]) -> T:
    """The same for work that waits for nothing."""

    async def alone() -> T:
        return work()

    return _run(alone)


def _fail(error: BridgeError) -> NoReturn:
    click.echo(error.report(), err=True)
    sys.exit(_FAILED)


def _print(data: dict[str, Any], lines: list[str], as_json: bool) -> None:
    if as_json:  # which has a way of its own to write letters that not everything takes
        takes_all = getattr(sys.stdout, "encoding", None) == "utf-8"
        lines = [json.dumps(data, ensure_ascii=not takes_all, indent=2)]
    click.echo("\n".join(lines))


def _status_lines(found: dict[str, Any]) -> list[str]:
    lines = [f"{found['state']}: {found['reason']}"]
    shown = ("profile", "product", "ownership", "pid", "port", "headless", "tabs", "holders")
    lines += [
        f"  {name:<10} {found[name]}" for name in shown if found[name] not in ("", 0, None, [])
    ]
    if found["active_tab"]:
        lines.append(f"  {'active tab':<10} {found['active_tab']['url']}")
    return lines


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("client", type=click.Choice(_CLIENTS))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--write", "writing", is_flag=True, help="Put it into the client's own file.")
@click.option("--file", type=click.Path(path_type=Path), help="Another file than the usual one.")
def install(client: str, arguments: tuple[str, ...], writing: bool, file: Path | None) -> None:
    """Print the block that makes CLIENT start us, or write it into the client's file.

    ARGUMENTS go to `serve`: chrome-bridge install cursor -- --allow-domain example.com
    """
    from bridge.app import clients

    _check_flags(arguments)
    wanted = clients.CLIENTS[client]
    argv = clients.command(clients.anchored(arguments))
    file = file or wanted.file(Path.home(), sys.platform)
    if not writing:
        click.echo(f"{wanted.title} reads {file}:\n\n{clients.block(wanted, argv)}")
        if wanted.hint:
            click.echo(f"\n{wanted.hint.replace('COMMAND', shlex.join(argv))}")
        return
    try:
        done = clients.write(wanted, argv, file)
    except BridgeError as error:
        _fail(error)
    click.echo(f"{file} {'now starts' if done.changed else 'already starts'} chrome-bridge.")
    if done.backup is not None:
        click.echo(f"What was there is kept in {done.backup}.")
