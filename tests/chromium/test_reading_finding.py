"""Which element it is that has the words somebody looks for."""

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
