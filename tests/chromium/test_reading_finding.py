"""Which element it is that has the words somebody looks for."""

import time

import pytest

from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [pytest.mark.chromium, pytest.mark.shared]


async def test_behind_letters_that_grow(reader: Reader) -> None:
    """A letter that is longer in small letters moves nothing behind it: İ is two then."""
    await reader.show(
        f"<p>{'İ' * 30} İstanbul</p>" + "".join(f"<p>Gate {n}</p>" for n in range(40))
    )
    assert (await reader.page("find", text="gate 7")).startswith('- text "Gate 7" [ref=')
    assert (await reader.page("find", text="GATE 39")).startswith('- text "Gate 39" [ref=')
    for text in ("istanbul", "İSTANBUL"):
        assert (await reader.text("find", text=text)).startswith("1 visible\n"), text


async def test_many_in_one_element(reader: Reader) -> None:
    """Words between tens of thousands of elements are found in the time it takes to read them."""
    await reader.show("<div></div>")
    await reader.tab.evaluate("document.querySelector('div').innerHTML = 'word<br>'.repeat(6e4); 1")
    took = {"nothing": 60.0, "word": 60.0}
    for text in ("nothing", "word") * 3:  # the least of a busy machine
        began = time.monotonic()
        answer = (await reader.text("find", text=text)).partition("\n")[0]
        took[text] = min(took[text], time.monotonic() - began)
        assert answer == ("1 visible" if text == "word" else "Nothing on the page has this text.")
    assert took["word"] < 2 * took["nothing"]


async def test_image_with_areas(reader: Reader) -> None:
    """An image is found by its own name, and its areas by theirs."""
    await reader.show(
        f'<img src="{reader.site.url("/dot.png")}" usemap="#m" alt="World" width="90" height="90">'
        '<map name="m"><area href="#a" alt="Africa" coords="0,0,40,40">'
        '<area href="#b" alt="Asia" coords="40,40,90,90"></map>'
    )
    assert (await reader.page("find", text="world")).startswith('- img "World"')
    assert (await reader.page("find", text="africa")).startswith('- link "Africa"')
