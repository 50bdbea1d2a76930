"""Parts of a snapshot: the lines of some roles, down to some depth."""

import re
from collections.abc import Collection

from bridge.page.quoting import counted

_ROLE = re.compile(r"(?P<indent> *)- (?P<role>[\w-]+)")
_STEP = "  "


def filtered(text: str, roles: Collection[str], deepest: int) -> str:
    """Lines of these roles (all, if none is named), drawn in under the nearest one that is kept.

    Nothing below `deepest` levels of what is kept is told; it is counted instead.
    """
    path: list[int] = []  # indents of the kept lines above
    kept: list[str] = []
    left = 0
    for line in text.split("\n"):
        found = _ROLE.match(line)
        if found is None or (roles and found["role"] not in roles):
            continue
        indent = len(found["indent"])
        while path and path[-1] >= indent:
            path.pop()
        if len(path) < deepest:
            kept.append(_STEP * len(path) + line.lstrip())
        else:
            left += 1
        path.append(indent)
    if left:
        kept.append(f"… {counted(left, 'line')} below maxDepth")
    return "\n".join(kept)
