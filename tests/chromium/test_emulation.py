"""What a real page takes itself to be shown by, and what it and its server are told."""

from collections.abc import AsyncIterator

import pytest

from fixtures.site import Site
from tests.support.browsers import until
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


_STYLE = """['prefers-color-scheme: dark', 'prefers-reduced-motion: reduce'].map(
  (feature) => matchMedia(`(${feature})`).matches).concat(matchMedia('print').matches)"""


async def test_style(door: OpenDoor, site: Site) -> None:
    """A page is dark, still and on paper, on the next page too, and as it was when that ends."""
    tab = await open_page(door, site.url("/form"))
    own = await tab.evaluate(_STYLE)
    await door.text("emulate", colorScheme="dark", media="print")
    await door.text("emulate", reducedMotion=True)
    assert await tab.evaluate(_STYLE) == [True, True, True]
    await door.text("navigate", url=site.url("/table"))
    assert await tab.evaluate(_STYLE) == [True, True, True]
    await door.text("emulate", colorScheme="none", media="none", reducedMotion=False)
    assert await tab.evaluate(_STYLE) == own


_NAMED = """[navigator.userAgent, navigator.language, (1234.5).toLocaleString(),
  Intl.DateTimeFormat().resolvedOptions().timeZone]"""


async def test_names(door: OpenDoor, site: Site) -> None:
    """Page and server are told another browser, language and place for clocks, until it ends."""
    tab = await open_page(door, site.url("/form"))
    own = await tab.evaluate(_NAMED)
    await door.text("emulate", userAgent="Robot/1", locale="de-DE", timezone="Asia/Tokyo")
    assert await tab.evaluate(_NAMED) == ["Robot/1", "de-DE", "1.234,5", "Asia/Tokyo"]
    await door.text("navigate", url=site.url("/headers"))
    sent = dict(next(each for each in site.requests if each.path == "/headers").headers)
    assert [sent["user-agent"], sent["accept-language"]] == ["Robot/1", "de-DE"]
    await door.text("emulate", userAgent="", locale="", timezone="")
    assert await tab.evaluate(_NAMED) == own


async def test_names_that_are_none(door: OpenDoor, site: Site) -> None:
    """What Chrome does not know is refused in its words, and what was done before is said."""
    await open_page(door, site.url("/form"))
    told = await door.refusal("emulate", timezone="Asia/Tokyo", locale="no such language")
    assert told.startswith("BAD_ARGS: locale: Chrome does not take it (")
    assert told.endswith("Done before: timezone Asia/Tokyo.")
    await door.text("emulate", locale="de-DE")
    await door.refusal("emulate", locale="no such language")
    told = await door.refusal("emulate", timezone="Mars/Olympus")
    assert "Give a name such as Europe/Berlin; an empty one ends it." in told
    await door.text("emulate", timezone="", locale="")


async def test_language_of_frames(door: OpenDoor, site: Site) -> None:
    """A language reaches frames of another site, also those that share a process."""
    tab = await open_page(door, site.url("/frames"))
    foreign = [frame for frame in tab.frames if frame.session is not tab.session]
    assert len(foreign) > 1
    await door.text("emulate", locale="de-DE")
    for frame in foreign:
        assert await tab.scripts.isolated("(1234.5).toLocaleString()", frame) == "1.234,5"
    await door.text("emulate", locale="")
    for frame in foreign:
        assert await tab.scripts.isolated("(1234.5).toLocaleString()", frame) == "1,234.5"


async def test_frames_that_come(door: OpenDoor, site: Site) -> None:
    """Frames of another site that come later are shown, named and timed like their page."""
    await open_page(door, site.url("/form"))
    await door.text("emulate", colorScheme="dark", userAgent="Robot/1", timezone="Asia/Tokyo")
    tab = await open_page(door, site.url("/frames"))
    foreign = [frame for frame in tab.frames if frame.session is not tab.session]
    assert foreign
    for frame in foreign:
        assert await tab.scripts.isolated(_SHOWN, frame) == [True, "Robot/1", "Asia/Tokyo"]


_SHOWN = """[matchMedia('(prefers-color-scheme: dark)').matches, navigator.userAgent,
  Intl.DateTimeFormat().resolvedOptions().timeZone]"""


async def test_beside_frames_that_come_and_go(door: OpenDoor, site: Site) -> None:
    """A frame that goes while it is told takes nothing from the page."""
    tab = await open_page(door, site.url("/stage"))
    await tab.evaluate(
        f"""setInterval(() => {{
          const frame = document.createElement('iframe');
          frame.src = '{site.other("/stage")}';
          document.body.append(frame);
          setTimeout(() => frame.remove(), 150);
        }}, 40)"""
    )
    await until(lambda: len(tab.frames) > 2, "frames come")
    for times in range(20):
        assert "color scheme dark" in await door.text(
            "emulate", cpu=1 + times % 2, colorScheme="dark"
        )
    await door.text("emulate", cpu=1, colorScheme="none")
