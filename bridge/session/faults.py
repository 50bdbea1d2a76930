"""What Chrome and its endings mean to a caller: every CDP failure becomes one BridgeError here."""

import re
from typing import TypeVar

import msgspec

from bridge.cdp.base import Command, Object
from bridge.errors import (
    BridgeError,
    ChromeError,
    DeadlineExceeded,
    LinkError,
    PageError,
    PolicyDenied,
)
from bridge.session.wire import MALFORMED, UNREADABLE, Fault
from bridge.transport import link

R = TypeVar("R", bound=Object)

NO_SESSION = -32001
"""Chrome: "Session with given id not found"."""


_TAKEN_AWAY = "Detached while handling command."
_FOREIGN_FRAME = "Cannot access a chrome-extension:// URL of different extension"
_RESERVED = re.compile(r"Cannot access a [a-z-]+:// URL")

_REASONS: dict[str, tuple[type[BridgeError], str, str, str]] = {
    link.OUTCOME_UNKNOWN: (
        LinkError,
        "EXTENSION_DISCONNECTED",
        "the link broke while {method} was under way; whether it happened is unknown",
        "Look at the page before doing it again.",
    ),
    link.ATTACH_CONFLICT: (
        LinkError,
        "DEVTOOLS_OPEN",
        "another debugger keeps the tab: {why}",
        "Close the developer tools of that tab, or the program that debugs it.",
    ),
    link.TOO_BIG: (
        LinkError,
        "BACKPRESSURE",
        "what {method} brings is more than the extension can carry: {why}",
        "Ask for less at once.",
    ),
    link.PAUSED: (
        PolicyDenied,
        "POLICY_DENIED",
        "the person at the browser has paused the extension",
        "Ask them to press Resume in its popup; nothing can be done until then.",
    ),
    link.POLICY: (
        PolicyDenied,
        "POLICY_DENIED",
        "the extension refuses {method}: {why}",
        "The owner of the browser decides, in the extension's options.",
    ),
    link.NOT_SHARED: (
        ChromeError,
        "TARGET_GONE",
        "the tab was closed, or is not shared any more",
        "List the tabs, or open a new one.",
    ),
}
"""The extension's own reasons: family, code, sentence and hint."""


class _Data(msgspec.Struct):
    reason: str = ""


def from_fault(method: str, fault: Fault) -> BridgeError:
    """Chrome, or an extension in its stead, answered with an error."""
    if fault.data and (error := _from_extension(method, fault)) is not None:
        return error
    if fault.code == NO_SESSION:
        return detached("")
    if (said := _from_debugger(method, fault.message)) is not None:
        return said
    if fault.code == MALFORMED:
        return ChromeError(
            "CDP_ERROR",
            f"the reply to {method} is malformed; whether it happened is unknown",
            hint="Look at the page before doing it again.",
            facts={"method": method, "outcome": "unknown", "cdp_error": _text(fault.data)},
        )
    return ChromeError(
        "CDP_ERROR",
        f"Chrome refused {method}: {fault.message or 'no reason given'}",
        facts={"method": method, "cdp_code": fault.code, "cdp_data": _text(fault.data)},
    )


def _from_extension(method: str, fault: Fault) -> BridgeError | None:
    """What the extension means by its own reasons; Chrome's data has none."""
    try:
        reason = msgspec.json.decode(fault.data, type=_Data).reason
    except UNREADABLE:
        return None
    if reason not in _REASONS:
        return None
    family, code, text, hint = _REASONS[reason]
    told = family(code, text.format(method=method, why=fault.message), hint=hint)
    told.facts["method"] = method
    if reason == link.OUTCOME_UNKNOWN:
        told.facts["outcome"] = "unknown"
    return told


def _from_debugger(method: str, text: str) -> BridgeError | None:
    """What Chrome says to extensions alone, in words that have no code."""
    if text == _TAKEN_AWAY:
        return ChromeError(
            "DETACHED",
            f"the tab was taken away while {method} was under way; whether it happened is unknown",
            hint="Look at the page before doing it again; the next call takes the tab up again.",
            facts={"method": method, "outcome": "unknown"},
        )
    if text == _FOREIGN_FRAME:
        return ChromeError(
            "DETACHED",
            "a frame of another extension is in the page; meanwhile Chrome lets nobody work on it",
            hint="Use another tab, or ask the person to allow our extension on that site.",
            facts={"method": method},
        )
    if _RESERVED.match(text):
        return PolicyDenied(
            "POLICY_DENIED",
            f"Chrome lets no extension into this page: {text}",
            hint="Use another tab; nobody but the person can leave this page.",
            facts={"method": method},
        )
    return None


def read(command: Command[R], result: msgspec.Raw) -> R:
    """The typed result; a Chrome that disagrees with the bindings is named, not hidden."""
    try:
        return command.read(result)
    except UNREADABLE as error:
        raise ChromeError(
            "CDP_ERROR",
            f"the answer to {command.method} does not have the expected shape: {error}",
            hint="This Chrome speaks a protocol these bindings do not know; regenerate them.",
            facts={"method": command.method, "raw": bytes(result)[:2000]},
        ) from error


def crashed() -> PageError:
    """The renderer died; only a navigation revives the tab."""
    return PageError(
        "PAGE_CRASHED",
        "the page's process crashed",
        hint="Navigate or reload the tab to revive it.",
    )


def detached(reason: str, *, sure: bool = True) -> ChromeError:
    """The session ended: with its target, or because somebody let go of it.

    An extension hears of no difference at first, so it is not `sure`.
    """
    if reason in ("", "target_closed", "Render process gone."):
        what = "the tab was closed" if sure else "the tab was closed, or Chrome took it away"
        hint = "List the tabs, or open a new one."
        if not sure:
            hint = f"The next call takes it up again, if it is still there. {hint}"
        return ChromeError("TARGET_GONE", what, hint=hint)
    return ChromeError(
        "DETACHED",
        f"the connection to the tab was taken away: {reason}",
        hint="The next call takes the tab up again, or says what is in the way.",
    )


def hung(seconds: float) -> ChromeError:
    """The browser process itself does not answer, unlike one hung page."""
    return ChromeError(
        "BROWSER_HUNG",
        f"the browser has not answered for {seconds:g} s",
        hint="The next call restarts a browser of ours; end one of your own by hand.",
    )


def too_slow(method: str, timeout: str, seconds: float) -> DeadlineExceeded:
    """The browser lives, this command did not come back in time."""
    return DeadlineExceeded(
        "TIMEOUT",
        f"Chrome did not answer {method} within {seconds:g} s",
        hint="The page may be busy, have a dialog open or stand still in its developer tools; "
        f"the timeout '{timeout}' was spent.",
        facts={"operation": method, "timeout": timeout, "seconds": seconds},
    )


def in_flight(error: BridgeError, method: str) -> BridgeError:
    """The same end, told to a command that had been sent: it may have happened."""
    told = error.again()
    told.facts["method"] = method
    told.facts["outcome"] = "unknown"
    return told


def _text(data: msgspec.Raw) -> str:
    return bytes(data).decode("utf-8", "replace")[:500]
