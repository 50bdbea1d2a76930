"""What the gate needs of a browser, and how it answers one."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.session.connection import Connection
from bridge.session.session import Session

PASS = "Fetch.continueRequest"
EVERYTHING = [cdp.fetch.RequestPattern(url_pattern="*")]
_log = log.get("gate")


class Guarded(Protocol):
    """A browser, ours alone or not."""

    partings: list[Callable[[], Iterable[Command[Any]]]]

    @property
    def tabs(self) -> "Sequence[_Page]": ...
    @property
    def coming(self) -> "Mapping[cdp.target.TargetID, Coming]": ...
    @property
    def targets(self) -> "_Targets": ...
    @property
    def connection(self) -> Connection: ...
    @property
    def exclusive(self) -> bool: ...
    @property
    def kind(self) -> str: ...
    def start(self, work: Callable[..., Awaitable[None]], *args: Any) -> None: ...
    def add_opening(self, *commands: Command[Any]) -> None: ...
    def on_session(self, call: Callable[[Session, str], Iterable[Command[Any]]]) -> None: ...


class Coming(Protocol):
    """A page that will be a tab of ours in a moment."""

    async def session(self) -> Session | None: ...
    async def wait(self) -> object: ...


class _Targets(Protocol):
    def page(self, target_id: cdp.target.TargetID) -> cdp.target.TargetInfo | None: ...


class _Shown(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def url(self) -> str: ...


class _Page(Protocol):
    @property
    def target_id(self) -> str: ...
    @property
    def frames(self) -> Iterable[_Shown]: ...


def tab_of(frame_id: str, browser: Guarded) -> str | None:
    """The target of the tab of ours that shows this frame."""
    for tab in browser.tabs:
        if any(frame.id == frame_id for frame in tab.frames):
            return tab.target_id
    return None


async def answer(session: Session, *commands: Command[Any]) -> None:
    """Send them in one go; what they are for may go first."""
    await ask(session, *commands)


async def ask(session: Session, *commands: Command[Any]) -> bool:
    """The same; False if it went."""
    try:
        await session.execute_all(*commands)
    except BridgeError as error:
        _log.debug("unanswered: %s", error)
        return False
    return True
