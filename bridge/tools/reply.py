"""What a tool returns, and how it reads: our own words outside, the page's words inside a fence.

The fence carries an id that no page can know, so nothing in a page can close it and go on in our
voice. Text of ours never repeats text of a page outside it.
"""

import secrets
from dataclasses import dataclass

from bridge.errors import BridgeError
from bridge.page.quoting import address as address
from bridge.page.quoting import counted as counted
from bridge.page.quoting import quoted as quoted
from bridge.tools.answer import Answer, Image

_LONGEST = 4_000  # characters of a page in an error


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One tool's result."""

    said: str = ""  # in our own words; page text in it is short and quoted
    page: str = ""  # what the page says; untrusted
    source: str = ""  # where that comes from
    more: str = ""  # in our own words again, behind the page
    images: tuple[Image, ...] = ()


def render(reply: Reply, notes: list[str]) -> Answer:
    """The answer a client gets; notes come first, for they change how the rest is read."""
    parts = [*notes]
    if reply.said:
        parts.append(reply.said)
    if reply.page:
        parts.append(fence(reply.page, reply.source))
    if reply.more:
        parts.append(reply.more)
    return Answer(text="\n".join(parts), images=reply.images)


def reported(failure: BridgeError) -> str:
    """What went wrong; where a page has more to say of it than a few words (`page`), in a fence."""
    page = failure.facts.get("page")
    if not isinstance(page, str) or not page:
        return failure.report()
    return f"{failure.report()}\n{fence(page[:_LONGEST], '')}"


def fence(text: str, source: str) -> str:
    """Text of a page, marked as such."""
    mark = secrets.token_hex(4)
    where = f" {address(source)}" if source else ""
    return f"<page {mark}{where} untrusted>\n{text}\n</page {mark}>"
