"""One request of a page and what became of it, decoded only as far as somebody looks.

Chrome's events about a request are long and nearly all are never read. They are kept as they came,
and each question decodes the few fields it is about: the classes here name those, not the whole of
an event. A redirect is the same request going on elsewhere: its earlier addresses are `hops`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
import trio

from bridge.session.session import Session
from bridge.session.wire import UNREADABLE

TYPES = (
    "Document",
    "Stylesheet",
    "Image",
    "Media",
    "Font",
    "Script",
    "TextTrack",
    "XHR",
    "Fetch",
    "Prefetch",
    "EventSource",
    "WebSocket",
    "Manifest",
    "SignedExchange",
    "Ping",
    "CSPViolationReport",
    "Preflight",
    "FedCM",
    "Other",
)
"""Chrome's kinds of requests."""


class Slim(msgspec.Struct, rename="camel", gc=False):
    """A few fields of an event."""


class Named(Slim):
    """Which request an event is about."""

    request_id: str = ""
    transport_id: str = ""

    @property
    def id(self) -> str:
        return self.request_id or self.transport_id


class Asked(Slim):
    """What a page asked for."""

    url: str = ""
    method: str = "GET"
    headers: dict[str, str] = {}
    post_data: str | None = None
    has_post_data: bool = False


class Address(Slim):
    """The same, and nothing else of it."""

    url: str
    method: str = "GET"


class Began(Named):
    """A request starts, or goes on elsewhere."""

    request: Address | None = None  # of what speaks HTTP
    url: str = ""  # of sockets
    loader_id: str = ""
    frame_id: str = ""
    type: str = "Other"


class Initiator(Slim):
    """What made the page ask."""

    type: str = ""
    url: str = ""
    line_number: float | None = None
    stack: "Stack | None" = None


class Place(Slim):
    url: str = ""
    line_number: int = 0
    function_name: str = ""


class Stack(Slim):
    call_frames: list[Place] = []


class Answered(Slim):
    """The head of an answer."""

    status: int = 0
    status_text: str = ""
    headers: dict[str, str] = {}
    mime_type: str = ""
    protocol: str = ""
    from_disk_cache: bool = False
    from_service_worker: bool = False


class _Start(Slim):
    timestamp: float = 0.0
    document_url: str = msgspec.field(default="", name="documentURL")
    request: Asked = msgspec.field(default_factory=Asked)
    initiator: Initiator = msgspec.field(default_factory=Initiator)
    redirect_response: Answered | None = None


class _Answer(Slim):
    type: str = ""
    response: Answered = msgspec.field(default_factory=Answered)


class _End(Slim):
    timestamp: float = 0.0
    encoded_data_length: float | None = None
    error_text: str = ""
    error_message: str = ""
    blocked_reason: str = ""


class _Sent(Slim):
    headers: dict[str, str] = {}


T = TypeVar("T", bound=Slim)


@dataclass(slots=True, eq=False, repr=False)
class Exchange:
    """A request; `done` is set when nothing more will come of it."""

    number: int
    id: str
    session: Session  # whose page told of it last, and has its body
    url: str
    method: str
    type: str
    frame_id: str = ""
    loader_id: str = ""
    done: trio.Event = field(default_factory=trio.Event)
    left: bool = False  # its page went elsewhere before it was done
    saved: bool = False  # its answer became a download
    earlier: list[msgspec.Raw] = field(default_factory=list)  # its beginnings at other addresses
    begun: msgspec.Raw = field(default_factory=msgspec.Raw)
    answered: msgspec.Raw = field(default_factory=msgspec.Raw)
    ended: msgspec.Raw = field(default_factory=msgspec.Raw)
    sent: msgspec.Raw = field(default_factory=msgspec.Raw)  # headers as they went out
    received: msgspec.Raw = field(default_factory=msgspec.Raw)  # headers as they came in
    size: int = 0  # bytes kept for it

    def __repr__(self) -> str:
        return f"<Exchange {self.number} {self.method} {self.url[:100]}>"

    @property
    def kind(self) -> str:
        """Its type, as its answer told: that of a preflight is not known before."""
        return read(_Answer, self.answered).type or self.type

    @property
    def head(self) -> Answered:
        """Status and headers of the answer; all empty while there is none."""
        return read(_Answer, self.answered).response

    @property
    def error(self) -> str:
        """Why it has no whole answer; "" if it has one, or none yet, or Chrome saves it."""
        if self.saved:
            return ""
        end = read(_End, self.ended)
        reason = f" ({end.blocked_reason})" if end.blocked_reason else ""
        text = (end.error_text or end.error_message) + reason
        return text or ("the page went elsewhere" if self.left else "")

    @property
    def failed(self) -> bool:
        """It has no answer, or one that says no."""
        return bool(self.error) or self.head.status >= 400

    @property
    def seconds(self) -> float | None:
        """From its first address to the end of its answer."""
        end = read(_End, self.ended).timestamp
        begin = read(_Start, self.earlier[0] if self.earlier else self.begun).timestamp
        return end - begin if begin and end else None

    @property
    def received_bytes(self) -> int | None:
        """Over the wire, headers included."""
        length = read(_End, self.ended).encoded_data_length
        return None if length is None else int(length)

    @property
    def initiator(self) -> Initiator:
        return read(_Start, self.begun).initiator

    @property
    def document(self) -> str:
        """Address of the document that asked; "" for a document itself, and where nobody said."""
        return "" if self.id == self.loader_id else read(_Start, self.begun).document_url

    @property
    def asker(self) -> str:
        """Address of the script that asked, or of the markup; "" where nobody said."""
        initiator = self.initiator
        frames = initiator.stack.call_frames if initiator.stack is not None else []
        return frames[0].url if frames else initiator.url

    @property
    def hops(self) -> list[tuple[int, str]]:
        """Where it was redirected from: the status that said so, and the address."""
        starts = [read(_Start, raw) for raw in (*self.earlier, self.begun)]
        return [
            (after.redirect_response.status if after.redirect_response else 0, before.request.url)
            for before, after in pairwise(starts)
        ]

    @property
    def asked(self) -> Asked:
        """What the page asked for last."""
        return read(_Start, self.begun).request

    @property
    def request_headers(self) -> Mapping[str, str]:
        """As they went out where Chrome told, else as the page wanted them."""
        return read(_Sent, self.sent).headers or self.asked.headers

    @property
    def response_headers(self) -> Mapping[str, str]:
        """As they came in where Chrome told."""
        return read(_Sent, self.received).headers or self.head.headers


def read(kind: type[T], raw: msgspec.Raw) -> T:
    """These fields of an event; what is not there, or of another shape, is left empty."""
    if raw:
        try:
            found: T = _decoder(kind).decode(raw)
        except UNREADABLE:
            return kind()
        return found
    return kind()


@cache
def _decoder(kind: type[Slim]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, strict=False)
