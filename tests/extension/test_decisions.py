"""The extension decides as bridge/policy does: both are asked about the same cases.

The extension's half runs in Node, which reads addresses as Chrome does.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.policy.hosts import parse_address
from bridge.policy.patterns import Pattern, parse_pattern
from bridge.policy.rules import Effect, Policy, decide, decide_request
from tests.support.address_corpus import addresses

_RUNNER = Path(__file__).with_name("decide.mjs")
_OVER_HTTP = ("http", "https", "ws", "wss")
_CASES = 300

Ask = Callable[..., dict[str, Any]]

_HOSTS = st.sampled_from(
    (
        *(
            "a.test",
            "b.a.test",
            "A.Test",
            "ba.test",
            "a.test.",
            "bücher.test",
            "xn--bcher-kva.test",
        ),
        *(
            "127.0.0.1",
            "0x7f.1",
            "2130706433",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[0:0::1]",
            "localhost",
        ),
        *("10.0.0.1", "[::ffff:a00:1]", "com", "a b", "a@b", "1.2.3", "a..test", "", "*"),
    )
)
_PORTS = st.sampled_from(("", "", ":80", ":443", ":8080", ":0", ":65535", ":65536", ":x", ":"))
_FRONTS = st.sampled_from(("", "", "*.", "http://", "HTTPS://", "*://", "*://*.", "ftp://", " "))
_BACKS = st.sampled_from(("", "", "/", "/path?q#f", " ", "?q", "\\x"))
_PATTERNS = st.one_of(
    st.just("*"),
    st.builds("".join, st.tuples(_FRONTS, _HOSTS, _PORTS, _BACKS)),
    st.text(max_size=12),
)
_SCHEMES = st.sampled_from(
    ("http://", "https://", "ws://", "wss://", "HTTP:\\\\", "ftp://", "blob:http://")
)
_LOGINS = st.sampled_from(("", "", "", "u:p@", "a.test@", "a.test:80@"))
_ADDRESSES = st.one_of(
    st.builds("".join, st.tuples(_SCHEMES, _LOGINS, _HOSTS, _PORTS, _BACKS)),
    st.sampled_from(addresses()),
)


@pytest.fixture(scope="module")
def extension() -> Iterator[Ask]:
    """Asks the extension's own code."""
    if shutil.which("node") is None:
        pytest.skip("there is no Node.js")
    with subprocess.Popen(
        ["node", str(_RUNNER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        put, get = node.stdin, node.stdout

        def ask(**case: object) -> dict[str, Any]:
            put.write(json.dumps(case) + "\n")
            put.flush()
            answer: dict[str, Any] = json.loads(get.readline())
            return answer

        yield ask
        put.close()


def _read(text: str) -> Pattern | None:
    try:
        return parse_pattern(text)
    except UsageError:
        return None


def _shown(pattern: Pattern | None) -> dict[str, Any] | None:
    if pattern is None:
        return None
    return {"host": pattern.host, "below": pattern.below, "port": pattern.port}


@settings(max_examples=_CASES, deadline=None)
@given(
    visited=st.lists(_PATTERNS, max_size=4), never=st.lists(_PATTERNS, max_size=2), url=_ADDRESSES
)
def test_same_decisions(extension: Ask, visited: list[str], never: list[str], url: str) -> None:
    """Patterns mean the same to both, addresses may be visited or not, requests are let through."""
    wanted = [text for text in visited if _read(text)]
    refused = [text for text in never if _read(text)]
    said = extension(patterns=[*visited, *never], visited=wanted, never=refused, url=url)

    assert said["patterns"] == [_shown(_read(text)) for text in (*visited, *never)]
    policy = Policy(act=tuple(map(parse_pattern, wanted)), never=tuple(map(parse_pattern, refused)))
    assert said["visit"] == decide(Effect.NAVIGATE, url, policy).allowed
    address = parse_address(url)
    if address is not None and address.scheme in _OVER_HTTP:
        assert said["request"] == decide_request(url, policy).allowed


def test_unreadable_refusal(extension: Ask) -> None:
    """A refusal that cannot be read refuses everything, and so does a list that cannot be."""
    for visited, never in ((["*"], ["ex*mple"]), (["*", "a@b"], [])):
        said = extension(patterns=[], visited=visited, never=never, url="http://a.test/")
        assert (said["visit"], said["request"]) == (False, False)
