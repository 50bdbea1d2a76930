"""Cookies of addresses, and what pages keep in local and session storage.

Cookies are asked of the browser, which sees those that no script may see; over the extension only
by address, for the call that needs none tells all of the person's. Storage is asked of a script in
our own world of the page, for Chrome refuses extensions the calls that do without.
"""

import time
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from bridge import cdp
from bridge.errors import ChromeError, PageError, UsageError
from bridge.page.frames import Frames
from bridge.page.worlds import Worlds
from bridge.policy.hosts import parse_address
from bridge.session.session import Session

Area = Literal["local", "session"]
Cookie = cdp.network.Cookie


@dataclass(frozen=True, slots=True)
class NewCookie:
    """A cookie to be set; `url` says for which host where there is no `domain`."""

    name: str
    value: str
    url: str
    domain: str | None = None
    path: str | None = None
    secure: bool | None = None
    http_only: bool | None = None
    same_site: str | None = None
    expires: float | None = None  # seconds since 1970; a session's cookie has none


class Storage:
    """Of one tab: its browser context, and its page's storage."""

    def __init__(self, session: Session, frames: Frames, worlds: Worlds) -> None:
        self._session = session
        self._frames = frames
        self._worlds = worlds

    # Cookies.

    async def cookies(self, *urls: str) -> list[Cookie]:
        """Those that are sent to these addresses."""
        answer = await self._session.execute(
            cdp.network.get_cookies(urls=list(urls)), timeout="read"
        )
        return answer.cookies

    async def cookies_below(self, domain: str) -> list[Cookie]:
        """Those of this domain and of all hosts below it, as far as `looked_at` says."""
        bare = _host_of(domain)
        urls = self.looked_at(domain)
        found = await (self.cookies(*urls) if urls else self._all_cookies())
        return [cookie for cookie in found if _is_below(cookie.domain.lstrip("."), bare)]

    def looked_at(self, domain: str) -> list[str]:
        """The only addresses whose cookies are seen below a domain; none where all are seen."""
        if self._session.connection.kind != "extension":
            return []
        bare = _host_of(domain)
        shown = [urlsplit(frame.url) for frame in self._frames]
        below = [_secure(parts) for parts in shown if _is_below(parts.hostname or "", bare)]
        return list(dict.fromkeys([f"https://{bare}/", *below]))

    async def _all_cookies(self) -> list[Cookie]:
        """Of the tab's own context; what Chrome names in its place tells those of the profile."""
        answer = await self._session.execute(cdp.network.get_all_cookies(), timeout="read")
        return answer.cookies

    async def set_cookie(self, new: NewCookie) -> None:
        """Set it; BAD_ARGS if Chrome takes no such cookie, which it does not always say."""
        command = cdp.network.set_cookie(
            new.name,
            new.value,
            url=new.url,
            domain=new.domain,
            path=new.path,
            secure=new.secure,
            http_only=new.http_only,
            same_site=new.same_site,
            expires=None if new.expires is None else cdp.network.TimeSinceEpoch(new.expires),
        )
        try:
            await self._session.execute(command, timeout="read")
        except ChromeError as error:
            if error.code != "CDP_ERROR":
                raise
            raise _not_taken(new.name, error.message) from error
        is_to_stay = new.expires is None or new.expires > time.time()  # not: it has deleted one
        if is_to_stay and not await self._has(new):
            raise _not_taken(new.name, "it was not kept")

    async def _has(self, new: NewCookie) -> bool:
        parts = urlsplit(new.url)
        host = _host_of(new.domain or parts.netloc.rpartition("@")[2])
        if self._session.connection.kind == "extension":
            place = parts._replace(path=new.path or parts.path)
            found = await self.cookies(f"https://{host}/" if new.domain else _secure(place))
        else:
            found = await self.cookies_below(host)
        return any((each.name, each.value) == (new.name, new.value) for each in found)

    async def delete_cookies(self, cookies: list[Cookie]) -> None:
        """Delete exactly these."""
        commands = [
            cdp.network.delete_cookies(
                cookie.name,
                url=f"https://{cookie.domain.lstrip('.')}{cookie.path}",
                domain=cookie.domain,
                path=cookie.path,
                partition_key=cookie.partition_key,
            )
            for cookie in cookies
        ]
        await self._session.execute_all(*commands, timeout="read")

    # Local and session storage; EVAL_THREW where the page has none, or it is full.

    async def items(self, area: Area) -> dict[str, str]:
        """Everything the page's origin keeps there, by key."""
        return dict(await self._ask("storedItems", area))

    async def set_item(self, area: Area, key: str, value: str) -> None:
        await self._ask("storeItem", area, key, value, acting=True)

    async def remove_item(self, area: Area, key: str) -> bool:
        """False if there was none of this key."""
        return bool(await self._ask("removeStored", area, key, acting=True))

    async def clear(self, area: Area) -> int:
        """How many items there were."""
        return int(await self._ask("clearStored", area, acting=True))

    async def _ask(self, function: str, *args: object, acting: bool = False) -> Any:
        try:
            return await self._worlds.call(self._frames.main, function, *args, acting=acting)
        except PageError as error:
            if error.code != "EVAL_THREW":
                raise
            raise PageError(
                "EVAL_THREW",
                error.message[:300],
                hint="Pages without an origin of their own have none, and its size is limited.",
            ) from error


def _host_of(domain: str) -> str:
    """As Chrome writes the host in its cookies, whatever the letters; a port belongs to none."""
    bare = domain.lstrip(".")
    address = parse_address(f"https://{bare}/")
    return address.host if address is not None else bare.lower()


def _is_below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _secure(parts: SplitResult) -> str:
    """The address with TLS, for secure cookies go nowhere else; its port may be what is allowed."""
    host = parts.netloc.rpartition("@")[2]
    if parts.scheme == "http" and parts.port is None:
        host += ":80"
    return parts._replace(scheme="https", netloc=host).geturl()


def _not_taken(name: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"Chrome does not take the cookie {name[:100]!r}: {why[:200]}",
        hint="Look at its name, domain and path; SameSite=None needs secure.",
    )
