"""A ref whose document is gone: says what it was, and what on the page is called so now.

Of an element that only left its document the library still knows (`js/ready.js`); of one whose
document went there is the last snapshot, which gave the ref out.
"""

from contextlib import suppress

import trio

from bridge.browser.tab import Tab
from bridge.errors import BridgeError, UsageError
from bridge.page.quoting import quoted

_LONGEST = 200  # characters of what it was


async def with_candidates(tab: Tab, failure: UsageError) -> UsageError:
    """The same failure, naming the elements that the caller may have meant."""
    ref, known = failure.facts.get("target"), failure.facts.get("candidates")
    was = tab.snapshots.described(ref) if isinstance(ref, str) and not known else ""
    if not was:
        return failure
    now: list[str] = []
    main = tab.frames.main
    with suppress(BridgeError), trio.move_on_after(tab.session.connection.timeouts.probe):
        now = await tab.worlds.call(main, "alike", was, timeout="probe")
    there = f"; now there: {', '.join(now)}" if now else ""
    return UsageError(
        failure.code,
        f"{failure.message}; it was {quoted(was, _LONGEST)}{there}",
        hint=failure.hint,
        facts={**failure.facts, "candidates": now},
    )
