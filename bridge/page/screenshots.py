"""Pictures of a page, in the pixels that clicks are given in.

A picture of the viewport is never scaled, whatever the screen's density: a point in it is the point
to click. Pictures of a whole page or of an element are made small enough for what models are shown
anyway, and say by how much. One of more than a megabyte is taken again as a JPEG. Chrome's fast PNG
is used: in the same time or 15 % less, with 20 to 40 % more bytes (20 -> 27 KB; Chromium 156).
"""

import math
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import trio

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError, PageError
from bridge.page.frames import Frames
from bridge.page.owners import Owners
from bridge.page.target import Target
from bridge.page.unseen import at_rest
from bridge.page.worlds import Worlds
from bridge.scope import open_scope
from bridge.session.session import Session

Format = Literal["png", "jpeg", "webp"]

TALLEST = 16_384  # CSS pixels; beyond, Chrome repeats or leaves out what is there
LONGEST_SIDE = 1_568  # pixels; models are shown nothing larger
MOST_PIXELS = 1_150_000
MOST_BYTES = 1_000_000
_NEARLY = 0.99  # as large as that is not worth scaling
_JPEG_QUALITY = 80
_log = log.get("page")


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the document, in CSS pixels from its top left corner."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, other: "Area") -> bool:
        return (
            other.x >= self.x
            and other.y >= self.y
            and other.x + other.width <= self.x + self.width
            and other.y + other.height <= self.y + self.height
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A document and the window it is seen through."""

    seen: Area
    scroll: tuple[float, float]
    size: tuple[int, int]
    density: float  # pixels of the screen per CSS pixel


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture; `scale` is its pixels per CSS pixel."""

    data: str  # base64, as Chrome gives it
    format: Format
    width: int
    height: int
    scale: float = 1.0
    full_height: int = 0  # of a page that was too tall to be taken whole
    full_width: int = 0  # of one that was too wide
    retaken: bool = False  # in another format than the one asked for

    @property
    def size(self) -> int:
        return len(self.data) * 3 // 4


class Screenshots:
    """Pictures of one tab."""

    def __init__(self, session: Session, frames: Frames, worlds: Worlds) -> None:
        self._session = session
        self._frames = frames
        self._worlds = worlds
        self._owners = Owners(frames, worlds)
        self._turn = trio.Lock()  # one screencast at a time
        self._drowsy = False

    async def viewport(self, format: Format = "png", quality: int | None = None) -> Picture:
        """What a person sees of the page now."""
        view = await self._view()
        return await self._take(view.seen, view, format, quality)

    async def page(self, format: Format = "png", quality: int | None = None) -> Picture:
        """The whole page, as if the window were large enough for it."""
        view = await self._view()
        width, height = view.size
        area = Area(0, 0, min(width, TALLEST), min(height, TALLEST))
        picture = await self._take(area, view, format, quality, fit=True)
        return replace(
            picture,
            full_height=height if height > TALLEST else 0,
            full_width=width if width > TALLEST else 0,
        )

    async def element(
        self, target: Target, format: Format = "png", quality: int | None = None
    ) -> Picture:
        """One element, after scrolling to it."""
        with target.named():
            box = await self._worlds.call(target.frame, "boxInView", target.wanted)
            x, y, width, height = await self._owners.outermost(target.frame, tuple(box))
        if width < 1 or height < 1:
            raise PageError(
                "NOT_ACTIONABLE",
                f"{target.name}: the element has no size, so there is nothing to take",
                hint="Choose an element that is visible, or take the whole page.",
            )
        view = await self._view()
        whole = Area(x + view.scroll[0], y + view.scroll[1], width, height)
        left, top = max(whole.x, 0), max(whole.y, 0)  # Chrome takes another part for what is before
        width, height = whole.x + width - left, whole.y + height - top
        if width < 1 or height < 1:
            raise PageError(
                "NOT_ACTIONABLE",
                f"{target.name}: the element is outside of the page, where nobody can scroll to",
                hint="Have the page bring it in, as by a click on what opens it.",
            )
        area = Area(left, top, width, min(height, TALLEST))
        full = int(height) if height > TALLEST else 0
        return await self._take(area, view, format, quality, fit=True, full_height=full)

    async def _view(self) -> View:
        def ask() -> Awaitable[Any]:
            return self._worlds.call(self._frames.main, "view")

        told = await at_rest(self._frames, None, ask)
        return View(
            seen=Area(*told["view"]),
            scroll=tuple(told["scroll"]),
            size=tuple(told["size"]),
            density=told["density"],
        )

    async def _take(
        self,
        area: Area,
        view: View,
        format: Format,
        quality: int | None,
        *,
        fit: bool = False,
        full_height: int = 0,
    ) -> Picture:
        scale = fitting_scale(area.width, area.height) if fit else 1.0
        clip = cdp.page.Viewport(
            x=area.x,
            y=area.y,
            width=area.width,
            height=area.height,
            scale=scale / view.density,
        )
        outside = not view.seen.contains(area)
        data = await self._capture(clip, format, quality, outside)
        retaken = len(data) * 3 // 4 > MOST_BYTES and format != "jpeg"
        if retaken:
            format = "jpeg"
            data = await self._capture(clip, format, _JPEG_QUALITY, outside)
        return Picture(
            data=data,
            format=format,
            width=round(area.width * scale),
            height=round(area.height * scale),
            scale=scale,
            full_height=full_height,
            retaken=retaken,
        )

    async def _capture(
        self, clip: cdp.page.Viewport, format: Format, quality: int | None, outside: bool
    ) -> str:
        command = cdp.page.capture_screenshot(
            format=format,
            quality=None if format == "png" else quality,
            clip=clip,
            # It lays the page out anew, which the page sees: only where it must.
            capture_beyond_viewport=outside or None,
            optimize_for_speed=True,
        )
        async with self._turn, self._waking():
            return (await self._session.execute(command)).data

    @asynccontextmanager
    async def _waking(self) -> AsyncIterator[None]:
        """Make a tab draw that does not by itself.

        A picture waits for a frame that a tab in the background, focus emulated, may never draw: of
        40, 19 were not answered. A screencast begun behind the command makes it draw at once: 0 of
        180 (Chrome 156, headless). It costs 5 ms, so a tab gets it once it was found to need it.
        """
        waking = [False]

        async def wake() -> None:
            if not self._drowsy:
                await trio.sleep(self._session.connection.timeouts.wake)
            self._drowsy = waking[0] = True
            await self._tell(_CAST)

        async with open_scope() as nursery:
            nursery.start_soon(wake)
            try:
                yield
            finally:
                if waking[0]:
                    with trio.CancelScope(shield=True):
                        await self._tell(cdp.page.stop_screencast())

    async def _tell(self, command: Command[Any]) -> None:
        try:
            await self._session.execute(command, timeout="look_again")
        except BridgeError as error:
            _log.debug("the screencast ends with the page: %s", error.code)


_CAST = cdp.page.start_screencast(format="jpeg", quality=1, max_width=16, max_height=16)


def fitting_scale(width: float, height: float) -> float:
    """How far a picture of this size has to be scaled down for models; never up, nor by a hair.

    A page of 1280 by 900 would become one of 1279: blurred all over, for less than a token.
    """
    scale = min(LONGEST_SIDE / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))
    return 1.0 if scale > _NEARLY else scale
