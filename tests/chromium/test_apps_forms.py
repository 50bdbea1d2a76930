"""Forms and lists of frameworks and component libraries: what the application itself knows."""

import pytest

from tests.support.apps import App, ref_of
from tests.support.apps import app as app

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

ODD = " Ada 😀 שלום "


async def test_react_form(app: App) -> None:
    """Every kind of controlled field is named, and its state is what was filled in."""
    seen = await app.open("react")
    filled = {
        'textbox "Name"': ODD,
        'spinbutton "Age"': "42",
        'textbox "Born"': "2026-03-01",
        'slider "Volume"': "70",
        'textbox "About"': "x\ny\n",
        'checkbox "Agreed"': True,
        'radio "blue"': True,
        'combobox "Country"': "Japan",
        'listbox "Tags"': ["a", "c"],
    }
    fields = {ref_of(seen, line): value for line, value in filled.items()}
    said = await app.does("fill_form", fields=fields, submitSelector="form button")
    assert said.startswith("Filled in 9 of 9 fields. Clicked ")
    assert await app.state("state") == {
        "name": ODD,
        "code": "",
        "digits": "",
        "age": "42",
        "born": "2026-03-01",
        "volume": "70",
        "about": "x\ny\n",
        "agreed": True,
        "colour": "blue",
        "country": "jp",
        "tags": ["a", "c"],
        "sent": True,
    }
    assert await app.state("heard") == ["focus", "blur"]


async def test_react_decides(app: App) -> None:
    """A field whose state makes something else of the text, or nothing, is told with that."""
    seen = await app.open("react")
    for field, text, held in (("Code", "abc", "ABC"), ("Digits", "a1b2 ", "12")):
        said = await app.does("type", ref=ref_of(seen, f'textbox "{field}"'), text=text)
        assert f'does not hold the text as given: it holds "{held}"' in said
    locked = ref_of(seen, 'checkbox "Locked"')
    assert "It is still unchecked." in await app.does("click", ref=locked)
    assert "did not keep that" in await app.refuses("fill_form", fields={locked: True})


async def test_react_text(app: App) -> None:
    """Ten thousand characters arrive, one step back brings the old ones, and keys are keys."""
    name = ref_of(await app.open("react"), 'textbox "Name"')
    await app.does("type", ref=name, text=ODD)
    await app.does("type", ref=name, text="x" * 10_000, clear=True)
    assert await app.state("state.name") == "x" * 10_000
    await app.does("press", key="Control+z")
    assert await app.state("state.name") == ODD
    await app.does("press", key="Control+Shift+z")
    assert await app.state("state.name") == "x" * 10_000
    await app.does("type", ref=name, text="é1 ", clear=True, keyEvents=True)
    assert await app.state("state.name") == "é1 "
    assert await app.state("heard") == ["focus", *["keydown"] * 9]  # 2 + 3 + Delete + 3


async def test_react_lists(app: App) -> None:
    """Rows that a letter sorts anew, and rows that are other nodes by now, get their own click."""
    seen = await app.open("react")
    stale = ref_of(seen, 'button "Row one"')
    said = await app.does("type", ref=ref_of(seen, 'searchbox "Search"'), text="an")
    await app.does("click", ref=ref_of(said, 'button "mango"'))
    assert await app.state("state.found") == "mango"
    await app.state("tick()")
    await app.comes("ticks", 1)
    refused = await app.refuses("click", ref=stale)
    assert refused.startswith("REF_EXPIRED: ")
    await app.does("click", ref=ref_of(refused, "Row one"))
    assert await app.state("state.ticked") == "one"


async def test_react_portal(app: App) -> None:
    """A dialog in a portal is told and answered; a button that slides is caught."""
    seen = await app.open("react")
    said = await app.does("click", ref=ref_of(seen, 'button "Delete"'))
    await app.does("click", ref=ref_of(said, 'button "Yes"'))
    assert await app.value("[app.state.confirmed, app.state.bubbled]") == [True, True]
    await app.value("document.querySelector('#sliding').classList.add('go')")
    await app.does("click", ref=ref_of(seen, 'button "Catch"'))
    assert await app.state("state.caught") is True


