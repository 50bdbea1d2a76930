"""What every page of ours is told before its first script: a server's and the library's alike.

Chrome keeps bodies of answers only so far as it is told to, per tab, and none of what came before
it was asked. Focus emulation is what keeps a tab in the background alive: without it, hidden pages
draw no frame and swallow input. (Frames of other sites accept it as well; nothing changes there.)
"""

from typing import TYPE_CHECKING, Any

from bridge import cdp
from bridge.cdp.base import Command

if TYPE_CHECKING:
    from bridge.browser.browser import Browser

_BODIES = 10 * 1024 * 1024  # of all answers of a page
_BODY = 2 * 1024 * 1024  # of one answer
_POSTED = 64 * 1024  # longest posted body that comes with its event; a longer one can be asked for

_REQUESTS = cdp.network.enable(
    max_total_buffer_size=_BODIES,
    max_resource_buffer_size=_BODY,
    max_post_data_size=_POSTED,
)
PRELUDE: tuple[Command[Any], ...] = (
    cdp.emulation.set_focus_emulation_enabled(enabled=True),
    cdp.runtime.enable(),
    _REQUESTS,
    cdp.log.enable(),  # what failed to load, what a policy of the page refused, what workers say
)


def arrange(browser: "Browser") -> None:
    """Have all pages that come told."""
    browser.add_prelude(*PRELUDE)
    browser.on_session(lambda session, kind: [_REQUESTS] if kind == "worker" else [])


def fit(browser: "Browser", size: tuple[int, int]) -> None:
    """Have all pages that come be of this size, whatever the window nobody sees."""
    command = _viewport(size)
    browser.on_session(lambda session, kind: [command] if kind == "page" else [])


def _viewport(size: tuple[int, int]) -> Command[Any]:
    """Only a page, no frame, takes it."""
    width, height = size
    return cdp.emulation.set_device_metrics_override(
        width=width, height=height, device_scale_factor=0, mobile=False
    )
