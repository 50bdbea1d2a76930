"""The tool that reads what a tab asked the network for."""

import base64

from bridge.errors import BridgeError, PolicyDenied, UsageError
from bridge.page.exchange import TYPES, Exchange, Initiator
from bridge.page.frames import Frame
from bridge.page.masking import masked_body, masked_headers, masked_url
from bridge.page.network import Network
from bridge.policy.rules import Effect
from bridge.tools.budget import LISTING, MaxTokens
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, counted
from bridge.tools.schema import Limit, nearest
from bridge.tools.targets import frame_is_readable

_URL = 300  # characters of an address in a list
_WEB = ("http://", "https://", "blob:http")


@tool(effect=Effect.READ, during_dialog=True)
async def network_requests(
    ctx: ToolContext,
    filter: str | None = None,
    type: str | None = None,
    failed: bool = False,
    request_id: int | None = None,
    before: int | None = None,
    limit: Limit = 50,
    max_tokens: MaxTokens = LISTING,
) -> Reply:
    """List requests whose URL has filter in it, or show one (requestId) with headers and body."""
    readings, network, source = ctx.desk.readings, ctx.tab.network, ctx.tab.url
    if request_id is not None:
        request = _find(network, request_id)
        await ctx.allow(Effect.READ, _as_web(request.url))
        _check(ctx, request)
        return readings.begin(await _in_full(network, request), source=source, tokens=max_tokens)
    kinds = None if type is None else {_kind(name.strip()) for name in type.split(",")}
    kept = list(network)
    readable = [request for request in kept if _is_readable(ctx, request)]
    found = [request for request in readable if _matches(ctx, request, filter, kinds, failed)]
    found = [each for each in found if before is None or each.number < before]
    shown = found[-limit:]
    narrowed = any((filter, type, failed, before is not None))
    none = "No requests like that" if narrowed else "No requests"
    said = f"{len(shown)} of {counted(len(found), 'request')}" if shown else none
    lost = network.count - len(kept)
    more = f"{said}{f'; {lost} older ones are no longer kept' if lost else ''}."
    if len(found) > len(shown):
        more += f" before: {shown[0].number} shows older ones."
    if unreadable := len(kept) - len(readable):  # whatever is looked for: that would tell of them
        more += f" {unreadable} of addresses that may not be read are left out."
    text = "\n".join(map(_line, shown))
    return readings.begin(text, source=source, tokens=max_tokens, more=more)


def _is_readable(ctx: ToolContext, request: Exchange) -> bool:
    """Whether all that asked for it, and the document it became, may be read.

    That a page was kept from something is told, for it was the page that asked.
    """
    if not all(frame_is_readable(ctx, frame) for frame in _frames(ctx, request)):
        return False
    if not request.frame_id and request.session.end is not None:  # whose it was, nobody can ask
        return all(ctx.readable(url) for url in _sources(request))
    return all(ctx.readable(url) for url in _sources(request) if url.startswith(_WEB))


def _sources(request: Exchange) -> list[str]:
    """Addresses of what asked for it; of a document that came, its own and those on the way."""
    if request.id != request.loader_id:
        return [request.document or request.asker]
    if request.error and not request.head.status:
        return [request.asker]
    return [request.url, *(old for _, old in request.hops)]


def _frames(ctx: ToolContext, request: Exchange) -> list[Frame]:
    """The one that asked; of a socket Chrome tells only the process, of a worker that above it.

    A worker whose script is no address may be of any frame there.
    """
    frames = list(ctx.tab.frames)
    if request.frame_id:
        return [frame for frame in frames if frame.id == request.frame_id]
    if of_process := [frame for frame in frames if frame.session is request.session]:
        return of_process[:1]
    if any(url.startswith(_WEB) for url in _sources(request)):
        return []
    return [frame for frame in frames if frame.session is request.session.parent]


def _check(ctx: ToolContext, request: Exchange) -> None:
    if not _is_readable(ctx, request):
        raise PolicyDenied(
            "POLICY_DENIED",
            f"request {request.number} was made by a page that may not be read",
            hint="Go on without it; the list has those that may be.",
        )


