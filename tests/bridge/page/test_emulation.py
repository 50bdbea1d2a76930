"""Conditions of a network are laid over the rules that hold, never in their place."""

from bridge import cdp
from bridge.page.emulation import NETWORKS, Conditions, over


def _rule(pattern: str, *, offline: bool) -> cdp.network.NetworkConditions:
    return cdp.network.NetworkConditions(
        url_pattern=pattern,
        latency=0,
        download_throughput=-1,
        upload_throughput=-1,
        offline=offline,
    )


def test_what_is_shut_stays_shut() -> None:
    """A rule that keeps something offline is kept as it is, in its place."""
    rules = [_rule("ws://a/*", offline=False), _rule("", offline=True)]
    open_, shut = over(rules, NETWORKS["fast4g"])
    assert (open_.url_pattern, open_.latency, open_.offline) == ("ws://a/*", 60, False)
    assert shut == rules[1]


def test_without_rules() -> None:
    """Without rules the conditions hold for everything."""
    (rule,) = over([], Conditions(latency=0.1, down=10, up=5))
    assert rule.url_pattern == ""
    assert (rule.latency, rule.download_throughput, rule.upload_throughput) == (100, 10, 5)


def test_offline() -> None:
    """Offline is offline for what was let through as well."""
    assert all(rule.offline for rule in over([_rule("x", offline=False)], NETWORKS["offline"]))


def test_the_end_of_it() -> None:
    """No conditions give the rules back as they were."""
    rules = [_rule("ws://a/*", offline=False), _rule("", offline=True)]
    assert list(over(rules, NETWORKS["none"])) == rules
