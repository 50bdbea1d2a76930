"""What stands for more than its letters, or for less: masks, places in tables, raised numbers."""

import pytest

from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

TEXTS = ("snapshot", "get_text", "read_as_markdown")
MASKED = """<style>.dots { -webkit-text-security: disc }</style>
<textarea class="dots" aria-label="Key">hunter2</textarea>
<div class="dots" contenteditable aria-label="Words">hunter2 <b>hunter2</b></div>
<p>Yours: <span class="dots">hunter2</span></p><p class="dots" hidden>hunter2</p>"""


async def test_masked_letters(reader: Reader) -> None:
    """What is painted as dots is told as dots, whatever element it is in."""
    await reader.show(MASKED)
    for tool in (*TEXTS, "get_form_values", "find"):
        given = {"text": "hunter"} if tool == "find" else {}
        assert "hunter2" not in await reader.text(tool, **given), tool
    assert 'textbox "Key" [ref=e1]: ••••' in await reader.page("snapshot")
    for tool in TEXTS:
        assert "Yours: ••••" in await reader.page(tool), tool
    assert (await reader.page("get_form_values")).count('"••••"') == 2
    fields = await reader.page("get_html", selector="div")
    assert "hunter2" not in fields + await reader.page("get_html", selector="textarea")
