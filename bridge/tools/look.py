"""Tools that show a page and wait for what it shows."""

from typing import Literal

import trio

from bridge.errors import UsageError
from bridge.page.screenshots import Picture
from bridge.page.waits import Condition
from bridge.policy.rules import Effect
from bridge.tools.answer import Image
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply
from bridge.tools.schema import Milliseconds, Quality, Ref, Selector
from bridge.tools.targets import check_picture, frame_is_readable, optional_target_of

_PROGRESS = 5.0  # seconds between two words to a client that waits


@tool(effect=Effect.READ)
async def screenshot(
    ctx: ToolContext,
    ref: Ref | None = None,
    selector: Selector | None = None,
    full_page: bool = False,
    format: Literal["png", "jpeg", "webp"] = "png",
    quality: Quality | None = None,
) -> Reply:
    """Take a picture of the viewport (pixels as for click), an element or the page."""
    if quality is not None and format == "png":
        raise UsageError(
            "BAD_ARGS",
            "a png has no quality",
            hint="Say format jpeg or webp as well, or leave quality out.",
        )
    target = await optional_target_of(ctx, ref, selector)
    check_picture(ctx)
    shots = ctx.tab.screenshots
    if target is not None:
        if full_page:
            raise UsageError("BAD_ARGS", "fullPage and an element exclude each other")
        picture = await shots.element(target, format, quality)
    elif full_page:
        picture = await shots.page(format, quality)
    else:
        picture = await shots.viewport(format, quality)
    check_picture(ctx)  # of what has turned up meanwhile, too
    return Reply(said=said_of(picture), images=(Image(picture.data, f"image/{picture.format}"),))


def said_of(picture: Picture) -> str:
    said = f"{picture.width}×{picture.height} {picture.format}, {picture.size // 1000} KB"
    if picture.scale != 1:
        said += f"; scaled: 1 CSS pixel is {picture.scale:.3g} pixels"
    if picture.full_height or picture.full_width:
        said += "; truncated: true"
    if picture.full_height:
        said += f", fullHeight: {picture.full_height}"
    if picture.full_width:
        said += f", fullWidth: {picture.full_width}"
    if picture.retaken:
        said += "; as jpeg, for it was larger than 1 MB"
    return said


@tool(effect=Effect.READ, patient=True)
async def wait_for(
    ctx: ToolContext,
    selector: Selector | None = None,
    text_contains: str | None = None,
    time_ms: Milliseconds | None = None,
    gone: bool = False,
    timeout_ms: Milliseconds = 30_000,
) -> Reply:
    """Wait for an element or text to be visible (or gone), or for a time."""
    given = [each for each in (selector, text_contains, time_ms) if each is not None]
    if len(given) != 1:
        raise UsageError(
            "BAD_ARGS",
            f"one of selector, textContains and timeMs is needed, and {len(given)} were given",
        )
    if gone and time_ms is not None:
        raise UsageError(
            "BAD_ARGS",
            "gone: a time is over, and nothing of it can be gone",
            hint="Name what is to go with selector or textContains, and its limit with timeoutMs.",
        )
    started = trio.current_time()
    waiting = Waiting(ctx, started, (timeout_ms if time_ms is None else time_ms) / 1000)
    if time_ms is not None:
        await waiting.out()
        return Reply(said=f"waitedMs: {_ms(started)}")
    condition = Condition("text" if selector is None else "selector", str(given[0]), gone)
    line = await ctx.tab.waits.until(
        condition, waiting.seconds, lambda frame: frame_is_readable(ctx, frame), waiting.tell
    )
    state = "gone" if gone else "visible"
    return Reply(said=f"{state}; waitedMs: {_ms(started)}", page=line, source=ctx.tab.url)


class Waiting:
    """A long call, and the client that is told about it."""

    def __init__(self, ctx: ToolContext, started: float, seconds: float) -> None:
        self._ctx = ctx
        self._started = started
        self._told = started
        self.seconds = seconds

    async def tell(self) -> None:
        """Say that we still wait, every few seconds."""
        now = trio.current_time()
        if now - self._told >= _PROGRESS:
            self._told = now
            waited = now - self._started
            await self._ctx.caller.progress(waited, self.seconds, f"waiting for {waited:.0f} s")

    async def out(self) -> None:
        """Let the whole time pass."""
        end = self._started + self.seconds
        while (left := end - trio.current_time()) > 0:
            await trio.sleep(min(left, _PROGRESS))
            await self.tell()


def _ms(started: float) -> int:
    return round((trio.current_time() - started) * 1000)
