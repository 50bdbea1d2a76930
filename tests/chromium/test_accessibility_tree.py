"""Our readings compared with Chrome's own accessibility tree: the same controls, by the same names.

Where they part on purpose, the difference is written down here with its reason.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from fixtures.fragments import FRAGMENTS, page
from fixtures.site import Site
from tests.support.readings import document, served_by
from tests.support.rows import in_turn

pytestmark = [  # once: what is in a page does not depend on how its browser is shared
    pytest.mark.chromium,
    pytest.mark.empty,  # Chrome draws fewer controls on a film in a tab behind
    pytest.mark.shared,
]

_ROLES = {
    "button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox",
    "menuitemradio", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab",
    "textbox", "treeitem",
}  # fmt: skip
_CHROMES_OWN = {
    "DisclosureTriangle": "button",  # a summary: ARIA has no role for it, people see a button
    "Date": "textbox",  # fields of Chrome's own, filled in like text; ours say `[date]`
    "InputTime": "textbox",
    "ColorWell": "button",
}
_FILM = "media"
Control = tuple[str, str]

ONLY_OURS: dict[str, list[Control]] = {
    # A name made of nothing but a tip inside: Chrome has no name for it, we have a bad one.
    "content of names": [("button", "Tip of a span")],
    # Chrome wants an option to be in a listbox; a person sees the same thing either way.
    "overridden": [("option", "Option")],
    # Inert behind a modal dialog, but to be seen: told, and marked as covered.
    "modal": [("button", "Behind")],
    # No role, but a person would click there; Chrome calls an editable box generic.
    "clickable boxes": [
        ("generic", "Focusable"),
        ("generic", "Has a handler"),
        ("generic", "A hand inside"),
        ("textbox", ""),
    ],
    "cards": [("generic", "")],
    # Chrome's names are for ears, with a voice for what is raised or struck out; ours are read.
    "raised and struck out": [("button", "$5^99 ~~$7~~"), ("link", "H_2O")],
    # One thing to us; Chrome tells of the parts it is drawn with. And it leaves out the areas of an
    # image (Chrome 156), though a person clicks them, and the Tab key leads to them.
    "media": [("video", "Film"), ("link", "Region")],
}
ONLY_CHROMES: dict[str, list[Control]] = {
    "content of names": [("button", "")],
    # The choices of a closed list are one line of ours, without refs: they cannot be clicked.
    "fields with labels": [("option", "x")],
    "selects": [("option", word) for word in ("Red", "Green", "a", "b")],
    "fields in names": [("option", "hours"), ("option", "minutes")],
    "embedded values": [("option", "week")],
    # The parts Chrome draws a field with.
    "dates and files": [
        *(("spinbutton", f"{word} {word}") for word in ("Month", "Day", "Year")),
        ("button", "Show date picker Show date picker"),
        *(("spinbutton", f"{word} {word}") for word in ("Hours", "Minutes", "AM/PM")),
        ("button", "Show time picker Show time picker"),
    ],
    "raised and struck out": [("button", "$599 $7"), ("link", "H2O")],
    "media": [
        *(("button", word) for word in ("play", "mute", "enter full screen")),
        ("button", "show more media controls"),
        ("slider", "video time scrubber"),
    ],
}


@pytest.fixture
async def tab(browser: Browser) -> Tab:
    """The only one there is."""
    return await browser.new_tab()


@in_turn("name", [name for name in FRAGMENTS if name != _FILM])
async def test_same_controls(tab: Tab, site: Site, name: str) -> None:
    """Every control has the role and the name that Chrome gives it, in the same order."""
    with served_by(site):
        await tab.navigate(document(page(name)))
    await compare(tab, name)


async def test_same_controls_on_a_film(browser: Browser) -> None:
    """So have those of a film, all of which Chrome draws in a tab that has shown nothing else."""
    await compare(await browser.new_tab("data:text/html," + quote(page(_FILM))), _FILM)


async def compare(tab: Tab, name: str) -> None:
    """Fail unless Chrome and we tell the same of this page but for what is written down above."""
    if name == "modal":
        await tab.evaluate("document.querySelector('dialog').showModal()")
    ours = list(_ours((await tab.snapshots.take(max_bytes=0)).text))
    chromes = await _chromes(tab)
    only_ours, only_chromes = ONLY_OURS.get(name, []), ONLY_CHROMES.get(name, [])
    assert [each for each in ours if each in only_ours] == only_ours
    assert [each for each in chromes if each in only_chromes] == only_chromes
    assert _without(ours, only_ours) == _without(chromes, only_chromes)


def _without(controls: list[Control], few: list[Control]) -> list[Control]:
    return [each for each in controls if each not in few]


def _ours(text: str) -> Iterator[Control]:
    for line in text.splitlines():
        found = re.match(r' *- (\w+)(?: "((?:[^"\\]|\\.)*)")? \[ref=', line)
        if found:
            yield found[1], re.sub(r"\\(.)", r"\1", found[2] or "")


async def _chromes(tab: Tab) -> list[Control]:
    tree = await tab.session.execute(cdp.accessibility.get_full_ax_tree())
    nodes = {node.node_id: node for node in tree.nodes}
    return list(_controls(tree.nodes[0], nodes))


def _controls(
    node: cdp.accessibility.AXNode,
    nodes: dict[cdp.accessibility.AXNodeId, cdp.accessibility.AXNode],
) -> Iterator[Control]:
    role = str(node.role.value) if node.role is not None else ""
    role = _CHROMES_OWN.get(role, role)
    if not node.ignored and role in _ROLES:
        name = str(node.name.value) if node.name is not None else ""
        yield role, name.strip()  # Chrome leaves spaces where hidden words were
    for child in node.child_ids or []:
        if child in nodes:
            yield from _controls(nodes[child], nodes)
