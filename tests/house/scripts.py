"""Names in the library of `bridge/page/js`: its files share one scope, as they become one script.

There a second function of a name silently takes the place of the first, in whichever files the two
stand. (Constants and classes cannot: Chrome refuses the whole script.)
"""

import re
from collections import defaultdict
from collections.abc import Iterable

_NAME = re.compile(
    r"^(?:(?:async )?function\*? |(?:const|let|var|class) |(?=lib\.\w+ =))(?P<name>[\w.$]+)",
    re.MULTILINE,
)


def claimed_twice(files: Iterable[tuple[str, str]]) -> list[str]:
    """Names that these files (name, text) declare more than once at their top, and where."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for file, text in files:
        for found in _NAME.finditer(text):
            places[found["name"]].append(file)
    return [
        f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1
    ]
