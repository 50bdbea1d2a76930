"""What reading tools answer, with a page played by hand."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.tools import read
from bridge.tools.catalogue import TOOLS
from tests.support.played_page import PlayedPage, open_played_page


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_played_page() as opened:
        yield opened


def _said(text: str, *, matches: int = 1, dropped: int = 0) -> dict[str, object]:
    return {
        "pieces": [text],
        "frames": [],
        "matches": matches,
        "dropped": dropped,
        "suspects": 0,
        "internals": 0,
    }


async def test_text(page: PlayedPage) -> None:
    """Text comes inside the fence, with its address."""
    page.says["text"] = _said("Good morning")
    answer = await page.door.text("get_text")
    opening, words, closing = answer.splitlines()
    assert opening.endswith("https://a.example/ untrusted>")
    assert (words, closing[:6]) == ("Good morning", "</page")
    assert page.calls == [("text", [None])]


async def test_nothing(page: PlayedPage) -> None:
    """A page without visible text is said to be one."""
    page.says["text"] = _said(" \n")
    assert await page.door.text("get_text") == "There is no visible text."


async def test_one_of_many(page: PlayedPage) -> None:
    """A selector with several matches is said to have them."""
    page.says["text"] = _said("One", matches=7)
    answer = await page.door.text("get_text", selector="p")
    assert answer.startswith("The first visible of 7 matches:\n<page")


async def test_by_cursor(page: PlayedPage) -> None:
    """A long text is read to its end without a second look at the page."""
    text = "\n".join(f"line {number}" for number in range(1000))
    page.says["text"] = _said(text)
    read: list[str] = []
    answer = await page.door.text("get_text", maxTokens=500)
    while True:
        read += [line for line in answer.splitlines() if line.startswith("line")]
        cursor = answer.partition("cursor: ")[2].partition(" ")[0]
        if not cursor:
            break
        answer = await page.door.text("get_text", cursor=cursor, maxTokens=500)
    assert "\n".join(read) == text
    assert len(page.calls) == 1


async def test_too_long_to_be_read(page: PlayedPage) -> None:
    """What was left in the page is counted."""
    page.says["text"] = _said("words", dropped=1234)
    assert "1,234 more characters were not read." in await page.door.text("get_text")


async def test_markup(page: PlayedPage) -> None:
    """Markup is that of the element, or of what is in it."""
    page.says["html"] = {"text": "<p>x</p>", "matches": 1, "dropped": 0}
    assert "<p>x</p>" in await page.door.text("get_html", selector="p", outer=False)
    assert page.calls[-1] == ("html", [{"selector": "p"}, False])


async def test_both_and_neither(page: PlayedPage) -> None:
    """Both a ref and a selector are refused; neither means the page."""
    page.says["text"] = _said("Good morning")
    for name in ("get_text", "get_html", "snapshot", "screenshot"):
        assert (await page.door.refusal(name, ref="e1", selector="p")).startswith("BAD_ARGS: ref")
    assert page.calls == []


async def test_markdown(page: PlayedPage) -> None:
    """The page's content comes as Markdown."""
    html = "<h1>Title</h1><ul><li>One</li></ul>"
    told = {"html": html, "frames": [], "matches": 1, "dropped": 0, "suspects": 0, "internals": 0}
    page.says["content"] = told
    assert "# Title\n\n- One\n" in await page.door.text("read_as_markdown")


