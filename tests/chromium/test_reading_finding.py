"""Which element it is that has the words somebody looks for."""

import pytest

from bridge import cdp
from bridge.session.session import Session
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
    session = reader.tab.session
    await session.execute(cdp.performance.enable(time_domain="threadTicks"))
    took = {}
    for text in ("nothing", "word", "nothing", "word"):  # the second time its script is warm
        before = await _ticks(session)
        answer = (await reader.text("find", text=text)).partition("\n")[0]
        took[text] = await _ticks(session) - before
        assert answer == ("1 visible" if text == "word" else "Nothing on the page has this text.")
    assert took["word"] < 2 * took["nothing"]


async def _ticks(session: Session) -> float:
    """What the page's own thread has worked, whatever else the machine does."""
    told = (await session.execute(cdp.performance.get_metrics())).metrics
    return next(metric.value for metric in told if metric.name == "TaskDuration")


async def test_image_with_areas(reader: Reader) -> None:
    """An image is found by its own name, and its areas by theirs."""
    await reader.show(
        f'<img src="{reader.site.url("/dot.png")}" usemap="#m" alt="World" width="90" height="90">'
        '<map name="m"><area href="#a" alt="Africa" coords="0,0,40,40">'
        '<area href="#b" alt="Asia" coords="40,40,90,90"></map>'
    )
    assert (await reader.page("find", text="world")).startswith('- img "World"')
    assert (await reader.page("find", text="africa")).startswith('- link "Africa"')


async def test_label_that_says_something_else(reader: Reader) -> None:
    """A control is told by what its label says now, whatever an earlier reading was told."""
    await reader.show("<label for=a>Email</label> <input id=a>")
    assert '- textbox "Email" [ref=' in await reader.page("snapshot")
    await reader.tab.evaluate("document.querySelector('label').textContent = 'Phone'; 1")
    assert (await reader.page("find", text="phone")).startswith('- textbox "Phone" [ref=')
