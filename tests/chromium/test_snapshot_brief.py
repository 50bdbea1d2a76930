"""Large pages: no more of them is read than is told, and nothing is lost by that."""

from collections.abc import AsyncIterator

import pytest

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.errors import UsageError
from bridge.page.reading import Snapshot
from fixtures.site import Site
from tests.support.readings import by_selector

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_ROWS = 4_000  # of three elements each
_FILL = """((kind, count) => {
  const rows = Array.from({ length: count }, (_, n) => kind === "table"
    ? `<tr><td>Row ${n}<td><button>Run ${n}</button></tr>`
    : `<section><i>Row ${n}</i><button>Run ${n}</button></section>`);
  const text = rows.join("");
  document.body.innerHTML = kind === "table" ? `<table><tbody>${text}</table>` : text;
})"""


@pytest.fixture
async def tab(browser: Browser, site: Site) -> AsyncIterator[Tab]:
    """An empty page."""
    tab = await browser.new_tab(site.url("/source?html=<title>Large</title><body>"))
    yield tab
    await browser.close_tab(tab)


async def fill(tab: Tab, kind: str = "table", *, also: str = "0") -> None:
    await tab.evaluate(f"{_FILL}({kind!r}, {_ROWS}); {also}; 0")


async def whole(tab: Tab) -> list[str]:
    return (await tab.snapshots.take(max_bytes=0)).text.splitlines()


async def rest_of(tab: Tab, piece: Snapshot) -> list[str]:
    """The lines of all other pieces."""
    told: list[str] = []
    while piece.cursor:
        piece = await tab.snapshots.continue_(piece.cursor, 200_000)
        told += piece.text.splitlines()
    return told


async def test_first_piece(tab: Tab) -> None:
    """It is what a reading of the whole page begins with, and says about how much there is."""
    await fill(tab)
    lines = await whole(tab)
    first = await tab.snapshots.take()
    told = first.text.splitlines()
    assert told == lines[: len(told)]
    assert 15_000 < len(first.text.encode()) <= 16_000
    assert first.about
    assert abs(first.left - (len(lines) - len(told))) < len(lines) / 20
    assert first.more.startswith("… about 7,")


@pytest.mark.parametrize("kind", ["table", "sections"])
async def test_all_pieces(tab: Tab, kind: str) -> None:
    """Together the pieces of a page that stays are all of it, and tell nothing twice."""
    await fill(tab, kind, also="document.querySelectorAll('button')[2000].scrollIntoView()")
    lines = await whole(tab)
    first = await tab.snapshots.take()
    told = first.text.splitlines()
    assert 'button "Run 2000"' in first.text
    assert "Run 1900" not in first.text
    rest = await rest_of(tab, first)
    assert sorted({*told, *rest}) == sorted(lines)
    assert len(told) + len(rest) <= len(lines) + 10  # what later pieces hang under is told again


async def test_late_in_the_page(tab: Tab) -> None:
    """What is in view is in the first piece, wherever it stands: in a root, a frame, lifted."""
    await fill(
        tab,
        also="""document.body.insertAdjacentHTML("beforeend", `
          <div role=dialog aria-label=Cookies style="position:fixed;inset:10px auto auto 10px">
            <p>We <b>ask</b> you</p><button>Agree</button></div>
          <div style="height:0"><p style="position:absolute;top:90px">Lifted words</p></div>
          <x-note style="position:fixed;top:150px;display:block"></x-note>
          <iframe style="position:fixed;top:250px;height:90px" srcdoc="<p>Framed words"></iframe>
          <p id=end>The end`);
        document.querySelector("x-note").attachShadow({ mode: "open" }).innerHTML =
          "<p>Shadow words</p>"
        """,
    )
    first = (await tab.snapshots.take()).text
    for words in ("Cookies", "We ask you", 'button "Agree"', "Lifted", "Shadow", "Framed"):
        assert words in first, words
    assert "The end" not in first
    assert "Row 0" in first


async def test_only_controls(tab: Tab) -> None:
    """Where only controls are told the first piece is full of them."""
    await fill(tab, "sections")
    first = await tab.snapshots.take(interactive_only=True)
    assert 15_000 < len(first.text.encode()) <= 16_000
    assert "Row" not in first.text
    rest = await rest_of(tab, first)
    assert len(first.text.splitlines()) + len(rest) == _ROWS


async def test_less_than_it_seemed(tab: Tab) -> None:
    """Lines that fall away once they are known do not make a first piece short."""
    await fill(
        tab,
        also="""document.body.insertAdjacentHTML("afterbegin",
          "<ul><li><p role=group></p></ul>".repeat(3_000))""",
    )
    first = await tab.snapshots.take()
    assert 15_000 < len(first.text.encode()) <= 16_000


async def test_a_part(tab: Tab) -> None:
    """Of a part as well no more is read than is told; a small part is told whole."""
    await fill(tab, also="document.querySelector('tr').id = 'one'")
    first = await tab.snapshots.take(by_selector(tab, "table"))
    rest = await rest_of(tab, first)
    assert rest[-2].endswith(f"Row {_ROWS - 1}")
    small = await tab.snapshots.take(by_selector(tab, "#one"))
    assert small.cursor is None
    assert "Row 0" in small.text


async def test_changed_meanwhile(tab: Tab) -> None:
    """The rest is told as it is when it is read, and what was told is not told again."""
    await fill(tab)
    first = await tab.snapshots.take()
    await tab.evaluate(
        "const rows = document.querySelectorAll('tr'); rows[2].remove(); rows[3990].remove();"
        "rows[3991].cells[0].textContent = 'New words'; 0"
    )
    rest = "\n".join(await rest_of(tab, first))
    assert "New words" in rest
    assert "Row 3990" not in rest
    assert "Row 3989" in rest
    assert "Row 5:" not in rest


async def test_left_meanwhile(tab: Tab, site: Site) -> None:
    """The rest of a page that has been left cannot be read, and nothing else is told instead."""
    await fill(tab)
    first = await tab.snapshots.take()
    assert first.cursor is not None
    await tab.navigate(site.url("/form"))
    with pytest.raises(UsageError, match="a page that has been left") as refused:
        await tab.snapshots.continue_(first.cursor)
    assert "new snapshot" in refused.value.hint


async def test_policy_of_now(tab: Tab) -> None:
    """Frames that may not be read any more are not, when the rest is."""
    await fill(
        tab,
        also="""document.body.insertAdjacentHTML("beforeend",
          "<iframe name=last src=/form></iframe>")""",
    )
    first = await tab.snapshots.take()
    assert first.cursor is not None
    rest = await tab.snapshots.continue_(first.cursor, 0, readable=lambda url: False)
    assert rest.text.splitlines()[-1].strip().startswith("… not shown")
