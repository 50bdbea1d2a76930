"""What is wrong with the parameters of a request, in words that tell how to go on.

The SDK says "Invalid request parameters" of them all, and of every request before the handshake.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, PaginatedRequestParams
from pydantic import ValidationError

from bridge.mcp.asking import Context

_NAMED = 3  # of what is wrong
_SAID = "Invalid request parameters"  # by the SDK, and by us, as clients know it
_UNGREETED = (
    f"{_SAID}: there has been no handshake yet. Begin with initialize, which names a "
    "protocolVersion, capabilities and clientInfo."
)
# What our handlers are given. The SDK checks a request twice, and only the first time as a whole.
_TAKEN = {each.__name__ for each in (CallToolRequestParams, PaginatedRequestParams)}
_KINDS = {
    "missing": "is missing",
    "dict_type": "has to be an object",
    "model_type": "has to be an object",
    "list_type": "has to be a list",
    "string_type": "has to be a string",
    "int_type": "has to be a whole number",
    "bool_type": "has to be true or false",
}


async def explain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Have a request served; one that is refused for its parameters is told which, and why."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        if error.title not in _TAKEN and any(
            each["loc"][:1] != ("params",) for each in error.errors(include_url=False)
        ):
            raise  # it is about something of ours
        raise MCPError(INVALID_PARAMS, _fault(error)) from error
    except MCPError as error:
        if (error.code, error.message, error.data) == (INVALID_PARAMS, _SAID, ""):
            raise MCPError(INVALID_PARAMS, _UNGREETED) from error
        raise


def _fault(error: ValidationError) -> str:
    found: dict[str, list[str]] = {}
    for each in error.errors(include_url=False, include_input=False):
        place, kinds = _place(each["loc"]), _words(each)
        found.setdefault(place, []).append(kinds)
    told = [f"{place} {_either(words)}" for place, words in found.items()]
    more = f", and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"{_SAID}: {'; '.join(told[:_NAMED])}{more}. Mend that, and send the request again."


def _place(path: Sequence[int | str]) -> str:
    """Where it is; a choice of types ends with the name of one."""
    names = [str(each)[:100] for each in path]
    names = names if names[:1] == ["params"] else ["params", *names]
    return ".".join(names[:-1] if names[-1:] in (["str"], ["int"]) else names)


def _words(error: Mapping[str, Any]) -> str:
    said = str(error["msg"])
    return _KINDS.get(error["type"], f"is wrong: {said[:1].lower()}{said[1:200]}")


def _either(words: list[str]) -> str:
    first, *others = words
    return " or ".join([first, *(each.removeprefix("has to be ") for each in others)])
