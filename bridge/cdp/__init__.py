"""Typed bindings for the Chrome DevTools Protocol: `cdp.page.navigate(url=...)` is a Command.

Every domain is a module of `generated`, loaded when it is first named: all of them at once cost
several times what a program that uses three has to pay.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.cdp.generated import *  # noqa: F403  # the list of domains has its home there
else:  # hidden from the checker, to which it would make any misspelt domain a module

    def __getattr__(name):
        from bridge.cdp.generated import DOMAINS  # not above: the generator must run without it

        if name not in DOMAINS.values():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(f"bridge.cdp.generated.{name}")
        globals()[name] = module
        return module


def __dir__() -> list[str]:
    from bridge.cdp.generated import DOMAINS

    return sorted([*globals(), *DOMAINS.values()])
