"""What a real page takes itself to be shown by, and what it and its server are told."""

from collections.abc import AsyncIterator

import pytest

from fixtures.site import Site
from tests.support.door import OpenDoor
from tests.support.logged import OpenLogged, open_page

pytestmark = [pytest.mark.chromium, pytest.mark.contract]

_POINTER = (
    "['hover: hover', 'pointer: fine', 'pointer: coarse'].map(q => matchMedia(`(${q})`).matches)"
)
_MOUSE, _FINGER = [True, True, False], [False, False, True]


@pytest.fixture
async def door(logged: OpenLogged) -> AsyncIterator[OpenDoor]:
    """Everything allowed."""
    async with logged() as opened:
        yield opened


async def test_mouse_of_a_device(door: OpenDoor, site: Site) -> None:
    """What is not touched leaves a page its mouse; what was touched, once it is loaded again."""
    tab = await open_page(door, site.url("/form"))
    for device in ("none", "laptop", "none"):
        await door.text("emulate", device=device)
        assert await tab.evaluate(_POINTER) == _MOUSE
    await door.text("emulate", device="phone")
    assert await tab.evaluate(_POINTER) == _FINGER
    assert "reload" in await door.text("emulate", device="none")
    await door.text("reload")
    assert await tab.evaluate(_POINTER) == _MOUSE
