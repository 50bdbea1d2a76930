"""States that the rules of accessibility give a control, however a page says them."""

import pytest

from bridge.browser.browser import Browser
from tests.support.readings import read

pytestmark = [  # once: what is in a page does not depend on how its browser is shared
    pytest.mark.chromium,
    pytest.mark.shared,
]

_SAID = {  # markup: what is told behind its name
    "<button aria-disabled=True>B</button>": "[disabled]",
    "<button aria-disabled=False>B</button>": "",
    "<button aria-expanded=True>B</button>": "[expanded]",
    "<button aria-expanded=False>B</button>": "[collapsed]",
    "<button aria-pressed=Mixed>B</button>": "[pressed=mixed]",
    "<i role=checkbox tabindex=0 aria-checked=True>B</i>": "[checked]",
    "<i role=checkbox tabindex=0 aria-checked=Mixed>B</i>": "[checked=mixed]",
    "<i role=option tabindex=0 aria-selected=True>B</i>": "[selected]",
    "<input aria-required=True aria-label=B>": "[required]",
    "<input aria-invalid=True aria-label=B>": "[invalid]",
    "<input aria-invalid=1 aria-label=B>": "[invalid]",
    "<input aria-invalid=False aria-label=B>": "",
    "<input aria-invalid aria-label=B>": "",
    "<a href=# aria-current=Page>B</a>": "[current]",
    "<a href=# aria-current=False>B</a>": "",
}


async def test_words_of_states(browser: Browser) -> None:
    """A state is told whatever letters it is written in, and what is not valid is not."""
    lines = (await read(browser, "<br>".join(_SAID))).splitlines()
    assert [line.partition("]")[2].strip() for line in lines] == list(_SAID.values())


async def test_disabled_as_a_whole(browser: Browser) -> None:
    """What can have the focus in something that is disabled is so too, unless it says otherwise."""
    body = (
        "<div role=toolbar aria-label=Tools aria-disabled=true><button>Cut</button>"
        "<a href=#>Help</a>"
        "<i role=button tabindex=-1>Copy</i><button aria-disabled=false>Undo</button>"
        "<i onclick=f()>More</i></div><button>Beside</button>"
        "<div aria-disabled=true><x-tools><template shadowrootmode=open><button>Paste</button>"
        "</template></x-tools></div><x-tools><template shadowrootmode=open>"
        "<div aria-disabled=true><button>Find</button></div></template></x-tools>"
    )
    lines = (await read(browser, body)).splitlines()[1:]
    assert [line.split('"')[1] for line in lines if "[disabled]" in line] == [
        *("Cut", "Help", "Copy"),
        *("Paste", "Find"),
    ]
    assert len(lines) == 8


async def test_what_a_button_shows(browser: Browser) -> None:
    """A button whose markup says what it shows is told as expanded while that is to be seen."""
    body = (
        "<button popovertarget=a>A</button><input type=button popovertarget=b value=B>"
        "<button commandfor=a command=toggle-popover>C</button>"
        "<button popovertarget=none>D</button>"
        "<button commandfor=d command=show-modal>E</button><button popovertarget=d>F</button>"
        "<div id=a popover=manual></div><div id=b popover=manual></div><dialog id=d></dialog>"
        "<script>document.getElementById('b').showPopover()</script>"
    )
    lines = (await read(browser, body)).splitlines()
    assert [line.partition("]")[2].strip() for line in lines] == [
        "[collapsed]", "[expanded]", "[collapsed]", "", "", "",
    ]  # fmt: skip


async def test_depths_in_a_tree(browser: Browser) -> None:
    """Items of a tree that stand one below the other say how deep they are, nested ones do not."""
    body = (
        "<div role=tree><p role=treeitem aria-level=1 aria-expanded=true>src</p>"
        "<p role=treeitem aria-level=2>main.py</p><p role=treeitem aria-level=1>docs</p></div>"
        "<div role=tree><div role=treeitem aria-level=1 aria-expanded=true>lib<div role=group>"
        "<p role=treeitem aria-level=2>a.py</p></div></div></div><div role=treegrid>"
        "<div role=row aria-level=1 aria-expanded=true><i role=gridcell>One</i></div>"
        "<div role=row aria-level=2><i role=gridcell>Two</i></div></div>"
    )
    assert (await read(browser, body)).splitlines() == [
        "- tree:",
        '  - treeitem "src" [ref=e1] [expanded]',
        '  - treeitem "main.py" [ref=e2] [level=2]',
        '  - treeitem "docs" [ref=e3]',
        "- tree:",
        '  - treeitem "lib" [ref=e4] [expanded]:',
        '    - treeitem "a.py" [ref=e5]',
        "- treegrid:",
        "  - row [expanded]:",
        "    - gridcell: One",
        "  - row [level=2]:",
        "    - gridcell: Two",
    ]
