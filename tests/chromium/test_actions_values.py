"""Values that fields make something else of: what is told is what they hold."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


async def test_long_numbers(stage: Stage) -> None:
    """A number as long as that of a card is filled in digit by digit; none is that is not exact."""
    await stage.show("<input id=i><input id=j><input id=k>")
    numbers = {"#i": 4111111111111111, "#j": 2.5, "#k": 1234567890123456789}
    refused = await stage.refuses("fill_form", fields=numbers)
    assert "2 of 3 fields were filled in, and not selector '#k': a number as long" in refused
    assert await stage.value("[i.value, j.value, k.value]") == ["4111111111111111", "2.5", ""]


async def test_number_with_a_limit(stage: Stage) -> None:
    """A limit of characters, which means nothing for a number, keeps no digits from it."""
    await stage.show("<input id=i type=number maxlength=4>")
    assert "It does not hold" not in await stage.does("type", selector="#i", text="123456")
    assert await stage.value("i.value") == "123456"
    await stage.does("fill_form", fields={"#i": 7654321})
    assert await stage.value("i.value") == "7654321"
