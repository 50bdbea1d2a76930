"""Corrections to the protocol's own description, each with its reason.

They edit the parsed description before anything is rendered. A patch whose target has gone raises
KeyError, so that a new browser makes us look at it instead of keeping it for ever.
"""

from collections.abc import Callable

from bridge.cdp.model import Member, Protocol, find_member

Patch = Callable[[Protocol], None]


def apply_patches(protocol: Protocol) -> Protocol:
    """Apply all of them, in order, to `protocol` itself."""
    for patch in PATCHES:
        patch(protocol)
    return protocol


def headers_are_text(protocol: Protocol) -> None:
    """Header values are text; described as a bare object they would be anything at all."""
    protocol.find_type("Network.Headers").values = Member(type="string")


def target_types_have_names(protocol: Protocol) -> None:
    """The description of a target's type is a link to Chromium's sources; these are its values.

    Chromium 156 was seen to send all of them but `browser`, which it names in its filters.
    """
    kind = find_member(protocol.find_type("Target.TargetInfo").properties, "type")
    kind.enum = [
        "page",
        "iframe",
        "worker",
        "shared_worker",
        "service_worker",
        "browser",
        "browser_ui",
        "tab",
        "other",
    ]


def lifecycle_events_have_names(protocol: Protocol) -> None:
    """Milestones of a navigation are the whole point of the event, and described as any string.

    Chromium 156 was seen to send all of these.
    """
    name = find_member(protocol.find_event("Page.lifecycleEvent").parameters, "name")
    name.enum = [
        "init",
        "commit",
        "DOMContentLoaded",
        "load",
        "firstPaint",
        "firstContentfulPaint",
        "firstMeaningfulPaintCandidate",
        "firstMeaningfulPaint",
        "networkAlmostIdle",
        "networkIdle",
    ]


PATCHES: tuple[Patch, ...] = (
    headers_are_text,
    target_types_have_names,
    lifecycle_events_have_names,
)
