"""The flags of the policy."""

from bridge.config import options_of
from bridge.policy.options import PolicyOptions


def test_every_option_is_a_flag() -> None:
    """Each field makes a flag of the right kind, and none of them allows anything by default."""
    flags = {option.flag: option for option in options_of(PolicyOptions)}
    assert {name: (option.kind, option.repeatable) for name, option in flags.items()} == {
        "allow-domain": ("text", True),
        "read-domain": ("text", True),
        "unsafe-all-domains": ("switch", False),
        "enable-mutations": ("switch", False),
        "unsafe-enable-eval": ("switch", False),
        "enable-downloads": ("switch", False),
        "enable-uploads": ("switch", False),
        "uploads-dir": ("path", False),
        "policy-file": ("path", False),
    }
    assert not any(option.default for option in flags.values())
