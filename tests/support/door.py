"""A door with a client before it and a browser behind it, for tests of tools.

`open_door` takes any browser: a scripted one, or tabs in a real Chromium. `Client` is a caller
whose answers to questions the test decides.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from bridge.browser.browser import Browser
from bridge.browser.choice import Choice
from bridge.browser.lifecycle import State
from bridge.policy.options import PolicyOptions
from bridge.policy.rate import Rate
from bridge.policy.rules import Level, Policy
from bridge.timeouts import Timeouts
from bridge.tools import catalogue as catalogue
from bridge.tools.answer import Answer, Question
from bridge.tools.call import Tools
from bridge.tools.desk import Desk
from bridge.tools.guard import Guard
from bridge.tools.office import Office
from bridge.tools.premises import Premises
from bridge.tools.toolsets import Toolsets

ANYTHING = PolicyOptions(
    unsafe_all_domains=True, enable_mutations=True, unsafe_enable_eval=True, enable_downloads=True
)


@dataclass
class Client:
    """A caller; `choice` is what its user picks, None where nobody can be asked."""

    choice: str | None = None
    can_ask: bool = False
    name: str = "test"
    id: str = ""
    asked: list[Question] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    changes: int = 0

    async def progress(self, done: float, total: float | None, message: str) -> None:
        self.told.append(message)

    async def ask(self, question: Question) -> str | None:
        self.asked.append(question)
        return self.choice

    async def tools_changed(self) -> None:
        self.changes += 1


class Borrowed:
    """A lifecycle as the desk sees it, whose browser the test swaps."""

    def __init__(self, browser: Browser) -> None:
        self.now = browser
        self.state = State.CONNECTED
        self.kind = "cdp"
        self.why = ""
        self.lost = None
        self.live: Any = None
        self.expected = 0  # times somebody said that it will be wanted

    def expect(self) -> None:
        self.expected += 1

    def describe(self) -> list[str]:
        return []

    async def browser(self) -> Browser:
        return self.now


@dataclass
class OpenDoor:
    """What a test holds."""

    tools: Tools
    office: Office
    guard: Guard
    toolsets: Toolsets
    lifecycle: Borrowed
    notes: list[tuple[str, str]]  # tool and code of every call that is over
    remembered: list[tuple[str, Level]]
    client: Client

    @property
    def desk(self) -> Desk:
        """That of the one client there usually is."""
        return self.office.desk(self.client.id)

    async def call(self, name: str, /, *, by: Client | None = None, **arguments: Any) -> Answer:
        """Call a tool."""
        return await self.tools.call(name, arguments, by or self.client)

    async def text(self, name: str, /, **arguments: Any) -> str:
        """The text of a call that has to succeed."""
        answer = await self.call(name, **arguments)
        assert not answer.is_error, answer.text
        return answer.text

    async def refusal(self, name: str, /, **arguments: Any) -> str:
        """The text of a call that has to fail."""
        answer = await self.call(name, **arguments)
        assert answer.is_error, answer.text
        return answer.text


@asynccontextmanager
async def open_door(
    browser: Browser,
    options: PolicyOptions = ANYTHING,
    *,
    timeouts: Timeouts | None = None,
    toolsets: tuple[str, ...] = (),
    rate: int = 0,
) -> AsyncIterator[OpenDoor]:
    """Tools on a browser that is there already."""
    notes: list[tuple[str, str]] = []
    remembered: list[tuple[str, Level]] = []
    lifecycle = Borrowed(browser)

    def note(name: str, arguments: Mapping[str, Any], caller: Any, code: str, took: float) -> None:
        notes.append((name, code))

    choice, premises = cast(Choice, lifecycle), Premises()
    office = Office(choice, lambda who: Desk(choice, timeouts or Timeouts(), premises, who))
    guard = Guard(Policy.from_options(options), lambda *grant: remembered.append(grant))
    offer = Toolsets(toolsets)
    tools = Tools(office, guard, offer, note, rate=Rate(rate))
    yield OpenDoor(tools, office, guard, offer, lifecycle, notes, remembered, Client())
