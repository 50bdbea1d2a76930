"""What is answered over HTTP, before there is a WebSocket: pure, but for the pages of others.

A browser sets Host, Origin and Sec-Fetch-Site, and no page can change them. A name that was rebound
to this machine is still the attacker's, so only the address itself is served.
"""

from collections.abc import Awaitable, Callable

from bridge.relay.invitation import Invitation
from bridge.transport.link import ORIGIN
from bridge.transport.websocket_server import Request, Response, refuse_upgrade

ADDRESS = "127.0.0.1"
LINK = "/link"

Pages = Callable[[Request], Awaitable[Response | None]]
"""What is for no link; None for 404."""

OpenPages = Callable[[Invitation, int], Pages]
"""The pages of a server, given its invitation and port."""


async def answer(request: Request, port: int, pages: Pages) -> Response | None:
    """The answer to a request; None where a link begins."""
    refused = refuse_stranger(request, port)
    if refused is not None:
        return refused
    if request.path == LINK:
        return refuse_upgrade(request)
    return await pages(request) or Response(404, "There is nothing here.")


def refuse_stranger(request: Request, port: int) -> Response | None:
    """The answer to web pages, and to other names of this machine; None to everybody else."""
    if request.headers.get("host") != f"{ADDRESS}:{port}":
        return Response(403, "This host name is not served.")
    origin = request.headers.get("origin")
    if request.path == LINK:
        return None if origin == ORIGIN else Response(403, "Only the extension is served here.")
    if origin == ORIGIN:
        return None
    if origin not in (None, f"http://{ADDRESS}:{port}"):
        return Response(403, "Web pages are not served.")
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return Response(403, "Other sites are not served.")
    return None


def no_pages(invitation: Invitation, port: int) -> Pages:
    """Nothing but the link."""

    async def pages(request: Request) -> None:
        return None

    return pages
