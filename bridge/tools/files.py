"""Tools that download, and tell what was downloaded."""

import json
import mimetypes
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import trio

from bridge.browser.contexts import context_of
from bridge.browser.retrieval import open_expectation, retrieve, wait_begun, wait_done, wait_offered
from bridge.errors import PageError, PolicyDenied, UsageError
from bridge.page.downloads import Download, Downloads, State, mime_of
from bridge.page.masking import HIDDEN
from bridge.page.quoting import cut
from bridge.page.settling import Aftermath
from bridge.policy.rules import Effect
from bridge.tools.answer import Image
from bridge.tools.budget import LISTING, MaxTokens
from bridge.tools.context import ToolContext
from bridge.tools.outcomes import download_began
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, address, counted
from bridge.tools.schema import Ref, Selector
from bridge.tools.targets import may_act, target_of

_WEB = ("http:", "https:")
_PAUSE = 0.25  # seconds between two words to a client about a download
_UNKNOWN = "application/octet-stream"
_PICTURES = {  # and how they begin: what only calls itself one would be shown to nobody
    "image/gif": re.compile(rb"GIF8"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
_NONE = re.compile(rb"(?!)")
_LARGEST_PICTURE = 1_000_000  # bytes
_LONGEST_TEXT = 4_000_000  # bytes of a file that are read
_MARGIN = 1_000  # characters before a cut: half of a secret is not known as one
_LOOKED_AT = 8192  # bytes that tell whether a file is text


async def page_or_saved(
    ctx: ToolContext, mine: Callable[[str], bool], go: Callable[[], Awaitable[Reply]]
) -> Reply:
    """What `go` answers; or that it came to a file, which to download then would save twice."""
    if ctx.desk.downloads is None:
        return await go()
    with ctx.desk.downloads.recording(mine) as started:
        try:
            return await go()
        except PageError as error:
            if not error.facts.get("download"):
                raise
            with trio.move_on_after(ctx.timeouts.offer):
                saved = await started.first()
                ctx.desk.heard_download(saved.guid)
                if saved.state is not State.REFUSED:
                    return Reply(
                        said=f"It is a file: no page was opened. {download_began(saved.name)}"
                    )
            raise


@tool(effect=Effect.DOWNLOAD, destination="url", patient=True, destructive=False)
async def download_file(
    ctx: ToolContext,
    url: str | None = None,
    ref: Ref | None = None,
    selector: Selector | None = None,
    suggested_name: str | None = None,
) -> Reply:
    """Download a URL, or what a click on an element downloads."""
    if [url, ref, selector].count(None) != 2:
        raise UsageError(
            "BAD_ARGS",
            "exactly one of url, ref and selector is needed",
            hint="Give the address of the file, or the element whose click downloads it.",
        )
    downloads = ctx.desk.downloads
    if downloads is None:
        raise PolicyDenied(
            "POLICY_DENIED", "this server keeps no downloads", hint="Go on without the file."
        )
    if url is None:
        download = await _click(ctx, downloads, ref, selector, suggested_name)
    else:
        download = await _fetch(ctx, downloads, url, suggested_name)
    path = download.check()
    size = path.stat().st_size
    place = json.dumps(str(path), ensure_ascii=False)  # its name is a page's, and may give orders
    bytes_ = f"{size} byte{'' if size == 1 else 's'}"
    return Reply(said=f"Downloaded {place}: {bytes_}, {_mime(ctx, download)}")


@tool(
    effect=Effect.LOCAL,
    toolset="page",
    tab=False,
    during_dialog=True,
    destructive=True,
    open_world=False,
)
async def downloads(
    ctx: ToolContext,
    open: Annotated[str | None, "An id."] = None,
    cancel: str | None = None,
    max_tokens: MaxTokens = LISTING,
) -> Reply:
    """List downloads of your tabs, with path and state; show what is in one, or end it."""
    all_ = ctx.desk.downloads.recent if ctx.desk.downloads is not None else ()
    recent = [each for each in all_ if ctx.desk.owns(each.tab_id)]
    known = {f"d{each.number}": each for each in recent}
    if open is not None and cancel is not None:
        raise UsageError("BAD_ARGS", "one of open and cancel is possible, and both were given")
    if open is not None:
        return await _show(ctx, _find("open", open, known), max_tokens)
    if cancel is not None:
        return await _cancel(ctx, _find("cancel", cancel, known))
    for each in recent:
        ctx.desk.heard_download(each.guid)
    text = "\n".join(_line(ctx, each) for each in recent)
    return ctx.desk.readings.begin(
        text, source="", tokens=max_tokens, said=f"{counted(len(recent), 'download')}."
    )


def _find(what: str, name: str, known: Mapping[str, Download]) -> Download:
    if name in known:
        return known[name]
    raise UsageError(
        "BAD_ARGS",
        f"{what}: there is no download {name[:40]!r}",
        hint=f"List them without {what}: the id comes first.",
    )


async def _show(ctx: ToolContext, download: Download, tokens: int) -> Reply:
    """A picture as a picture, and text as the words of whoever sent it; of the rest its place."""
    await ctx.allow(Effect.READ, download.url)
    if download.state is State.RUNNING:
        raise UsageError(
            "BAD_ARGS",
            f"open: d{download.number} is still on its way",
            hint="List the downloads in a moment, and open it when it is complete.",
        )
    path = download.check()
    try:
        data = await trio.to_thread.run_sync(_beginning, path)
    except OSError as error:
        raise PageError(
            "DOWNLOAD_FAILED",
            f"the file is not there any more: {error.strerror}",
            hint="Download it again.",
        ) from error
    mime = download.mime or _guessed(download) or _UNKNOWN
    if _PICTURES.get(mime, _NONE).match(data) and len(data) <= _LARGEST_PICTURE:
        return Reply(
            said=f"{mime}, {counted(len(data), 'byte')}",
            images=(Image(b64encode(data).decode(), mime),),
        )
    if b"\0" in data[:_LOOKED_AT]:
        place = json.dumps(str(path), ensure_ascii=False)
        return Reply(
            said=f"It is no text, but {mime}: {counted(download.received, 'byte')} at {place}"
        )
    text, more = data.decode("utf-8-sig", errors="replace"), ""
    if len(data) == _LONGEST_TEXT:
        text = ctx.desk.readings.scrub(text)[:-_MARGIN]  # or this cuts one in two as well
        more = "… the rest of the file was not read."
    return ctx.desk.readings.begin(text, source=download.url, tokens=tokens, more=more)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LONGEST_TEXT)


async def _cancel(ctx: ToolContext, download: Download) -> Reply:
    name = f"d{download.number}"
    if download.state is not State.RUNNING or ctx.desk.downloads is None:
        return Reply(said=f"{name} was over already: {download.state.value}.")
    await ctx.desk.downloads.cancel(download, "the client cancelled it")
    return Reply(said=f"Cancelled {name}.")


def _line(ctx: ToolContext, download: Download) -> str:
    """A download in a line of JSON: its name and its path are a page's words."""
    told: dict[str, object] = {"id": f"d{download.number}", "state": download.state.value}
    is_readable = ctx.readable(download.url)
    told["url"] = address(download.url) if is_readable else HIDDEN
    if download.path is not None:
        told["path"] = str(download.path)
    else:
        told["name"] = cut(download.name, 200) if is_readable else HIDDEN
    told["bytes"] = download.received
    if download.state is State.RUNNING and download.total:
        told["of"] = download.total
    told["mimeType"] = download.mime or _guessed(download) or _UNKNOWN
    if download.why:
        told["why"] = download.why
    return json.dumps(told, ensure_ascii=False)


def _guessed(download: Download) -> str | None:
    ending = download.path.name if download.path is not None else ""
    return mimetypes.guess_type(download.name)[0] or mimetypes.guess_type(ending)[0]


async def _fetch(ctx: ToolContext, downloads: Downloads, url: str, name: str | None) -> Download:
    async def allow(address: str) -> None:
        await ctx.allow(Effect.DOWNLOAD, address)

    await allow(url)
    if not url.strip().lower().startswith(_WEB):
        raise UsageError(
            "BAD_ARGS",
            "url: only http: and https: addresses can be downloaded",
            hint="Click what makes the file: give its ref or selector.",
        )
    browser = await ctx.browser()
    here = ctx.tab.url
    referrer = here if here.startswith(_WEB) else None
    tell = partial(_tell, ctx)
    return await retrieve(
        browser,
        downloads,
        url,
        allow,
        tell,
        name=name,
        referrer=referrer,
        context_id=context_of(browser, ctx.tab),
        begun=ctx.desk.take,
    )


async def _click(
    ctx: ToolContext, downloads: Downloads, ref: str | None, selector: str | None, name: str | None
) -> Download:
    tab = ctx.tab
    await ctx.allow(Effect.ACT, tab.place)
    target = await target_of(ctx, ref, selector, Effect.ACT)
    browser = await ctx.browser()
    others = [other for other in browser.tabs if other is not tab]

    def mine(frame_id: str) -> bool:  # also that of a pop-up, which may be no tab yet
        return not any(frame.id == frame_id for other in others for frame in other.frames)

    async with open_expectation(browser, downloads, mine, name) as started:
        after = await tab.actions.click(target, admit=may_act(ctx))
        if not started:
            tab.dialogs.check()
        wait = wait_begun if _may_come(after) else wait_offered
        download = await wait(browser, started)
        await wait_done(browser, download, partial(_tell, ctx))
        return download
    raise AssertionError("unreachable")


def _may_come(after: Aftermath) -> bool:
    """Whether what the click has set going, here or in another tab, may still end in a file.

    Chrome tells nothing of what a link with `download` asks for until the answer begins.
    """
    going = after.loading or after.waiting or after.opened or after.windows
    return bool(going or after.told.get("saves"))


async def _tell(ctx: ToolContext, download: Download) -> None:
    """How many bytes there are, and of how many, now and then."""
    while True:
        told = download.received
        total = download.total if download.total >= told else 0  # what is unpacked can be more
        if told > 0:
            of = f" of {total:,}" if total else ""
            said = f"{told:,}{of} bytes so far"
            await ctx.caller.progress(told, float(total) if total else None, said)
        await trio.sleep(_PAUSE)
        await download.wait_more(told)


def _mime(ctx: ToolContext, download: Download) -> str:
    told = [mime_of(each.head.mime_type) for each in ctx.tab.network if each.url == download.url]
    last = next((mime for mime in told[::-1] if mime), "")
    return download.mime or last or _guessed(download) or _UNKNOWN
