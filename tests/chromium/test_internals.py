"""Custom elements that say role, name and states through ElementInternals, where no script of ours
can read them: told as Chrome's own tree tells them, at every reading and after an action.
"""

import json
import re

import pytest

from tests.support.reader import Reader, reader
from tests.support.readings import markup, ref_of, served_by

__all__ = ["reader"]
pytestmark = [  # once: what is in a page does not depend on how its browser is shared
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]


async def read(reader: Reader) -> str:
    return (await reader.tab.snapshots.take(max_bytes=0)).text


def line_of(text: str, name: str) -> str:
    """Role, marks and value of what has this name, without its ref."""
    found = re.search(rf'- (\w+) "{re.escape(name)}"(?: \[ref=\w+\])?(.*)', text)
    assert found, f"{name} is not in:\n{text}"
    return (found[1] + found[2].replace(" [focused]", "")).rstrip(":")


_FIRST = {
    "Terms": "checkbox",
    "Half": "checkbox [checked=mixed]",
    "Dark mode": "switch [checked]",
    "Bold": "button [pressed]",
    "More": "button [collapsed]",
    "Name": "textbox [required] [invalid]",
    "Fixed": "textbox [readonly]",
    "Volume": "slider: 30",
    "First": "tab [selected]",
    "Second": "tab",
    "Red": "option [selected]",
    "Docs": "link",
    "Off by state": "button [disabled]",
    "Off by form": "button [disabled]",
    "Overridden": "link",
    "Ticked by state alone": "checkbox [checked]",
    "By reference": "button",
    "Section": "heading [level=3]",
    "In a closed root": "button",
}
_NEXT = {
    "Terms": "checkbox [checked]",
    "Dark mode": "switch",
    "Bold": "button",
    "More": "button [expanded]",
    "Volume": "slider: 31",
    "Second": "tab [selected]",
    "First": "tab",
}


async def test_told(reader: Reader) -> None:
    """Role, name and states are those that the internals say, from the first reading on."""
    await reader.go("/internals")
    first = await read(reader)
    told = {name: line_of(first, name) for name in _FIRST}
    assert told == _FIRST
    assert await read(reader) == first


async def test_what_changes(reader: Reader) -> None:
    """What a click changes in them is in its answer, and in the next reading."""
    await reader.go("/internals")
    first = await read(reader)
    for name, line in _NEXT.items():
        if name == "First":
            continue  # gave way to the second
        answer = await reader.text("click", ref=ref_of(first, name))
        said = re.search(rf'~ - (\w+) "{name}" \[ref=\w+\](.*)', answer)
        assert said, answer
        assert said[1] + said[2].replace(" [focused]", "") == line
    second = await read(reader)
    assert {name: line_of(second, name) for name in _NEXT} == _NEXT


async def test_key(reader: Reader) -> None:
    """So is what a key changes."""
    await reader.go("/internals")
    ref = ref_of(await read(reader), "Dark mode")
    answer = await reader.text("press", ref=ref, key="Space")
    assert re.search(r'~ - switch "Dark mode" \[ref=\w+\]', answer)
    assert line_of(await read(reader), "Dark mode") == "switch"


async def test_other_tools(reader: Reader) -> None:
    """The tools that look for elements, filter them and fill them in know them as well."""
    await reader.go("/internals")
    assert 'checkbox "Terms"' in await reader.page("find", text="Terms")
    tree = await reader.page("get_filtered_aria_tree", roles=["switch"])
    assert re.fullmatch(r'- switch "Dark mode" \[ref=\w+\] \[checked\]:', tree)
    await reader.tab.evaluate("document.querySelector('x-toggle').click(); 0")
    for selector, key, value in (
        ("x-check", "checked", False),
        ("x-toggle", "aria-pressed", None),
        ("x-dead", "disabled", True),
        ("x-more", "aria-expanded", "false"),
    ):
        state = json.loads(await reader.page("check_element_state", selector=selector))
        assert state[key] == value, selector


async def test_filled_in(reader: Reader) -> None:
    """A box is ticked by what it says, not by what it said: once, and not again."""
    await reader.go("/internals")
    for _ in range(2):
        await reader.text("fill_form", fields={"x-check": True, "x-switch": False})
        assert line_of(await read(reader), "Terms").startswith("checkbox [checked]")
        assert line_of(await read(reader), "Dark mode").startswith("switch")
    await reader.tab.evaluate("document.querySelector('x-check').click(); 0")
    await reader.text("fill_form", fields={"x-check": True})
    assert line_of(await read(reader), "Terms").startswith("checkbox [checked]")


async def test_late(reader: Reader) -> None:
    """One that gets its role when it is defined, or when it looks changed, is told from then on."""
    await reader.go("/internals")
    assert "x-late" not in await read(reader)
    await reader.tab.evaluate("makeLate(); 0")
    assert line_of(await read(reader), "Late") == "button"
    await reader.tab.evaluate("plain().become('button'); 0")
    assert line_of(await read(reader), "Plain") == "button"
    await reader.tab.evaluate("plain().become('link'); 0")
    assert line_of(await read(reader), "Plain") == "link"


async def test_in_frames(reader: Reader) -> None:
    """Frames of this and of another site are told of in the same way."""
    own, other = reader.site.url("/internals"), reader.site.other("/internals")
    frames = "".join(f"<iframe src={url} height=900></iframe>" for url in (own, other))
    await reader.go("/charset")
    with served_by(reader.site):
        await reader.tab.navigate(markup(frames))
    text = await read(reader)
    assert len(re.findall(r'checkbox "Terms" \[ref=f\d+e\d+\]', text)) == 2


async def test_many(reader: Reader) -> None:
    """Of many that are alike all are told; where many say nothing, one that does later is told."""
    await reader.go("/internals")
    await reader.tab.evaluate(
        """document.body.innerHTML = '<x-plain>Mute</x-plain>'.repeat(100)
        + '<x-dead>Told</x-dead>'.repeat(100); 0"""
    )
    assert (await read(reader)).count('button "Told"') == 100
    await reader.tab.evaluate(
        "document.querySelector('x-plain').become('link'); plain().become('link'); 0"
    )
    assert (await read(reader)).count('link "Mute"') == 2
