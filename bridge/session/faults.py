"""What Chrome and its endings mean to a caller: every CDP failure becomes one BridgeError here."""

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


class _Data(msgspec.Struct):
    reason: str = ""


def from_fault(method: str, fault: Fault) -> BridgeError:
    """Chrome, or an extension in its stead, answered with an error."""
    if fault.data and (error := _from_extension(method, fault)) is not None:
        return error
    if fault.code == NO_SESSION:
        return detached("")
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
    if reason == link.OUTCOME_UNKNOWN:
        return LinkError(
            "EXTENSION_DISCONNECTED",
            f"the link broke while {method} was under way; whether it happened is unknown",
            hint="Look at the page before doing it again.",
            facts={"method": method, "outcome": "unknown"},
        )
    if reason == link.ATTACH_CONFLICT:
        return LinkError(
            "DEVTOOLS_OPEN",
            f"another debugger keeps the tab: {fault.message}",
            hint="Close the developer tools of that tab, or the program that debugs it.",
            facts={"method": method},
        )
    if reason == link.TOO_BIG:
        return LinkError(
            "BACKPRESSURE",
            f"what {method} brings is more than the extension can carry: {fault.message}",
            hint="Ask for less at once.",
            facts={"method": method},
        )
    if reason == link.PAUSED:
        return PolicyDenied(
            "POLICY_DENIED",
            "the person at the browser has paused the extension",
            hint="Ask them to press Resume in its popup; nothing can be done until then.",
            facts={"method": method},
        )
    if reason == link.POLICY:
        return PolicyDenied(
            "POLICY_DENIED",
            f"the extension refuses {method}: {fault.message}",
            hint="The owner of the browser decides, in the extension's options.",
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
        return ChromeError("TARGET_GONE", what, hint="List the tabs, or open a new one.")
    return ChromeError(
        "DETACHED",
        f"the connection to the tab was taken away: {reason}",
        hint="The next call takes the tab up again, if it is still there.",
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
        hint=f"The page may be busy or a dialog open; the timeout '{timeout}' was spent.",
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
