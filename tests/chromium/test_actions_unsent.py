"""Forms that Chrome keeps back because of a field: a click on their button sends nothing."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


@pytest.mark.parametrize(
    ("form", "button", "unsent"),
    [
        ("", "", True),
        ("novalidate", "", False),
        ("", "formnovalidate", False),
        ("", "type=button", False),
        ("", "onclick='event.preventDefault()'", False),
    ],
)
async def test_form_that_is_not_sent(stage: Stage, form: str, button: str, unsent: bool) -> None:
    """Where Chrome keeps a form back for a field, the field is named with what Chrome says."""
    await stage.show(
        f"<form {form} action=/echo><label>Name <input required name=elements></label>"
        f"<button {button}>Go</button></form>"
    )
    said = await stage.does("click", selector="button")
    assert ("The browser did not send the form" in said) is unsent, said
    assert ('textbox \\"Name\\"' in said) is unsent


@pytest.mark.parametrize(
    ("form", "field", "unsent"),
    [
        ("", "required", True),
        ("", "", False),
        ("novalidate", "required", False),
        ("", "required onkeydown='event.preventDefault()'", False),
    ],
)
async def test_form_that_enter_does_not_send(
    stage: Stage, form: str, field: str, unsent: bool
) -> None:
    """Enter behind a text tells of a form that is kept back as a click on its button does."""
    await stage.show(
        f"<form {form} action=/echo><input id=first>"
        f"<label>Name <input {field} name=elements></label><button>Go</button></form>"
    )
    if "keydown" in field:
        await stage.value("first.onkeydown = (event) => event.preventDefault()")
    said = await stage.does("type", selector="#first", text="x", pressEnter=True)
    assert ("The browser did not send the form" in said) is unsent, said
    assert ("Please fill out this field" in said) is unsent
    assert ("/echo" in said) is (not unsent and "keydown" not in field)


@pytest.mark.parametrize("how", [{}, {"keyEvents": True}, {"clear": True}])
async def test_text_that_was_refused(stage: Stage, how: dict[str, bool]) -> None:
    """Where the field takes nothing of the text, Enter does not send what it held."""
    await stage.show(
        "<form action=/echo><input id=i name=q value=old onkeydown='if (event.key !== `Enter`)"
        " event.preventDefault()' onbeforeinput='event.preventDefault()'></form>"
        "<script>entered = 0; i.addEventListener('keydown',"
        " (event) => entered += event.key === 'Enter')</script>"
    )
    refused = await stage.refuses("type", selector="#i", text="new", pressEnter=True, **how)
    assert 'did not take the text and holds "old"; Enter was not pressed' in refused
    assert await stage.value("[entered, location.pathname]") == [0, "/stage"]
    await stage.value("i.onkeydown = i.onbeforeinput = null")
    assert "/echo" in await stage.does("type", selector="#i", text="new", pressEnter=True)


async def test_form_that_a_key_does_not_send(stage: Stage) -> None:
    """A key pressed where it would send a form tells of one that is kept back, and of no other."""
    await stage.show(
        "<form action=/echo><input id=first><label>Name <input required name=elements></label>"
        "<button>Go</button></form><input id=alone onkeydown='first.form.reportValidity()'>"
    )
    kept = 'The browser did not send the form: "textbox \\"Name\\"'
    assert kept in await stage.does("press", key="Enter", selector="#first")
    assert kept in await stage.does("press", key="Enter")  # Chrome has put the focus on the field
    assert kept in await stage.does("press", key="Space", selector="button")
    assert "not send" not in await stage.does("press", key="a", selector="#first")
    assert "not send" not in await stage.does("press", key="Enter", selector="#alone")
    await stage.value("first.form.noValidate = true")
    assert "/echo" in await stage.does("press", key="Enter", selector="#first")


@pytest.mark.parametrize(
    ("asks", "led"),
    [
        ("f.requestSubmit()", True),
        ("f.reportValidity()", True),
        ("field.reportValidity()", True),
        ("fetch('/echo').then(() => f.requestSubmit())", True),
        ("f.checkValidity()", False),
        ("field.value = 'x'; f.reportValidity()", False),
        ("field.oninvalid = (event) => event.preventDefault(); f.reportValidity()", False),
    ],
)
async def test_field_that_a_script_leads_to(stage: Stage, asks: str, led: bool) -> None:
    """Where a script has Chrome complain of a field, that is told, each time."""
    await stage.show(
        "<form action=/leave id=f><label>Name <input required id=field></label></form>"
        f'<div role=button tabindex=0 id=b onclick="{asks}">Go</div>'
    )
    complaint = 'It led to a field that is not filled in as it should be: "textbox \\"Name\\"'
    for _ in range(2):
        said = await stage.does("click", selector="#b")
        assert (complaint in said) is led, said
        assert ("Please fill out this field" in said) is led


async def test_field_that_is_asked_about_at_a_key(stage: Stage) -> None:
    """A page that asks at each key whether a field is filled in has not sent its form by that."""
    await stage.show(
        "<form action=/echo onkeydown='this.checkValidity()'>"
        "<label>Name <input required minlength=4></label><button>Go</button></form>"
    )
    said = await stage.does("press", key="a", selector="input")
    assert "not send" not in said
    assert "not filled in" not in said
    assert "not send" in await stage.does("press", key="Enter", selector="input")


async def test_element_of_the_page_that_is_led_to(stage: Stage) -> None:
    """An element that a page made, and Chrome leads to as to a field, is told without the words."""
    await stage.show(
        "<form id=f><x-f tabindex=0 role=textbox aria-label=Own></x-f></form>"
        "<button id=b onclick='f.reportValidity()'>Go</button><script>"
        "customElements.define('x-f', class extends HTMLElement { static formAssociated = true;"
        " constructor() { super();"
        " this.attachInternals().setValidity({ valueMissing: true }, 'Words') } })</script>"
    )
    said = await stage.does("click", selector="#b")
    assert 'filled in as it should be: "textbox \\"Own\\" ' in said
    assert "it is not valid" in said
