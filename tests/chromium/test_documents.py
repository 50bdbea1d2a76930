"""What is no page: a PDF, an image, a video, a sound, and Chrome's own error page."""

from base64 import b64encode

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_DATA = "No tab is led to a `data:` address."
_DOT = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\x00;"
)


@pytest.mark.differs(_DATA)
@pytest.mark.parametrize(
    ("mime", "body", "words"),
    [
        ("application/pdf", b"%PDF-1.4", "a PDF"),
        ("image/gif", _DOT, "an image"),
        ("video/mp4", b"\0" * 100, "a video"),
        ("audio/wav", b"RIFF", "a sound"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_without_text(reader: Reader, mime: str, body: bytes, words: str) -> None:
    """What has no text to read says what it is and how to go on, from the navigation on."""
    address = f"data:{mime};base64,{b64encode(body).decode()}"
    assert f"\nThe tab shows {words}: " in await reader.text("navigate", url=address)
    for tool in ("snapshot", "get_text", "get_visible_text", "read_as_markdown"):
        assert (await reader.text(tool)).startswith(f"The tab shows {words}: ")


@pytest.mark.differs(_DATA)
@pytest.mark.parametrize(
    ("mime", "body"), [("text/plain", "Plain words"), ("application/json", '{"plain": "words"}')]
)
async def test_with_text(reader: Reader, mime: str, body: str) -> None:
    """Plain text and JSON are read as they are, and no more is said of them."""
    await reader.text("navigate", url=f"data:{mime},{body}")
    assert await reader.page("snapshot") == f"- text: {body}"
    for tool in ("get_text", "get_visible_text", "read_as_markdown"):
        assert body in await reader.page(tool)
        assert (await reader.text(tool)).startswith("<page ")


async def test_error_page(reader: Reader) -> None:
    """From an error page every tool tells the way on, and reload, back and forward are ways."""
    await reader.go("/form")
    gone = reader.site.url("/reset")
    await reader.refusal("navigate", url=gone)
    assert (await reader.text("snapshot")).startswith(f"This is Chrome's error page for {gone}.")
    for tool, arguments in (("click", {"selector": "h1"}), ("eval", {"expression": "1"})):
        refusal = await reader.refusal(tool, **arguments)
        assert refusal.startswith(
            f"NAVIGATION_FAILED: the tab shows Chrome's error page for {gone}"
        )
    assert f"{gone} could not be opened" in await reader.refusal("reload")
    assert reader.site.url("/form") in await reader.text("back")
    assert f"{gone} could not be opened" in await reader.refusal("forward")
    assert f"Chrome's error page for {gone}" in await reader.text("status")
    assert reader.site.url("/form") in await reader.text("back")


async def test_no_tab_for_nothing(reader: Reader) -> None:
    """A new tab whose address cannot be opened is not kept, and that is what is said of it."""
    await reader.go("/form")
    refusal = await reader.refusal("tab_new", url=reader.site.url("/reset"))
    assert refusal.startswith("NAVIGATION_FAILED: ")
    assert refusal.endswith("; no tab was kept.")


async def test_click_to_nowhere(reader: Reader) -> None:
    """A click that leads to an error page says so, with the address that could not be loaded."""
    await reader.go("/form")
    await reader.tab.evaluate("document.body.innerHTML = '<a href=/reset>Go</a>'; 1")
    told = await reader.text("click", selector="a")
    assert f"This is Chrome's error page for {reader.site.url('/reset')}." in told
