"""Time limits come from fields of Timeouts, never from a number at the place of use.

A number hidden behind a constant of the same module is a number too. Zero is allowed: it is not a
duration but "no later than now", as in `max(0, end - now)`.
"""

import ast
from collections.abc import Iterator

CALLS = {
    "deadline",
    "move_on_after",
    "move_on_at",
    "fail_after",
    "fail_at",
    "CancelScope",
}


def numbers_in_deadlines(name: str, text: str) -> list[str]:
    """Where a time limit is a number: `file:line`."""
    tree = ast.parse(text)
    constants = _numeric_names(tree)
    return [
        f"{name}:{node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _called(node) in CALLS
        and any(_is_number(part, constants) for part in _parts(node))
    ]


def _called(call: ast.Call) -> str:
    target = call.func
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) else ""


def _parts(call: ast.Call) -> Iterator[ast.AST]:
    """Everything inside the arguments except text, where numbers mean no time."""
    waiting: list[ast.AST] = [*call.args, *(keyword.value for keyword in call.keywords)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def _is_number(node: ast.AST, constants: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in constants
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and node.value != 0
    )


def _numeric_names(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if _is_number(node.value, set()):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
