"""Cookies of addresses, and what pages keep in local and session storage.

All of it is asked of the browser, not of a script in the page: it works while the page is busy, and
sees cookies that no script may see.
"""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from bridge import cdp
from bridge.errors import ChromeError, PageError, UsageError
from bridge.page.frames import Frames
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

    def __init__(self, session: Session, frames: Frames) -> None:
        self._session = session
        self._frames = frames

    # Cookies.

    async def cookies(self, url: str) -> list[Cookie]:
        """Those that are sent to this address."""
        answer = await self._session.execute(cdp.network.get_cookies(urls=[url]), timeout="read")
        return answer.cookies

    async def cookies_below(self, domain: str) -> list[Cookie]:
        """Those of this domain and of all hosts below it, whatever their path."""
        answer = await self._session.execute(cdp.storage.get_cookies(), timeout="read")
        bare = domain.lstrip(".").lower()
        return [
            cookie
            for cookie in answer.cookies
            if cookie.domain.lstrip(".") == bare or cookie.domain.endswith(f".{bare}")
        ]

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
        host = new.domain or urlsplit(new.url).hostname or ""
        if new.expires is None and not await self._has(new.name, host):
            raise _not_taken(new.name, "it was not kept")

    async def _has(self, name: str, host: str) -> bool:
        return any(cookie.name == name for cookie in await self.cookies_below(host))

    async def delete_cookies(self, cookies: list[Cookie]) -> None:
        """Delete exactly these."""
        commands = [
            cdp.network.delete_cookies(
                cookie.name,
                domain=cookie.domain,
                path=cookie.path,
                partition_key=cookie.partition_key,
            )
            for cookie in cookies
        ]
        await self._session.execute_all(*commands, timeout="read")

    # Local and session storage.

    async def items(self, area: Area) -> dict[str, str]:
        """Everything the page's origin keeps there, by key."""
        command = cdp.dom_storage.get_dom_storage_items(self._id(area))
        answer = await self._ask(command)
        return {key: value for key, value in answer.entries}

    async def set_item(self, area: Area, key: str, value: str) -> None:
        await self._ask(cdp.dom_storage.set_dom_storage_item(self._id(area), key, value))

    async def remove_item(self, area: Area, key: str) -> bool:
        """False if there was none of this key."""
        had = key in await self.items(area)
        await self._ask(cdp.dom_storage.remove_dom_storage_item(self._id(area), key))
        return had

    async def clear(self, area: Area) -> int:
        """How many items there were."""
        number = len(await self.items(area))
        await self._ask(cdp.dom_storage.clear(self._id(area)))
        return number

    async def _ask(self, command: cdp.base.Command[cdp.base.R_co]) -> cdp.base.R_co:
        try:
            return await self._session.execute(command, timeout="read")
        except ChromeError as error:
            if error.code != "CDP_ERROR":
                raise
            raise PageError(
                "EVAL_THREW",
                f"the page's storage cannot be used: {error.message[:200]}",
                hint="Pages without an origin of their own have none, and its size is limited.",
            ) from error

    def _id(self, area: Area) -> cdp.dom_storage.StorageId:
        parts = urlsplit(self._frames.main.url)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return cdp.dom_storage.StorageId(security_origin=origin, is_local_storage=area == "local")


def _not_taken(name: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"Chrome does not take the cookie {name[:100]!r}: {why[:200]}",
        hint="Look at its name, domain and path; SameSite=None needs secure.",
    )
