"""Every failure a caller can meet: one tree, eight families, one list of codes.

    BridgeError  .code .hint .retryable .facts
    ├ UsageError        the caller      can mend the call
    ├ PolicyDenied      the owner       can widen what is allowed
    ├ PageError         the page        did not do what was asked
    ├ ChromeError       Chrome          refused, crashed or is gone
    ├ LinkError         extension link  is down or busy
    ├ LaunchError       this machine    cannot start or share a browser
    ├ ChatError         the chat page   did not take or answer the question
    └ DeadlineExceeded  time            ran out

A family says who can fix it; a code is a promise to clients, belongs to exactly one family and
has no synonym. Nobody parses messages: `retryable` tells whether the same call again can do no
harm, and only the raiser knows that.
"""

from collections.abc import Mapping
from typing import ClassVar, Self


class BridgeError(Exception):
    """Base of all errors raised on purpose; `str()` is one sentence naming the thing."""

    codes: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        retryable: bool = False,
        facts: Mapping[str, object] | None = None,
    ) -> None:
        if code not in self.codes:
            raise ValueError(f"{code} is not a code of {type(self).__name__}")
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.retryable = retryable
        self.facts = dict(facts or {})

    @property
    def message(self) -> str:
        """The sentence without code and hint."""
        return str(self.args[0])

    def again(self) -> Self:
        """A fresh copy to raise: one exception object must not collect many tasks' tracebacks."""
        return type(self)(
            self.code,
            self.message,
            hint=self.hint,
            retryable=self.retryable,
            facts=self.facts,
        )

    def report(self) -> str:
        """Code and sentence on the first line, the next step on the second."""
        first = f"{self.code}: {self.message}"
        return f"{first}\n{self.hint}" if self.hint else first


class UsageError(BridgeError):
    """The call itself is wrong; the caller can mend it."""

    codes = frozenset({"BAD_ARGS", "UNKNOWN_TOOL", "REF_EXPIRED", "STALE_TAB", "TAB_NOT_FOUND"})


class PolicyDenied(BridgeError):
    """The owner has not allowed this; the hint names the flag that would."""

    codes = frozenset({"POLICY_DENIED", "RATE_LIMITED"})


class PageError(BridgeError):
    """The page did not do what was asked."""

    codes = frozenset(
        {
            "SELECTOR_NOT_FOUND",
            "NOT_ACTIONABLE",
            "DIALOG_OPEN",
            "EVAL_THREW",
            "NAVIGATION_FAILED",
            "PAGE_CRASHED",
            "DOWNLOAD_FAILED",
        }
    )


class ChromeError(BridgeError):
    """Chrome refused the command, or what it was for is gone."""

    codes = frozenset(
        {"CDP_ERROR", "TARGET_GONE", "DETACHED", "NO_BACKEND", "BROWSER_GONE", "BROWSER_HUNG"}
    )


class LinkError(BridgeError):
    """The link to the extension is down, busy, or taken by DevTools."""

    codes = frozenset({"EXTENSION_DISCONNECTED", "DEVTOOLS_OPEN", "BACKPRESSURE"})


class LaunchError(BridgeError):
    """This machine cannot start a browser, or not on that profile."""

    codes = frozenset({"LAUNCH_FAILED", "PROFILE_LOCKED"})


class ChatError(BridgeError):
    """The chat page did not take the question or did not answer it."""

    codes = frozenset(
        {
            "LOGIN_REQUIRED",
            "CHAT_NOT_SENT",
            "CHAT_TIMEOUT",
            "GEMINI_STUCK_STOP_BUTTON",
            "GEMINI_STUCK_NO_RESPONSE",
            "BUSY",
        }
    )


class DeadlineExceeded(BridgeError):
    """Time ran out; `facts` name the operation and the field of Timeouts that was spent."""

    codes = frozenset({"TIMEOUT"})


FAMILIES: tuple[type[BridgeError], ...] = (
    UsageError,
    PolicyDenied,
    PageError,
    ChromeError,
    LinkError,
    LaunchError,
    ChatError,
    DeadlineExceeded,
)


def family_of(code: str) -> type[BridgeError]:
    """The family a code belongs to, for codes that come from elsewhere (our scripts in a page)."""
    return next(family for family in FAMILIES if code in family.codes)
