"""Settings with comments: what JSON they hold, and one member put among them."""

import json

import pytest

from bridge.app.commented import bare, put


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} // end', {"a": 1}),
        ('/* one\n * two */ {"a": "/* no */ // no", }', {"a": "/* no */ // no"}),
        ('{"a": [1, 2, // two\n], "b": ",}"}', {"a": [1, 2], "b": ",}"}),
        ('{"a": "\\" // \\\\", // yes\n}', {"a": '" // \\'}),
    ],
)
def test_bare(text: str, value: object) -> None:
    """Comments and last commas are none of the value, what is in a text is; nothing moves."""
    assert json.loads(bare(text)) == value
    assert len(bare(text)) == len(text)
    assert bare(text).count("\n") == text.count("\n")


def test_bare_json_stays() -> None:
    """JSON is its own."""
    text = json.dumps({"a": [{"b": "// é"}, []], "c,]": "\\"}, indent=1)
    assert bare(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{} // e", '{\n  "s": {\n    "x": 1\n  }\n} // e'),
        ('{"s": {}} // e', '{"s": {\n    "x": 1\n  }} // e'),
        ('{"s": {"x": [2] /* two */}}', '{"s": {"x": 1 /* two */}}'),
        ('{ // e\n\t"y": 2,\n}', '{\n\t"s": {\n\t\t"x": 1\n\t}, // e\n\t"y": 2,\n}'),
        ('{"y": 2} // e', '{\n  "s": {\n    "x": 1\n  },\n  "y": 2} // e'),
        (
            '{"s": {\n    "a": 1,\n    // e\n}}',
            '{"s": {\n        "x": 1,\n    "a": 1,\n    // e\n}}',
        ),
    ],
)
def test_put(text: str, after: str) -> None:
    """A member is put in or replaced; what else is there keeps its characters."""
    assert put(text, ("s", "x"), 1) == after
    assert json.loads(bare(after))["s"]["x"] == 1


@pytest.mark.parametrize("text", ["", "// nothing", '{"s": 1} // e'])
def test_put_nowhere(text: str) -> None:
    """Where there is no object, nothing can be put."""
    with pytest.raises(ValueError, match="object"):
        put(text, ("s", "x"), 1)