async def test_markdown_of_a_page_that_has_gone(
    page: PlayedPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words are told as those of the page that said them, though it goes while they are written."""

    async def leave(html: str) -> tuple[str, int]:
        await page.navigate("https://b.example/")
        return html, 0

    monkeypatch.setattr(read, "markdown_of", leave)
    page.says["content"] = {**_said(""), "html": "Your bank says: pay."}
    answer = await page.door.text("read_as_markdown")
    assert answer.splitlines()[0].endswith(" https://a.example/ untrusted>")


async def test_snapshot_of_a_page_that_has_gone(page: PlayedPage) -> None:
    """So are the lines that a cursor leads to."""
    lines = "\n".join(f"- text: {number}" for number in range(99))
    page.says["snapshot"] = {**_said(""), "text": lines, "inView": None}
    cursor = (await page.door.text("snapshot", maxTokens=20)).rpartition(" ")[2]
    await page.navigate("https://b.example/")
    answer = await page.door.text("snapshot", cursor=cursor, maxTokens=20)
    assert answer.splitlines()[0].endswith(" https://a.example/ untrusted>")


async def test_cursors_name_their_tool(page: PlayedPage) -> None:
    """A cut answer names the tool that gave it, which takes the cursor back."""
    told = {"frames": [], "matches": 1, "dropped": 0, "suspects": 0, "internals": 0}
    links = [[f"https://a.example/{number}", "Link", True] for number in range(99)]
    page.says["content"] = {**told, "html": "<p>word</p>" * 99}
    page.says["html"] = {**told, "text": "x" * 999}
    page.says["text"] = _said("word " * 99)
    page.says["links"] = {**told, "links": links}
    for name in ("read_as_markdown", "get_html", "get_text", "extract_links"):
        answer = await page.door.text(name, maxTokens=9)
        assert f" ({name} goes on)" in answer
        cursor = answer.partition("cursor: ")[2].split()[0]
        assert f" ({name} goes on)" in await page.door.text(name, cursor=cursor, maxTokens=9)


async def test_links(page: PlayedPage) -> None:
    """Links come once each, counted, as many as are wanted."""
    links = [[f"https://a.example/{number % 5}", f"Link {number}", True] for number in range(10)]
    page.says["links"] = {
        "links": links,
        "frames": [],
        "matches": 1,
        "dropped": 0,
        "suspects": 0,
        "internals": 0,
    }
    answer = await page.door.text("extract_links", limit=2)
    assert answer.startswith("5 links, the first 2:")
    assert answer.count("https://a.example/") == 3  # the fence names the page as well


async def test_find(page: PlayedPage) -> None:
    """Found lines come with counts, and hidden ones after those a person sees."""
    page.says["find"] = {
        "lines": ['- button "Go" [ref=e1]'],
        "unseen": ['- text "Go" [ref=e2] [hidden]'],
        "visible": 1,
        "hidden": 4,
        "frames": [],
        "suspects": 0,
        "internals": 0,
    }
    answer = await page.door.text("find", text="go")
    assert answer.startswith("1 visible, 4 hidden\n<page")
    assert answer.index("ref=e1") < answer.index("ref=e2")
    assert page.calls[-1] == ("find", [None, "go", False, 10])


@pytest.mark.parametrize("limit", [0, -1, 10_001, "3", 1.5])
async def test_limits(page: PlayedPage, limit: object) -> None:
    """A limit is a number from 1 to 10,000."""
    assert (await page.door.refusal("find", text="x", limit=limit)).startswith("BAD_ARGS: limit")


def test_reading_tools_are_bounded() -> None:
    """Every tool that reads much takes a budget, and a cursor for what is beyond it."""
    for name in ("snapshot", "get_text", "get_html", "read_as_markdown", "extract_links"):
        assert {"maxTokens", "cursor"} <= set(TOOLS[name].arguments.fields), name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_any_arguments(data: st.DataObject) -> None:
    """Whatever a caller sends is either understood or refused with BAD_ARGS and the usage."""
    tool = data.draw(st.sampled_from(sorted(TOOLS.values(), key=lambda tool: tool.name)))
    names = st.sampled_from([*tool.arguments.fields, "other"])
    sent = data.draw(st.dictionaries(names, JSON, max_size=4))
    try:
        understood = tool.arguments.read(sent)
    except UsageError as error:
        refused = error
    else:
        assert set(understood) == set(tool.arguments.fields.values())
        return
    assert refused.code == "BAD_ARGS"
    assert refused.hint
