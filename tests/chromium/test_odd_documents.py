"""Rare documents: without an element, or in `object` and `embed`; keys for what holds no text."""

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [pytest.mark.chromium, pytest.mark.inside]


async def test_emptied(reader: Reader) -> None:
    """A document that has no element, as while it is written anew, can be read and waited in."""
    await reader.show("<p>Before</p>")
    await reader.tab.evaluate("document.open(); 1")
    assert await reader.text("get_text") == "There is no visible text."
    assert "nothing to see" in await reader.page("snapshot")
    await reader.tab.evaluate("setTimeout(() => document.write('<p>Written'), 300); 1")
    assert "Written" in await reader.text("wait_for", textContains="Written")
    await reader.tab.evaluate("document.documentElement.remove(); 1")
    assert await reader.text("read_as_markdown") == "There is nothing to read."
    assert "Nothing on the page" in await reader.text("find", text="Written")
    assert (await reader.facts("get_page_metadata"))["language"] == ""
    await reader.text("get_html")
    await reader.text("screenshot")


@pytest.mark.parametrize("tag", ["object data", "embed src"])
async def test_embedded(reader: Reader, tag: str) -> None:
    """A document in an object is read like one in a frame, where it stands."""
    await reader.show(f"Above<{tag}=/ type=text/html width=300 height=200></object>Below")
    await reader.text("wait_for", selector="a", timeoutMs=5000)
    above, _, below = (await reader.page("get_text")).partition("Above")
    assert not above
    assert below.strip() != "Below"
    assert "](" in await reader.page("extract_links")
    assert "  - link " in await reader.page("snapshot")
    assert "](" in await reader.page("read_as_markdown")


async def test_keys_for_a_drawing(reader: Reader) -> None:
    """Keys sent to what holds no text are sent, and no failure is made of what cannot be asked."""
    await reader.show(
        "<canvas id=c tabindex=0 width=90 height=90></canvas><div id=d tabindex=0>D</div>"
    )
    await reader.tab.evaluate("document.onkeydown = (key) => { document.title += key.key }; 1")
    for selector in ("#c", "#d"):
        told = await reader.text("type", selector=selector, text="xy", keyEvents=True)
        assert told.startswith(f"Typed into selector '{selector}'.")
    assert str(await reader.tab.evaluate("document.title")).endswith("xyxy")


async def test_lines_of_code_without_end(reader: Reader) -> None:
    """Of code that is longer than can be read its beginning is read, and the rest is counted."""
    await reader.show("<title>t</title><pre id=p></pre>")
    await reader.tab.evaluate("document.getElementById('p').append('word '.repeat(2_000_000))")
    told = await reader.text("read_as_markdown")
    assert "word word word" in told
    assert "more characters were not read. To read on, name a part of the page" in told