def _kind(name: str) -> str:
    for each in TYPES:
        if each.lower() == name.lower():
            return each
    meant = nearest(name, list(TYPES))
    hint = f"Did you mean {meant}? " if meant else ""
    raise UsageError(
        "BAD_ARGS",
        f"type: there is no kind of request called {name[:100]!r}",
        hint=f"{hint}Kinds, with commas if several: {', '.join(TYPES)}.",
    )


def _find(network: Network, number: int) -> Exchange:
    for request in network:
        if request.number == number:
            return request
    raise UsageError(
        "BAD_ARGS",
        f"requestId: there is no request {number}, or no longer",
        hint="List the requests; the number in front of each is its id.",
    )


def _matches(
    ctx: ToolContext, request: Exchange, part: str | None, kinds: set[str] | None, failed: bool
) -> bool:
    """By the address as it is shown: what is hidden in it could be found letter by letter."""
    if (kinds is not None and request.kind not in kinds) or (failed and not request.failed):
        return False
    if part is None:
        return True
    return part.lower() in ctx.desk.readings.scrub(masked_url(request.url)).lower()


def _as_web(url: str) -> str:
    """A socket's address as the policy knows it."""
    return f"http{url[2:]}" if url.startswith(("ws:", "wss:")) else url


def _line(request: Exchange) -> str:
    parts = [str(request.number), request.method, _outcome(request), request.kind, *_costs(request)]
    parts.append(_shown(request.url))
    parts += [f"(from {status} {_shown(old)})" for status, old in request.hops]
    return " ".join(parts)


def _shown(address: str) -> str:
    url = masked_url(address)
    return url if len(url) <= _URL else f"{url[:_URL]}…"


def _outcome(request: Exchange) -> str:
    status = str(request.head.status or "")
    if request.error:
        return f"{status} failed: {request.error};".lstrip()
    if request.saved:
        return f"{status} (a download)"
    return status or ("done" if request.done.is_set() else "pending")


def _costs(request: Exchange) -> list[str]:
    costs = []
    if request.seconds is not None:
        costs.append(f"{request.seconds * 1000:.0f}ms")
    if request.received_bytes is not None:
        costs.append(f"{request.received_bytes}B")
    return costs


async def _in_full(network: Network, request: Exchange) -> str:
    head, asked = request.head, masked_body(await network.posted(request))
    lines = [_line(request)]
    facts = [f"HTTP {head.status} {head.status_text}".rstrip() if head.status else ""]
    facts += [head.protocol, head.mime_type, "from the disk cache" if head.from_disk_cache else ""]
    facts.append("from a service worker" if head.from_service_worker else "")
    lines.append(", ".join(fact for fact in facts if fact))
    lines.append(_started(request.initiator))
    lines += ["request headers:", *_indented(masked_headers(request.request_headers))]
    lines += ["request body:", asked] if asked else []
    lines += ["response headers:", *_indented(masked_headers(request.response_headers))]
    lines += ["response body:", await _body(network, request)] if head.status else []
    return "\n".join(line for line in lines if line)


def _started(initiator: Initiator) -> str:
    frames = initiator.stack.call_frames if initiator.stack is not None else []
    if frames:
        place = f"{_shown(frames[0].url)}:{frames[0].line_number + 1}"
    elif initiator.url and initiator.line_number is not None:
        place = f"{_shown(initiator.url)}:{int(initiator.line_number) + 1}"
    else:
        place = _shown(initiator.url)
    return f"started by {initiator.type} {place}".rstrip() if initiator.type else ""


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


async def _body(network: Network, request: Exchange) -> str:
    try:
        text, encoded = await network.body(request)
    except BridgeError as error:
        return f"(not there: {error.message[:200]})"
    if encoded:
        size = len(base64.b64decode(text))
        return f"({counted(size, 'byte')} of {request.head.mime_type or 'unknown type'}, not shown)"
    return masked_body(text) if text else "(empty)"
