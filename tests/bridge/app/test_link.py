"""What a person is told of a client, and the extension of its policy."""

from bridge.app.link import shown, sites_of
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy

_ALLOWED = PolicyOptions(allow_domain=("*.a.test",), read_domain=("b.test:8080",))


def test_sites() -> None:
    """Hosts are told as patterns, what is never allowed among them."""
    policy = Policy.from_options(_ALLOWED, file='never = ["x.a.test"]')
    sites = sites_of(policy)
    assert (sites.visited, sites.never) == (["*.a.test", "b.test:8080"], ["x.a.test"])


def test_shown() -> None:
    """A client's name is one short line whatever it sends, and ours where it sends nothing."""
    assert shown("Claude Code") == "Claude Code"
    assert shown("a\n\u202eb\0 c") == "a b c"
    assert (len(shown("x" * 999)), shown(" \n ")) == (40, "chrome-bridge")
