"""What goes between a client and the door: tool cards out, calls in, answers and questions back.

Plain values, so that the protocol's side (`bridge.mcp`) and the tools' side know only these.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A tool as a client sees it in the list."""

    name: str
    title: str
    description: str
    schema: dict[str, Any]
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in an answer; Chrome gives base64 and MCP wants it, so it stays that."""

    data: str
    mime: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One text block, images after it."""

    text: str
    images: tuple[Image, ...] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something the user decides; asked before anything has been done."""

    message: str
    options: tuple[tuple[str, str], ...]  # id, label


class Suspended(Exception):
    """Raised by `Caller.ask` where the client has to call again, bringing what the user chose.

    The one exception besides cancellation that the door lets through. Nothing has been done yet.
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question.message)
        self.question = question


class Caller(Protocol):
    """The client behind one call."""

    @property
    def id(self) -> str:
        """Tells the clients of one server apart; "" where there can only be one."""

    @property
    def name(self) -> str:
        """What the client calls itself, for the audit."""

    @property
    def can_ask(self) -> bool:
        """Whether its user can be asked."""

    async def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell how far a long call is."""

    async def ask(self, question: Question) -> str | None:
        """The id of what the user chose; None if declined or cancelled."""

    async def tools_changed(self) -> None:
        """Tell the client to list the tools again."""


class Door(Protocol):
    """What a server serves; `bridge.tools.call` is the one there is."""

    @property
    def instructions(self) -> str:
        """How to use the tools, for the model."""

    async def cards(self, *, can_ask: bool) -> list[Card]:
        """The tools that are on offer now."""

    async def ready(self, name: str, arguments: object) -> None:
        """Be able to take calls; this one has come, and what it needs may be on its way by then."""

    def expect(self, name: str) -> None:
        """A call of this tool is on its way; what it certainly needs may start."""

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        """Do it; failures come as answers, nothing but cancellation and Suspended is raised."""

    async def leave(self, client: str) -> None:
        """The client of this id has gone; what was its alone goes with it."""
