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
    scripts = "\n".join(map(library.script, (library.FIRST, *library.ORDER)))
    declared = re.findall(
        r"^(?:async )?(?:function\*? |const |let |class )(\w+)", scripts, re.MULTILINE
    )
    twice = {name for name in declared if declared.count(name) > 1}
    assert len(declared) > 100
    assert not twice


def test_letters() -> None:
    """One letter beyond ASCII would double what is sent; what is written is JavaScript's."""
    assert library.lean('const dots = "…";') == 'const dots = "\\u2026";'
    assert library.source().isascii()
    assert "\\U" not in library.source()


def test_lean() -> None:
    """Comments and indentation are left out, and nothing else: no text goes over several lines."""
    assert library.lean("  const a = 1; // one\n\n  // two\n\treturn a;\n") == (
        "const a = 1; // one\nreturn a;"
    )
    for name in (library.FIRST, *library.ORDER):
        for line in library.lean(library.script(name)).splitlines():
            assert line.partition(" // ")[0].count("`") % 2 == 0, (name, line)
