"""Pages with more of one thing than anybody reads, and links that are none."""

import time

import pytest

from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [pytest.mark.chromium, pytest.mark.shared]


async def test_what_only_looks_like_a_link(reader: Reader) -> None:
    """Links of drawings are told, whatever they say; one of MathML leads nowhere in Chrome."""
    await reader.show(
        '<a href="/one">One</a><svg><a href="http://["><text y="20">Two</text></a>'
        '<a href="/three"><text y="40">Three</text></a></svg><math><a href="/x">'
        "<mi>x</mi></a></math>"
    )
    assert (await reader.page("extract_links")).split("\n") == [
        f"- [One]({reader.site.url('/one')})",
        "- [Two](http://[)",
        f"- [Three]({reader.site.url('/three')})",
    ]


async def test_more_links_than_are_read(reader: Reader) -> None:
    """Links beyond those that are read are counted, for one of them may be the one in question."""
    await reader.show("".join(f"<a href=/{number}>x</a> " for number in range(20_002)))
    told = await reader.text("extract_links", include=["/20001"])
    assert told.startswith("0 links\n2 more links were not read.")
    told = await reader.text("extract_links", include=["/1999*"])
    assert told.endswith("name a part of the page by its selector.")


@pytest.mark.parametrize(
    ("tool", "times", "around", "piece"),
    [
        ("read_as_markdown", 1_000, "<table>{}</table>", "<tr><td>a<td>b<td>c<td>d</tr>"),
        ("get_text", 3_000, "<p>{}</p>", "<s>x</s> y "),
    ],
)
async def test_more_takes_no_longer_than_it_is(
    reader: Reader, tool: str, times: int, around: str, piece: str
) -> None:
    """The time a reading takes grows with the page, and not with its square."""
    took = []
    for each in (times, 4 * times):
        await reader.show(around.format(piece * each))
        took.append(min([await _seconds(reader, tool) for _ in range(3)]))  # of a busy machine
    assert took[1] < max(8 * took[0], 1.0)


async def _seconds(reader: Reader, tool: str) -> float:
    began = time.monotonic()
    await reader.text(tool)
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("tool", "read"), [("get_text", 4_000_000), ("read_as_markdown", 1_500_000)]
)
async def test_more_than_is_read(reader: Reader, tool: str, read: int) -> None:
    """What is read of a text without end ends in a mark: half a secret would look like none."""
    await reader.show("<main id=long></main>")
    await reader.tab.evaluate(f"long.textContent = 'abcdefghij'.repeat({read // 10 + 1})")
    told = await reader.text(tool, maxTokens=0)
    assert "…\n</page" in told
    assert "more characters were not read" in told
