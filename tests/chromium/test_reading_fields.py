"""Fields that are read by themselves."""

import pytest

from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_FIELDS = """<title>F</title><input id=i value="2024-03-05" readonly> <textarea id=t>Two
lines</textarea> <select id=s><option>Apple<option selected>Pear</select>
<select id=l size=2><option>Plum<option selected>Fig</select> <input id=e placeholder=x>
<input id=h value=no style="visibility:hidden"> <input id=p type=password value=hunter2>"""


@pytest.mark.parametrize(
    ("field", "holds"),
    [
        ("#i", "2024-03-05"),
        ("#t", "Two\nlines"),
        ("#s", "Pear"),
        ("#l", "Plum\nFig"),
        ("#e", ""),
        ("#h", ""),
        ("#p", "••••"),
    ],
)
async def test_text_of_a_field(reader: Reader, field: str, holds: str) -> None:
    """Asked for by itself, a field reads as what a person sees in it."""
    await reader.show(_FIELDS)
    assert await reader.page("get_text", selector=field) == holds
