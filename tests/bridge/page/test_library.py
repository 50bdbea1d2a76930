"""Our own JavaScript as one script."""

import re
from importlib.resources import files

from bridge.page import library


def test_every_file_is_in_it() -> None:
    """No file of the folder is forgotten, and none is named that is not there."""
    there = {path.name for path in (files("bridge.page") / "js").iterdir()}
    assert there == {f"{name}.js" for name in (library.FIRST, *library.ORDER, *library.ALONE)}


def test_order() -> None:
    """Files come in the order they are named, inside one closure."""
    source = library.source()
    assert source.startswith("(function library() {")
    assert source.rstrip().endswith("})()")
    assert "function refOf" in source


def test_names_are_unique() -> None:
    """All files share one scope, where a second function of a name would replace the first."""
    declared = re.findall(
        r"^(?:async )?(?:function\*? |const |let |class )(\w+)", library.source(), re.MULTILINE
    )
    twice = {name for name in declared if declared.count(name) > 1}
    assert len(declared) > 100
    assert not twice
