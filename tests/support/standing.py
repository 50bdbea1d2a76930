"""Something that a whole run shares and that some test may have ended: made anew as soon as it has.

For browsers, whose start costs two seconds of processor time, its Python included.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Generic, Self, TypeVar
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

Held = TypeVar("Held")

_past_proxies = build_opener(ProxyHandler({}))
_PATIENCE = 10.0  # a loaded machine; what is gone refuses at once


class Standing(Generic[Held]):
    """Holds one at a time, from the first request on."""

    def __init__(
        self, hold: Callable[[], AbstractContextManager[Held]], url_of: Callable[[Held], str]
    ) -> None:
        self._hold = hold
        self._url_of = url_of
        self._stack = ExitStack()
        self._held: Held | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def have(self, *, keeps: str = "") -> Held:
        """The one there is, or a new one if that does not answer; without pages that others left.

        `keeps` is how the addresses begin that are no test's.
        """
        if self._held is None or not _cleared(self._url_of(self._held), keeps):
            self._stack.close()
            self._held = self._stack.enter_context(self._hold())
        return self._held


def _cleared(url: str, keeps: str) -> bool:
    try:
        for page in json.loads(_ask(url, "list")):
            if page["type"] == "page" and not (keeps and page["url"].startswith(keeps)):
                _ask(url, f"close/{page['id']}")
    except OSError:
        return False
    return True


def _ask(url: str, what: str) -> bytes:
    # Over HTTP, for a fixture that an async one asks for runs inside its loop.
    with _past_proxies.open(
        f"http://{urlsplit(url).netloc}/json/{what}", timeout=_PATIENCE
    ) as said:
        answer: bytes = said.read()
    return answer
