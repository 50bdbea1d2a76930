"""Error codes: one family each, and raised only by the family that owns them.

The constructor refuses a foreign code, but only when that line runs, which for an error path may be
first in front of a user. So every place that names a code is read as well.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Set

from bridge.errors import BridgeError


def shared(families: Iterable[type[BridgeError]]) -> list[str]:
    """Codes that more than one family claims."""
    claims = Counter(code for family in families for code in family.codes)
    return sorted(code for code, count in claims.items() if count > 1)


def unlisted(families: Iterable[type[BridgeError]]) -> list[str]:
    """Classes below BridgeError, at any depth, that are not among the families."""
    found: set[type[BridgeError]] = set()
    waiting = [BridgeError]
    while waiting:
        below = waiting.pop().__subclasses__()
        found.update(below)
        waiting.extend(below)
    return sorted(cls.__qualname__ for cls in found - set(families))


def misraised(name: str, text: str, codes: Mapping[str, Set[str]]) -> list[str]:
    """Calls of a family with a literal code that is not its own: `file:line code`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args:
            family = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
            code = node.args[0]
            if (
                family in codes
                and isinstance(code, ast.Constant)
                and code.value not in codes[family]
            ):
                found.append(f"{name}:{node.lineno} {code.value!s}")
    return found


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
