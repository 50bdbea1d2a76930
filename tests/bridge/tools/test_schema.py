"""Arguments of tools."""

import math
import time
from typing import Annotated, Any, Literal

import pytest

from bridge.errors import UsageError
from bridge.tools.schema import Ref, arguments_of, full_address, nearest


async def sample(
    ctx: object,
    url: str,
    wait_until: Literal["load", "commit"] = "load",
    times: Annotated[int, "How often."] = 1,
    ref: Ref | None = None,
    values: list[str] = [],  # noqa: B006 -- the signature of a tool, never called
    x: float | None = None,
) -> None:
    """Do something."""


ARGUMENTS = arguments_of(sample, tab=True)


def test_schema_is_small() -> None:
    """What a client sees names types and limits, and nothing that says nothing."""
    assert ARGUMENTS.schema == {
        "type": "object",
        "properties": {
            "url": {"type": "string"},
            "waitUntil": {"enum": ["commit", "load"], "default": "load"},
            "times": {"description": "How often.", "type": "integer", "default": 1},
            "ref": {"type": "string"},
            "values": {"type": "array", "items": {"type": "string"}},
            "x": {"type": "number"},
            "tabId": {"type": "string"},
        },
        "required": ["url"],
        "additionalProperties": False,
    }


def test_reads() -> None:
    """Values arrive by their Python names, defaults included."""
    assert ARGUMENTS.read({"url": "a", "x": 3}) == {
        "url": "a",
        "wait_until": "load",
        "times": 1,
        "ref": None,
        "values": [],
        "x": 3.0,
        "tab_id": None,
    }


def test_left_open() -> None:
    """An argument that may be left out may be null as well, as some clients send all they know."""
    left = {
        "url": "a",
        "waitUntil": None,
        "times": None,
        "ref": None,
        "values": None,
        "tabId": None,
    }
    assert ARGUMENTS.read(left) == ARGUMENTS.read({"url": "a"})
    with pytest.raises(UsageError, match="url: a text is expected, and null came"):
        ARGUMENTS.read({"url": None})


def test_half_characters() -> None:
    """Half of a character is text where text is taken, and BAD_ARGS where it cannot be meant."""
    assert ARGUMENTS.read({"url": "\ud800"})["url"] == "\ud800"
    with pytest.raises(UsageError, match="half of a character"):
        ARGUMENTS.read({"url": "a", "waitUntil": "\ud800"})


@pytest.mark.parametrize(
    ("given", "sentence", "hint"),
    [
        ({}, "url is missing", "Arguments: url, waitUntil?"),
        ({"url": 3}, "url: a text is expected, and 3 came", "Arguments:"),
        (
            {"url": "a", "times": "2"},
            'times: a whole number is expected, and "2" came',
            "Arguments:",
        ),
        (
            {"url": "a", "waitUntil": "never"},
            'waitUntil: one of commit, load is expected, and "never" came',
            "Arguments:",
        ),
        ({"url": "a", "values": [1]}, "values[0]: a text is expected, and 1 came", "Arguments:"),
        (
            {"url": "a", "ref": "x" * 2001},
            "ref: a text of at most 2000 characters is expected, "
            "and a text of 2001 characters came",
            "Arguments:",
        ),
        (
            {"url": "a", "times": math.inf},
            "times: a number is expected, and one that no computer holds came",
            "Arguments:",
        ),
        (
            {"url": "a", "times": 10**301},
            "times: a number is expected, and one that no computer holds came",
            "Arguments:",
        ),
        (
            {"url": "a", "values": ["b", -math.inf]},
            "values: a number is expected, and one that no computer holds came",
            "Arguments:",
        ),
        ({"uri": "a"}, "there is no argument 'uri'", "Did you mean url?"),
        ({"URL": "a"}, "there is no argument 'URL'", "Did you mean url?"),
        ({"wait_until": "load"}, "there is no argument 'wait_until'", "Did you mean waitUntil?"),
        ({"q" * 500: 1}, f"there is no argument {'q' * 100!r}", "Arguments: url"),
    ],
)
def test_refuses(given: dict[str, Any], sentence: str, hint: str) -> None:
    """What is wrong is named with its argument, and the next step with it."""
    with pytest.raises(UsageError) as refused:
        ARGUMENTS.read(given)
    assert refused.value.code == "BAD_ARGS"
    assert refused.value.message.lower() == sentence.lower()
    assert refused.value.hint.startswith(hint)


def test_fresh_defaults() -> None:
    """A list that is a default is a new one for every call."""
    first = ARGUMENTS.read({"url": "a"})["values"]
    first.append("x")
    assert ARGUMENTS.read({"url": "a"})["values"] == []


def test_without_arguments() -> None:
    """A tool that takes nothing says so."""

    async def bare(ctx: object) -> None:
        """Nothing."""

    arguments = arguments_of(bare, tab=False)
    assert arguments.schema["properties"] == {}
    assert arguments.usage == "It takes no arguments."
    with pytest.raises(UsageError) as refused:
        arguments.read({"x": 1})
    assert refused.value.hint == "It takes no arguments."


def test_nearest() -> None:
    """A name that is far from all others has no neighbour."""
    assert nearest("navigat", ["navigate", "back"]) == "navigate"
    assert nearest("zzz", ["navigate", "back"]) is None


def test_nearest_to_something_endless() -> None:
    """A name of megabytes is near to nothing, and costs nothing."""
    began = time.process_time()
    assert nearest("navigate" * 1_000_000, ["navigate"]) is None
    assert time.process_time() - began < 0.3


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("example.com", "https://example.com"),
        ("example.com:8080/a?b", "https://example.com:8080/a?b"),
        ("localhost:3000", "http://localhost:3000"),
        ("127.0.0.1/x", "http://127.0.0.1/x"),
        ("10.1.2.3:8080", "http://10.1.2.3:8080"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("app.localhost/", "http://app.localhost/"),
        (" example.com ", "https://example.com"),
    ],
)
def test_missing_scheme(url: str, meant: str) -> None:
    """An address without its scheme gets the one that is probably meant."""
    assert full_address(url) == meant


@pytest.mark.parametrize("url", ["what", "not an address", "/path", "http://", "https://a b/"])
def test_no_address(url: str) -> None:
    """What a browser could not open is refused with an example."""
    with pytest.raises(UsageError) as refused:
        full_address(url)
    assert refused.value.code == "BAD_ARGS"
    assert "https://example.com/" in refused.value.hint


@pytest.mark.parametrize("url", ["", "  ", "\n"])
def test_empty_address(url: str) -> None:
    """No address at all is said to be none."""
    with pytest.raises(UsageError, match="the address is empty"):
        full_address(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/", "about:blank", "data:text/html,x", "file:///etc", "x:y"]
)
def test_other_addresses_are_not_judged(url: str) -> None:
    """Whatever has a scheme is left to the policy."""
    assert full_address(url) == url
