"""A tool's card, and its answers, in the words of the protocol."""

from typing import Any

from bridge.tools.answer import Answer, Card


def describe(card: Card) -> dict[str, Any]:
    """What a client gets to see; hints only where they differ from the protocol's defaults.

    Of a tool that only reads, not whether it destroys or may be repeated: the protocol gives that
    a meaning for the others alone.
    """
    hints = {
        "readOnlyHint": True if card.read_only else None,
        "destructiveHint": None if card.destructive or card.read_only else False,
        "idempotentHint": True if card.idempotent and not card.read_only else None,
        "openWorldHint": None if card.open_world else False,
    }
    given = {name: hint for name, hint in hints.items() if hint is not None}
    return {
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "inputSchema": card.schema,
        **({"annotations": given} if given else {}),
    }


def told(answer: Answer) -> dict[str, Any]:
    """One text, and images after it."""
    images = [{"type": "image", "data": i.data, "mimeType": i.mime} for i in answer.images]
    text = {"type": "text", "text": _sendable(answer.text)}
    return {"content": [text, *images], "isError": answer.is_error}


def _sendable(text: str) -> str:
    """Pages contain halves of surrogate pairs, which no UTF-8 can carry."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )
