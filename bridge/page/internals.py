"""What custom elements say through ElementInternals: the page's own scripts know, and Chrome.

The library names the elements of a reading that may say something; Chrome's accessibility tree is
asked about each of them, in one go, and the answers are handed in. To make that tree takes Chrome
about as long as we need for a reading, and goes on to cost the page a little: where no element says
anything it is given up again, else kept, and the next questions take 0.4 ms each.
"""

import re
from typing import Any

from bridge import cdp, log
from bridge.errors import BridgeError, ChromeError
from bridge.page.frames import Frame
from bridge.page.held import open_list
from bridge.page.target import Target
from bridge.page.worlds import Worlds

_log = log.get("page")

_ATTRIBUTES = {
    "busy": "aria-busy",
    "checked": "aria-checked",
    "disabled": "aria-disabled",
    "invalid": "aria-invalid",
    "level": "aria-level",
    "modal": "aria-modal",
    "pressed": "aria-pressed",
    "readonly": "aria-readonly",
    "required": "aria-required",
    "selected": "aria-selected",
    "valuetext": "aria-valuetext",
}
_UNASKED = "unasked"
_REF = re.compile(r"\[ref=\w+\]")
_RANGES = ("meter", "progressbar", "scrollbar", "separator", "slider", "spinbutton")
_UNSAID = (None, False, 0, "", "false")
_PASSED_OVER = ("inertElement", "inertSubtree", "activeModalDialog", "notRendered", "notVisible")
"""Why the tree leaves out an element that a person may see, and that may say something."""


class Internals:
    """Of the elements in one tab."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds

    async def hear(self, frame: Frame) -> bool:
        """Ask about the elements the last reading met; does any say something new?"""
        return await self._hear(frame, _UNASKED)

    async def hear_of(self, target: Target) -> bool:
        """Ask about this one."""
        with target.named():
            return await self._hear(target.frame, "telling", target.wanted)

    async def tell_news(self, frame: Frame, told: dict[str, Any]) -> None:
        """Add to the changes an action made what the element it was about says now."""
        if not told.pop("isAddressed", False):
            return
        try:
            news = await self._hear(frame, "addressed") and await self._worlds.call(frame, "news")
        except BridgeError as error:
            _log.debug("news of internals are left out: %s", error.code)  # the action is done
            return
        told["changes"] = "\n".join(renewed(told["changes"].splitlines(), news or []))

    async def _hear(self, frame: Frame, function: str, *args: object) -> bool:
        async with open_list(self._worlds, frame, function, *args) as held:
            if not held.elements:
                return False
            try:
                answers = await frame.session.execute_all(
                    *(
                        cdp.accessibility.get_partial_ax_tree(
                            object_id=each.object_id, fetch_relatives=False
                        )
                        for each in held.elements
                    )
                )
            except ChromeError as error:  # its document has gone, or has no tree
                if error.code != "CDP_ERROR":
                    raise
                return False
            rereads = function == _UNASKED
            told = [told_by(answer.nodes[0]) for answer in answers]
            changed, kept = await self._worlds.call(frame, "hear", held.listed, told, rereads)
            if not kept:
                await _give_up_tree(frame)
            return bool(changed)


def renewed(known: list[str], news: list[str]) -> list[str]:
    """The lines, each with what is newer of the same element in its place."""
    newer = {ref[0]: line for line in news if (ref := _REF.search(line))}
    kept = [newer.pop(ref[0], line) if (ref := _REF.search(line)) else line for line in known]
    return [*kept, *(line for line in news if line not in kept)]


async def _give_up_tree(frame: Frame) -> None:
    """Chrome lets go of it only where it was asked to tell of it."""
    await frame.session.execute_all(cdp.accessibility.enable(), cdp.accessibility.disable())


def told_by(node: cdp.accessibility.AXNode) -> dict[str, str] | None:
    """Role, label and states as attributes would say them; None if Chrome would not tell."""
    if node.ignored:
        reasons = {str(each.name) for each in node.ignored_reasons or ()}
        return None if reasons.intersection(_PASSED_OVER) else {}
    if node.role is None or node.role.type != "role":
        return {}
    told = {"role": str(node.role.value)}
    for each in node.properties or ():
        value = each.value.value
        if each.name == "expanded" or (each.name in _ATTRIBUTES and value not in _UNSAID):
            said = value == 1 if each.name == "busy" else value  # a number, to Chrome
            told[_ATTRIBUTES.get(each.name, "aria-expanded")] = _in_words(said)
    if told["role"] in _RANGES and node.value is not None:
        told["aria-valuenow"] = _in_words(node.value.value)
    return told | _label(node.name)


def _in_words(value: Any) -> str:
    """As an attribute has it; Chrome keeps numbers in four bytes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)


def _label(name: cdp.accessibility.AXValue | None) -> dict[str, str]:
    """The name, if it is no `label` and no text that says it."""
    for source in (name and name.sources) or ():
        if source.value is not None and not source.superseded:
            said = source.attribute in ("aria-label", "aria-labelledby")
            return {"aria-label": str(source.value.value)} if said else {}
    return {}
