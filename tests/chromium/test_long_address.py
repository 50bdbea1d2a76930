"""A page whose address it has made very long; nearly every answer names the address."""

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

_SENTENCE = 600  # bytes; more than any of these answers has to say


async def test_answers_stay_short(reader: Reader) -> None:
    """No answer is as long as the address; each says that it is cut, and how long it is."""
    await reader.go("/charset")
    await reader.tab.evaluate(
        "document.body.innerHTML = '<input type=checkbox aria-label=Tick>';"
        "history.pushState(null, '', '?' + 'q'.repeat(500000)); 1"
    )
    for tool, arguments in (
        ("snapshot", {}),
        ("get_text", {}),
        ("click", {"selector": "input"}),
        ("tabs_list", {}),
        ("tab_select", {"tabId": reader.tab.id}),
        ("status", {}),
        ("reload", {"waitUntil": "commit"}),
    ):
        answer = await reader.text(tool, **arguments)
        assert len(answer) < _SENTENCE, (tool, len(answer))
        if tool != "get_text":  # there is no text, so no fence
            assert "/charset… (500,0" in answer, (tool, answer)
