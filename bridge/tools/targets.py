"""The element a call means, from its arguments `ref` and `selector`: exactly one of the two.

A frame of another site is a place of its own for the policy: it is asked about every address from
the frame up to the page, before anything is looked at there.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial

import trio

from bridge import log
from bridge.browser.tab import Tab
from bridge.errors import BridgeError, PolicyDenied, UsageError
from bridge.page.bounds import Check
from bridge.page.focus import Leave
from bridge.page.frames import Frame
from bridge.page.pointing import Admit
from bridge.page.stitch import origin_of
from bridge.page.target import Target
from bridge.policy.rules import Effect
from bridge.tools.context import ToolContext

_log = log.get("tools")
_REF = re.compile(r"(?P<frame>f[0-9]{1,9})?e(?P<number>[0-9]{1,12})")
ANYWHERE = "https://unknown.invalid/"  # nobody's: allowed only where every host is
_ERROR_PAGE = "chrome-error:"  # in place of what was refused; Tab has to get past it
WRITTEN = ("about:", "data:", "blob:")  # the page around such a frame wrote what it says


async def target_of(
    ctx: ToolContext,
    ref: str | None,
    selector: str | None,
    effect: Effect = Effect.READ,
    *,
    names: tuple[str, str] = ("ref", "selector"),
) -> Target:
    """The target of a call; BAD_ARGS for both or neither, REF_EXPIRED if its frame is gone.

    A selector means the main frame, or the first other one with a match if that has none.
    """
    if ref is not None and selector is None:
        target = _by_ref(ctx, ref, names[0])
    elif selector is not None and ref is None:
        target = await _by_selector(ctx, selector)
    else:
        given = "neither was" if ref is None else "both were"
        raise UsageError(
            "BAD_ARGS",
            f"{names[0]} or {names[1]} is needed, and {given} given",
            hint=f"Give one of them: {names[0]} (such as e12, from a snapshot) or {names[1]}.",
        )
    await allow_frame(ctx, effect, target.frame)
    return target


async def optional_target_of(
    ctx: ToolContext, ref: str | None, selector: str | None, effect: Effect = Effect.READ
) -> Target | None:
    """The same where no target means the whole page, or what has the focus."""
    if ref is None and selector is None:
        return None
    return await target_of(ctx, ref, selector, effect)


def is_ref(text: str) -> bool:
    """Whether it can be a ref; what looks like one is never taken for a selector."""
    return _REF.fullmatch(text) is not None


def parse_ref(ref: str) -> tuple[str, int]:
    """`f1e12` is number 12 of the frame `f1`; BAD_ARGS for what is no ref."""
    found = _REF.fullmatch(ref)
    if found is None:
        raise UsageError(
            "BAD_ARGS",
            f"{ref[:100]!r} is not a ref",
            hint="Refs look like e12, or f1e12 in a frame; a snapshot has them in brackets.",
        )
    return found["frame"] or "", int(found["number"])


def frame_is_readable(ctx: ToolContext, frame: Frame) -> bool:
    """Whether text of this frame may be shown; nobody is asked."""
    return all(ctx.readable(url) for url in addresses_of(frame))


def check_picture(ctx: ToolContext) -> None:
    """POLICY_DENIED where a picture of the page would show a frame that may not be read.

    In a tab of ours none is ever loaded; one that was taken over may have had it before.
    """
    for frame in ctx.tab.frames:
        if not frame.unreachable and not frame_is_readable(ctx, frame):
            raise PolicyDenied(
                "POLICY_DENIED",
                f"the page shows a frame of {origin_of(frame.url)}, which may not be read",
                hint="Reload the page, and that frame is left out; or read the text around it.",
                facts={"origin": origin_of(frame.url)},
            )


async def allow_frame(ctx: ToolContext, effect: Effect, frame: Frame) -> None:
    """Ask the policy about a frame; the page itself was asked about at the door."""
    for url in addresses_of(frame):
        await ctx.allow(effect, url)


def may_act(ctx: ToolContext) -> Admit:
    """For what is done at a point of an element: a frame in there may get it instead."""
    return partial(allow_frame, ctx, Effect.ACT)


def may_press(ctx: ToolContext) -> Leave:
    """For keys: what has the focus gets them, and that may be in a frame."""

    def opens(frame: Frame | None) -> bool:
        if frame is None:
            return ctx.permits(Effect.ACT, ANYWHERE)
        return all(
            ctx.permits(Effect.ACT, url)
            for url in addresses_of(frame)
            if not url.startswith(_ERROR_PAGE)
        )

    return Leave(may_act(ctx), opens)


def bounds_of(tab: Tab, effect: Effect, still: Callable[[Effect, str], None]) -> Check:
    """Where in a tab a call may do what changes a page, as long as it lasts."""
    changing = effect if effect in (Effect.EVAL, Effect.UPLOAD) else Effect.ACT

    def check(frame: Frame) -> None:
        still(changing, tab.place)
        for url in addresses_of(frame):
            if not url.startswith(_ERROR_PAGE):
                still(changing, url)

    return check


def addresses_of(frame: Frame) -> Iterator[str]:
    """Addresses of a frame and of those around it, without the page's own.

    All of them have to be allowed, so a page that may not be read does not become readable by
    showing one that may. What a page wrote into a frame belongs to that page.
    """
    while frame.parent is not None:
        if not frame.url.startswith(WRITTEN):
            yield frame.url
        frame = frame.parent


def _by_ref(ctx: ToolContext, ref: str, name: str) -> Target:
    prefix, number = parse_ref(ref)
    frame = ctx.tab.worlds.frame(prefix)
    if frame is None:
        raise UsageError(
            "REF_EXPIRED",
            f"{name} {ref}: the frame it was in is gone",
            hint="Look at the page again: its elements have other refs now.",
            facts={"target": ref},
        )
    return Target(frame, {"ref": number}, ref)


async def _by_selector(ctx: ToolContext, selector: str) -> Target:
    tab = ctx.tab
    wanted: dict[str, int | str] = {"selector": selector}
    name = f"selector {selector[:200]!r}"
    main = Target(tab.frames.main, wanted, name)
    if len(tab.frames) == 1:
        return main
    with main.named():
        if await tab.worlds.call(main.frame, "count", selector):
            return main
    matching = await _frames_with(ctx, selector)
    return Target(matching[0], wanted, name) if matching else main


async def _frames_with(ctx: ToolContext, selector: str) -> list[Frame]:
    """Frames below the page with a match, in the order of the documents; asked all at once."""
    tab = ctx.tab
    asked = [f for f in tab.frames if f.parent is not None and frame_is_readable(ctx, f)]
    found: set[str] = set()

    async def look(frame: Frame) -> None:
        try:
            if await tab.worlds.call(frame, "count", selector, timeout="probe"):
                found.add(frame.id)
        except BridgeError as error:  # gone, or busy: the others are not
            _log.debug("a frame was not asked: %s", error.code)

    async with trio.open_nursery() as nursery:
        for frame in asked:
            nursery.start_soon(look, frame)
    return [frame for frame in asked if frame.id in found]