async def test_vue_form(app: App) -> None:
    """Every kind of v-model has the value; what waits for a change gets it with the next field."""
    seen = await app.open("vue")
    filled = {
        '"Name"': ODD,
        '"Lazy"': "late",
        '"Trimmed"': " t ",
        '"Count"': 42,
        '"About"': "x\ny",
        '"Agreed"': True,
        '"Kind y"': True,
        'radio "blue"': True,
        '"Country"': "Japan",
        '"Tags"': ["a", "c"],
    }
    fields = {ref_of(seen, line): value for line, value in filled.items()}
    await app.does("fill_form", fields=fields)
    state = "JSON.stringify(app.state, ['name', 'lazy', 'trimmed', 'count', 'about'])"
    assert await app.value(f"Object.values(JSON.parse({state}))") == [
        ODD,
        "late",
        "t",
        42,
        "x\ny",
    ]
    rest = "[app.state.agreed, ...app.state.kinds, app.state.colour, app.state.country]"
    assert await app.value(rest) == [True, "y", "blue", "jp"]
    assert await app.value("[...app.state.tags]") == ["a", "c"]


async def test_vue_list(app: App) -> None:
    """A row that a transition is moving elsewhere gets the click, and no other."""
    seen = await app.open("vue")
    await app.does("click", ref=ref_of(seen, 'button "Turn"'))
    await app.does("click", ref=ref_of(seen, 'button "Remove one"'))
    assert await app.value("[...app.state.items]") == ["three", "two"]


async def test_virtual_list(app: App) -> None:
    """Rows come as the box is scrolled; each can be ticked, and stays so out of sight."""
    seen = await app.open("window")
    assert "It is now checked." in await app.does("click", ref=ref_of(seen, '"Row 3"'))
    box = "[role=list]"
    said = await app.does("scroll", selector=box, deltaY=100_000)
    await app.does("click", ref=ref_of(said, '"Row 4009"'))
    assert await app.state("chosen") == [3, 4009]
    await app.does("scroll", selector=box, y=0)
    assert "[checked]" in await app.does("find", text="Row 3", exact=True)


async def test_date_picker(app: App) -> None:
    """A day is picked from the calendar; a field that can be typed into takes the text."""
    seen = await app.open("dates")
    picked = ref_of(seen, 'textbox "Picked"')
    await app.does("click", ref=picked)
    await app.does("click", ref=await app.ref('"March 17, 2026"'))
    assert await app.state("picked()") == "2026-03-17"
    typed = ref_of(seen, 'textbox "Typed"')
    await app.does("type", ref=typed, text="2026-04-05", clear=True, pressEnter=True)
    assert await app.state("typed()") == "2026-04-05"


async def test_components(app: App) -> None:
    """Fields in shadow roots are filled in, by ref or by the component that holds them."""
    seen = await app.open("shoelace")
    filled = {
        'textbox "Name"': ODD,
        'textbox "About"': "x\ny",
        'checkbox "Agreed"': True,
        'switch "Loud"': True,
        'radio "Blue"': True,
        'slider "Volume"': 70,
    }
    fields = {ref_of(seen, line): value for line, value in filled.items()}
    said = await app.does("fill_form", fields=fields)
    assert said.startswith("Filled in 6 of 6 fields.")
    values = {"name": ODD, "about": "x\ny", "agreed": "on", "loud": "on"}
    rest = {"colour": "blue", "country": "", "volume": "70"}
    assert await app.state("values()") == values | rest
    hosts = {"sl-input": "host", "sl-checkbox": False, "sl-radio": True, "sl-range": 10}
    said = await app.does("fill_form", fields=hosts)
    assert said.startswith("Filled in 4 of 4 fields.")
    assert "It is now unchecked." in await app.does("click", selector="sl-switch")
    assert await app.state("values()") == {
        "name": "host",
        "about": "x\ny",
        "colour": "red",
        "country": "",
        "volume": "10",
    }


async def test_components_that_open(app: App) -> None:
    """A list and a dialog that fade in are found once they are there."""
    seen = await app.open("shoelace")
    await app.does("click", ref=ref_of(seen, 'combobox "Country"'))
    await app.does("wait_for", textContains="Japan")
    await app.does("click", ref=await app.ref('option "Japan"'))
    assert await app.value("app.values().country") == "jp"
    await app.does("click", ref=ref_of(seen, 'button "Delete"'))
    await app.does("wait_for", textContains="Yes")
    await app.does("click", ref=await app.ref('button "Yes"'))
    assert await app.state("confirmed") == 1
