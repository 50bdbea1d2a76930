"""How long a module and a function may grow: 400 and 40 lines.

A function is counted from `def` to its last line, docstring included and decorators not, which is
what a reader scrolls through.
"""

import ast

MODULE = 400
FUNCTION = 40


def tall_module(name: str, text: str) -> set[str]:
    """The module itself when it is too long."""
    return {name} if len(text.splitlines()) > MODULE else set()


def tall_functions(name: str, text: str) -> set[str]:
    """The functions of a module that are too long, as `file:function`."""
    return {
        f"{name}:{node.name}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > FUNCTION
    }
