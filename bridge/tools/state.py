"""Tools for what a site remembers: cookies, local and session storage.

Their values are keys to accounts as often as not, so they are shown only when asked for.
"""

from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import urlsplit

from bridge.errors import UsageError
from bridge.page.masking import HIDDEN
from bridge.page.storage import Area, Cookie, NewCookie
from bridge.policy.rules import Effect
from bridge.tools.budget import LISTING, Cursor, MaxTokens
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply, address, counted, quoted

SameSite = Literal["Strict", "Lax", "None"]


@tool(effect=Effect.READ, toolset="state", destination="url", destructive=True)
async def cookies(
    ctx: ToolContext,
    action: Literal["get", "set", "delete", "clear"] = "get",
    url: Annotated[str | None, "Default: the page's."] = None,
    domain: str | None = None,
    name: str | None = None,
    value: str | None = None,
    path: str | None = None,
    secure: bool | None = None,
    http_only: bool | None = None,
    same_site: SameSite | None = None,
    expires: Annotated[float | None, "Seconds since 1970."] = None,
    values: Annotated[bool, "Show values."] = False,
    cursor: Cursor = None,
    max_tokens: MaxTokens = LISTING,
) -> Reply:
    """Get, set, delete (by name) or clear the cookies of a URL or domain, httpOnly ones too."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    if url is not None and domain is not None and action != "set":
        raise _two_places(action)
    place = url or (f"https://{domain.lstrip('.')}/" if domain else ctx.tab.url)
    await ctx.allow(Effect.READ if action == "get" else Effect.ACT, place)
    if action == "set":
        pair = _given(name, "name"), _given(value, "value")
        new = NewCookie(*pair, place, domain, path, secure, http_only, same_site, expires)
        return await _set(ctx, new)
    if path is not None and place.startswith("http"):  # only below it are they sent
        place = urlsplit(place)._replace(path=path, query="").geturl()
    found = await _found(ctx, place, domain, action != "get")
    found = [cookie for cookie in found if path in (None, cookie.path)]
    if action == "delete" or name is not None:
        found = [cookie for cookie in found if cookie.name == _given(name, "name")]
    if action == "get":
        looked_at = ctx.tab.storage.looked_at(domain) if domain else []
        return _shown(ctx, found, place, looked_at, values, max_tokens)
    await ctx.tab.storage.delete_cookies(found)
    return Reply(said=f"Deleted {counted(len(found), 'cookie')}.")


def _shown(
    ctx: ToolContext,
    found: list[Cookie],
    place: str,
    looked_at: list[str],
    values: bool,
    max_tokens: int,
) -> Reply:
    text = "\n".join(_line(cookie, show=values) for cookie in found)
    more = f"{counted(len(found), 'cookie')}." if found else "No cookies."
    if looked_at:
        more += f" Over the extension only those sent to {', '.join(map(address, looked_at))}."
    return ctx.desk.readings.begin(text, source=place, tokens=max_tokens, more=more, tool="cookies")


async def _set(ctx: ToolContext, new: NewCookie) -> Reply:
    if new.domain is not None:  # it may be wider than the address
        await ctx.allow(Effect.ACT, f"https://{new.domain.lstrip('.')}/")
    await ctx.tab.storage.set_cookie(new)
    return Reply(said=f"Set the cookie {quoted(new.name)}.")


async def _found(ctx: ToolContext, place: str, domain: str | None, acting: bool) -> list[Cookie]:
    """The cookies in question; of a domain those of hosts that may be read, or acted on."""
    if domain is None:
        return await ctx.tab.storage.cookies(place)
    below = await ctx.tab.storage.cookies_below(domain)
    kept = []
    for cookie in below:
        host = f"https://{cookie.domain.lstrip('.')}/"
        if acting:
            await ctx.allow(Effect.ACT, host)
        if acting or ctx.readable(host):
            kept.append(cookie)
    return kept


def _line(cookie: Cookie, *, show: bool) -> str:
    parts = [f"{cookie.name}={cookie.value if show else HIDDEN}", cookie.domain + cookie.path]
    parts += ["httpOnly"] if cookie.http_only else []
    parts += ["secure"] if cookie.secure else []
    parts += [f"sameSite={cookie.same_site}"] if cookie.same_site else []
    return " ".join([*parts, "session" if cookie.session else _until(cookie.expires)])


def _until(expires: float) -> str:
    try:
        return f"expires {datetime.fromtimestamp(expires, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError, OSError):
        return "expires late"


@tool(effect=Effect.READ, toolset="state", destructive=True)
async def storage(
    ctx: ToolContext,
    action: Literal["get", "set", "remove", "clear"] = "get",
    area: Area = "local",
    key: str | None = None,
    value: str | None = None,
    values: Annotated[bool, "Show all values."] = False,
    cursor: Cursor = None,
    max_tokens: MaxTokens = LISTING,
) -> Reply:
    """Get, set, remove or clear items of the page's local or session storage."""
    if cursor is not None:
        return ctx.desk.readings.go_on(cursor, max_tokens)
    _check_origin(ctx)
    kept, name = ctx.tab.storage, f"{area} storage"
    if action != "get":
        await ctx.allow(Effect.ACT, ctx.tab.place)
    if action == "set":
        await kept.set_item(area, _given(key, "key"), _given(value, "value"))
        return Reply(said=f"Set {quoted(key or '')} in {name}.")
    if action == "remove":
        had = await kept.remove_item(area, _given(key, "key"))
        said = "Removed" if had else "There was no"
        return Reply(said=f"{said} {quoted(key or '')} {'from' if had else 'in'} {name}.")
    if action == "clear":
        return await _clear(ctx, area, key)
    items = await kept.items(area)
    if key is not None:
        text = items.get(key)
        said = "" if text else _nothing(key, name, there=text is not None)
    else:
        lines = [
            f"{each}={text}" if values else f"{each} ({counted(len(text), 'character')})"
            for each, text in sorted(items.items())
        ]
        text, said = "\n".join(lines), f"{counted(len(items), 'item')}."
    return ctx.desk.readings.begin(
        text or "", source=ctx.tab.url, tokens=max_tokens, more=said, tool="storage"
    )


async def _clear(ctx: ToolContext, area: Area, key: str | None) -> Reply:
    if key is not None:
        raise UsageError(
            "BAD_ARGS",
            "key: clear would remove all items, not just that one",
            hint="Use remove, or leave the key out.",
        )
    gone = await ctx.tab.storage.clear(area)
    return Reply(said=f"Cleared {area} storage: {counted(gone, 'item')}.")


def _nothing(key: str, name: str, *, there: bool) -> str:
    return (
        f"{quoted(key)} is there, and empty." if there else f"There is no {quoted(key)} in {name}."
    )


def _given(value: str | None, name: str) -> str:
    if value is None:
        raise UsageError("BAD_ARGS", f"{name} is needed for this action", hint=f"Give {name}.")
    return value


def _check_origin(ctx: ToolContext) -> None:
    if urlsplit(ctx.tab.url).scheme not in ("http", "https"):
        raise UsageError(
            "BAD_ARGS",
            "this page has no storage",
            hint="Navigate to a page of the site first.",
        )


def _two_places(action: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"{action} takes one of url and domain, and both were given",
        hint="Name the url for what is sent there, the domain for the cookies of all its hosts.",
    )
