"""Switches that a user adds with --chrome-arg: which are refused, and how they join ours.

Chrome takes the last of two equal switches, silently. So an added switch replaces ours, lists of
features are merged into one switch, and a switch that would take something out of the launcher's
hands (the debugging endpoint, the profile, the proxy that enforces what may be reached) is an error
that names the option to use instead. Names are compared without case: Windows ignores it.
"""

import re
from collections.abc import Iterable, Mapping

from bridge.errors import UsageError

# What the launcher owns, with the way to get the same thing.
OWNED: Mapping[str, str] = {
    "remote-debugging-port": (
        "Use the --port option, or --cdp-endpoint for a Chrome that already listens."
    ),
    "remote-debugging-pipe": "Use --isolated, which speaks to Chrome over a pipe.",
    "remote-debugging-address": "The debugging port stays on loopback.",
    "remote-debugging-io-pipes": "Use --isolated, which speaks to Chrome over a pipe.",
    "remote-debugging-socket-name": "Use --cdp-endpoint for a Chrome that already listens.",
    "remote-debugging-targets": "The debugging endpoint is the launcher's own.",
    "remote-allow-origins": "It would let any web page drive the browser.",
    "user-data-dir": "Use the --user-data-dir or --profile option.",
    "headless": "Use the --headless option.",
    "load-extension": "Use the --load-extension option, which works in every build.",
}
# Ways around a proxy; refused only when the launcher sets one.
PROXY = frozenset(
    {
        "proxy-server",
        "proxy-bypass-list",
        "proxy-pac-url",
        "proxy-auto-detect",
        "no-proxy-server",
        "host-resolver-rules",
        "host-rules",
    }
)
WEBRTC = frozenset({"webrtc-ip-handling-policy", "force-webrtc-ip-handling-policy"})

_LISTS = frozenset(  # only make sense as a union
    {
        "disable-features",
        "enable-features",
        "disable-blink-features",
        "enable-blink-features",
        "blink-settings",
    }
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def name_of(switch: str) -> str:
    """`--a-b=c` is `a-b`."""
    return switch.removeprefix("--").partition("=")[0].lower()


def check_extra(extra: Iterable[str], *, forbidden: frozenset[str] = frozenset()) -> None:
    """Raise UsageError on the first switch that is malformed, owned, or among the forbidden."""
    for switch in extra:
        name = name_of(switch)
        if not switch.startswith("--") or not _NAME.fullmatch(name) or "\0" in switch:
            raise UsageError(
                "BAD_ARGS",
                f"{switch!r} is not a switch of Chrome.",
                hint="Write it as --name or --name=value, one for each --chrome-arg.",
                facts={"switch": switch},
            )
        if name in OWNED:
            raise _refused(name, OWNED[name])
        if name in forbidden:
            raise _refused(name, "It would lead around the rules for what may be reached.")


def _refused(name: str, instead: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"--chrome-arg may not set --{name}, which is the launcher's own. {instead}",
        hint="Leave it out of --chrome-arg.",
        facts={"switch": f"--{name}"},
    )


def merge(ours: Iterable[str], extra: Iterable[str]) -> tuple[str, ...]:
    """Each switch once: ours, replaced or completed by the extra ones, in order of appearance.

    A feature that the extra switches enable leaves our list of disabled ones, and the reverse.
    """
    added = list(extra)
    merged: dict[str, str] = {}
    lists: dict[str, dict[str, str]] = {}
    for switch in [*_without_opposites(ours, added), *added]:
        name = name_of(switch)
        if name in _LISTS:
            items = lists.setdefault(name, {})
            items.update((_feature(item), item) for item in _items(switch))
            merged[name] = _list_switch(name, items.values())
        else:
            merged[name] = switch
    return tuple(s for name, s in merged.items() if name not in lists or lists[name])


def _without_opposites(ours: Iterable[str], added: Iterable[str]) -> list[str]:
    wanted = {(name_of(switch), _feature(item)) for switch in added for item in _items(switch)}
    result = []
    for switch in ours:
        name = name_of(switch)
        if name in _LISTS:
            left = [i for i in _items(switch) if (_opposite(name), _feature(i)) not in wanted]
            switch = _list_switch(name, left)
        result.append(switch)
    return result


def _list_switch(name: str, items: Iterable[str]) -> str:
    return f"--{name}={','.join(items)}"


def _opposite(name: str) -> str:
    verb, _, rest = name.partition("-")
    return f"{'enable' if verb == 'disable' else 'disable'}-{rest}"


def _items(switch: str) -> list[str]:
    value = switch.partition("=")[2]
    return [item.strip() for item in value.split(",") if item.strip()]


def _feature(item: str) -> str:
    """The name without field trial and parameters: `Name<Trial:key/value` is `Name`."""
    return re.split(r"[<:]", item, maxsplit=1)[0]
