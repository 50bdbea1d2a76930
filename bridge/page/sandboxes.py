"""What Chrome keeps a page from and says on its console alone: a person would see nothing happen.

Of Chrome's sentence only the flag is used that is missing, so that nothing a page has put into it,
an address say, is ever repeated.
"""

import re

from bridge import cdp

_MISSING = re.compile(r"\bsandboxed\b.*?\W(allow-[a-z-]+)\W")
_KEPT_FROM = {
    "allow-downloads": "downloading",
    "allow-forms": "sending a form",
    "allow-modals": "opening a dialog",
    "allow-popups": "opening a tab",
    "allow-top-navigation": "taking the whole page elsewhere",
}


def kept_from(entry: cdp.log.LogEntry) -> str:
    """What a frame was kept from, and the flag that would allow it; "" where this says neither."""
    found = _MISSING.search(entry.text) if entry.worker_id is None else None
    deed = _KEPT_FROM.get(found[1], "") if found else ""
    return f"{deed} ({found[1]})" if found and deed else ""
