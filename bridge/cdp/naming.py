"""Names: from the camelCase of the protocol to the snake_case of Python, and what stays reserved.

Builtins such as `type`, `id` or `format` keep their names: they read well at the call
(`event.type`) and nothing in a generated module calls the builtin. Only what the generated text
itself relies on has to give way, by a trailing underscore.
"""

import keyword
import re
from collections.abc import Set

_PLURAL = re.compile(r"([A-Z]{2,})s(?=[A-Z]|$)")  # blockedURLs is blocked_urls, not blocked_ur_ls
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# Used by the text of every module, in annotations and in class bodies.
RESERVED = frozenset({"bool", "dict", "float", "int", "list", "str", "field"})


def snake(name: str) -> str:
    """`backendDOMNodeId` as `backend_dom_node_id`."""
    singular = _PLURAL.sub(lambda match: match[1].capitalize() + "s", name)
    return _SEAM.sub("_", singular).replace("-", "_").lower()


def camel(name: str) -> str:
    """What msgspec's `rename="camel"` makes of a snake_case name."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def pascal(name: str) -> str:
    """`navigate` as `Navigate`; the rest of the name is left alone."""
    return name[:1].upper() + name[1:]


def module_name(domain: str) -> str:
    """The module of a domain: `DOMSnapshot` lives in `dom_snapshot`."""
    return snake(domain)


def python_name(name: str, siblings: Set[str] = frozenset()) -> str:
    """The function of a command, or the attribute of a member.

    `siblings` are the domains this module refers to: `media: media.Level` would hide the module.
    """
    plain = snake(name)
    taken = keyword.iskeyword(plain) or plain in RESERVED or plain in siblings
    return f"{plain}_" if taken else plain


def is_irregular(member: str, python: str) -> bool:
    """Whether the wire name has to be spelt out because renaming would not find it."""
    return camel(python) != member
