"""Pictures of a page, in the pixels that clicks are given in.

A picture of the viewport is never scaled, whatever the screen's density: a point in it is the point
to click. Pictures of a whole page or of an element are made small enough for what models are shown
anyway, and say by how much. One of more than a megabyte is taken again as a JPEG. Chrome's fast PNG
is used: in the same time or 15 % less, with 20 to 40 % more bytes (20 -> 27 KB; Chromium 156).
"""

import math
from dataclasses import dataclass
from typing import Literal

import trio

from bridge import cdp, log
from bridge.errors import BridgeError, PageError
from bridge.page.frames import Frames
from bridge.page.owners import Owners
from bridge.page.target import Target
from bridge.page.worlds import Worlds
from bridge.session.session import Session

Format = Literal["png", "jpeg", "webp"]

TALLEST = 16_384  # CSS pixels; beyond, Chrome repeats or leaves out what is there
LONGEST_SIDE = 1_568  # pixels; models are shown nothing larger
MOST_PIXELS = 1_150_000
MOST_BYTES = 1_000_000
_JPEG_QUALITY = 80
_log = log.get("page")


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the document, in CSS pixels from its top left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture; `scale` is its pixels per CSS pixel."""

    data: str  # base64, as Chrome gives it
    format: Format
    width: int
    height: int
    scale: float = 1.0
    full_height: int = 0  # of a page that was too tall to be taken whole
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

    async def viewport(self, format: Format = "png", quality: int | None = None) -> Picture:
        """What a person sees of the page now."""
        metrics = await self._metrics()
        view = metrics.css_visual_viewport
        area = Area(view.page_x, view.page_y, view.client_width, view.client_height)
        return await self._take(area, metrics, format, quality)

    async def page(self, format: Format = "png", quality: int | None = None) -> Picture:
        """The whole page, as if the window were large enough for it."""
        metrics = await self._metrics()
        content = metrics.css_content_size
        height = min(content.height, TALLEST)
        area = Area(0, 0, min(content.width, TALLEST), height)
        full = int(content.height) if content.height > height else 0
        return await self._take(area, metrics, format, quality, fit=True, full_height=full)

    async def element(
        self, target: Target, format: Format = "png", quality: int | None = None
    ) -> Picture:
        """One element, after scrolling to it."""
        with target.named():
            box = await self._worlds.call(target.frame, "boxInView", target.wanted)
            left, top = await self._owners.offset(target.frame)
        metrics = await self._metrics()
        view = metrics.css_layout_viewport
        x, y, width, height = box
        if width < 1 or height < 1:
            raise PageError(
                "NOT_ACTIONABLE",
                f"{target.name}: the element has no size, so there is nothing to take",
                hint="Choose an element that is visible, or take the whole page.",
            )
        area = Area(x + left + view.page_x, y + top + view.page_y, width, min(height, TALLEST))
        full = int(height) if height > TALLEST else 0
        return await self._take(area, metrics, format, quality, fit=True, full_height=full)

    async def _metrics(self) -> cdp.page.GetLayoutMetricsResult:
        return await self._session.execute(cdp.page.get_layout_metrics(), timeout="read")

    async def _take(
        self,
        area: Area,
        metrics: cdp.page.GetLayoutMetricsResult,
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
            scale=scale / await self._worlds.call(self._frames.main, "density"),
        )
        outside = fit and not _contains(metrics.css_layout_viewport, area)
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
        """Take it, and have a screencast begin behind the command.

        Chrome waits for a frame that a tab in the background, focus emulated, may never make: of 40
        pictures 19 were not answered. A screencast makes it draw one: 0 of 180 (Chrome 156,
        headless), at once; begun before the command it costs a frame of 16 ms. It has to run until
        the picture is there.
        """
        async with self._turn:
            try:
                shot, _ = await self._session.execute_all(
                    cdp.page.capture_screenshot(
                        format=format,
                        quality=None if format == "png" else quality,
                        clip=clip,
                        # It lays the page out anew, which the page sees: only where it must.
                        capture_beyond_viewport=outside or None,
                        optimize_for_speed=True,
                    ),
                    _CAST,
                )
            finally:
                with trio.CancelScope(shield=True):
                    await self._stop()
        data: str = shot.data
        return data

    async def _stop(self) -> None:
        try:
            await self._session.execute(cdp.page.stop_screencast(), timeout="look_again")
        except BridgeError as error:
            _log.debug("the screencast ends with the page: %s", error.code)


_CAST = cdp.page.start_screencast(format="jpeg", quality=1, max_width=16, max_height=16)


def fitting_scale(width: float, height: float) -> float:
    """How far a picture of this size has to be scaled down for models; never up."""
    return min(1.0, LONGEST_SIDE / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))


def _contains(view: cdp.page.LayoutViewport, area: Area) -> bool:
    return (
        area.x >= view.page_x
        and area.y >= view.page_y
        and area.x + area.width <= view.page_x + view.client_width
        and area.y + area.height <= view.page_y + view.client_height
    )
