"""A ref that means nothing here: says what it was, and what on the page is called so now.

Of an element that only left its document the library still knows (`js/ready.js`); of one whose
document went there is the last snapshot, which gave the ref out. What another tab gave out is told
as that.
"""

from contextlib import suppress

import trio

from bridge.browser.tab import Tab
from bridge.errors import BridgeError, UsageError
from bridge.page.quoting import quoted
from bridge.tools.targets import is_ref, parse_ref

_LONGEST = 200  # characters of what it was


async def with_candidates(tab: Tab, failure: UsageError) -> UsageError:
    """The same failure, naming the elements that the caller may have meant."""
    ref, known = failure.facts.get("target"), failure.facts.get("candidates")
    if isinstance(ref, str) and (other := _tab_of(tab, ref)):
        return UsageError(
            failure.code,
            f"{ref}: this is a ref of the tab {other}, and means nothing in {tab.id}",
            hint="Name that tab as tabId; or look at this page: its elements have other refs.",
            facts={**failure.facts, "tab_id": other},
        )
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


def _tab_of(tab: Tab, ref: str) -> str:
    """The other tab that gave it out, if one did; "" also for what is no ref."""
    if not is_ref(ref):
        return ""
    frame, number = parse_ref(ref)
    return tab.worlds.elsewhere(int(frame.removeprefix("f") or 0), number)
