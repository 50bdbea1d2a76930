"""What is wrong with an argument, in words of ours."""

from typing import Any

import pytest

from bridge.errors import UsageError
from bridge.tools import catalogue as catalogue
from bridge.tools.complaints import complaint
from bridge.tools.registry import TOOLS

SCHEMA: dict[str, Any] = {"properties": {}}


@pytest.mark.parametrize(
    ("tool", "given", "sentence"),
    [
        ("click", {"x": "abc"}, 'x: a number is expected, and "abc" came'),
        ("click", {"clickCount": 7}, "clickCount: one of 1, 2, 3 is expected, and 7 came"),
        ("click", {"modifiers": "Alt"}, 'modifiers: a list is expected, and "Alt" came'),
        (
            "fill_form",
            {"fields": {"a": {"b": 1}}},
            "fields: true or false, a number, a text or a list is expected, "
            'and {"a": {"b": 1}} came',
        ),
        ("screenshot", {"quality": 300}, "quality: a whole number of at most 100 is expected"),
        ("fill_form", {}, "fields is missing"),
    ],
)
def test_sentence(tool: str, given: dict[str, Any], sentence: str) -> None:
    """The argument is named as it was written, with what is expected, and what came."""
    with pytest.raises(UsageError) as refused:
        TOOLS[tool].arguments.read(given)
    assert refused.value.message.startswith(sentence)


def test_every_argument_of_every_tool() -> None:
    """Whatever is given to whatever argument, no words of the checker are in the answer."""
    refused: list[str] = []
    for tool in TOOLS.values():
        for name in tool.arguments.fields:
            for value in (-1.5, {"a": ["b"]}, [1.5], "x" * 200_000):
                try:
                    tool.arguments.read({name: value})
                except UsageError as error:
                    refused.append(error.message)
    assert len(refused) > 400
    for said in refused:
        assert not {"`", "$", "Expected", "got"} & {*said, *said.split()}, said
        assert len(said) < 400


def test_nested() -> None:
    """What is nested hundreds deep is refused like anything else that is no number."""
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(UsageError, match="x: a number is expected, and "):
        TOOLS["click"].arguments.read({"x": deep})


def test_what_it_does_not_know() -> None:
    """A sentence of another form is quoted, and values that are not there are not looked for."""
    assert complaint("Something new", {}, SCHEMA) == '"Something new"'
    said = complaint("Odd - at `$.a[3]`", {"a": []}, SCHEMA)
    assert said == "a[3]: something else is expected, and that is not what came"
