"""Fields of a form by the words that stand beside them."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_FORM = (
    "<form><label>First name * <input id=n></label><label for=m>E-mail:</label><input id=m>"
    "<input id=t placeholder='Phone (optional)'><label><input type=checkbox id=k> I agree</label>"
    "<label>Country <select id=s><option>Austria<option>Cuba</select></label>"
    "<address>Here</address><label>Address <input id=a></label><label>Input <input id=i></label>"
    "<label>Note <input id=o></label>"
    "<label>Note <input id=p></label><label hidden>Hidden <input id=h></label></form>"
)


async def test_by_label(stage: Stage) -> None:
    """Whatever names a field means it, as it is read, without the signs behind it; so do refs."""
    await stage.show(_FORM)
    fields = {
        "First name": "Ada",
        "e-mail": "a@b.c",
        "Phone (optional)": "1",
        "I agree": True,
        "Country": "Cuba",
        "Address": "Street",
        "Input": "tag",
        "#o": "by selector",
    }
    said = await stage.does("fill_form", fields=fields)
    assert said.startswith("Filled in 8 of 8 fields.")
    held = await stage.value("[n, m, t, s, a, i, o].map((each) => each.value).join()")
    assert held == "Ada,a@b.c,1,Cuba,Street,tag,by selector"
    assert await stage.value("k.checked")


@in_turn("name", ["Note", "Last name?", "Hidden", "First"])
async def test_by_no_label_of_one(hurried: Stage, name: str) -> None:
    """A name of several fields, or of none a person sees, fills in nothing and says why."""
    await hurried.show(_FORM)
    said = await hurried.refuses("fill_form", fields={"First name": "Ada", name: "x"})
    if name == "Note":
        assert said.startswith(
            'BAD_ARGS: 2 fields are called "Note", as below\nName it by its ref.'
        )
        assert said.count('textbox "Note" [ref=') == 2
    else:
        assert said.startswith("SELECTOR_NOT_FOUND: ")
    if name == "Last name?":
        assert 'no field is called "Last name?", and it is no CSS selector' in said
        assert 'textbox "First name *" [ref=' in said
    assert await hurried.value("n.value") == ""


async def test_that_comes_late(stage: Stage) -> None:
    """A label is waited for, also where its words would do for a selector."""
    await stage.show(
        "<p id=p></p><iframe srcdoc='<input id=f>'></iframe><script>setTimeout(() => { p.innerHTML"
        " = '<label>Late field <input id=l></label>' }, 300)</script>"
    )
    fields = {"#f": "in there", "Late field": "one"}
    assert "Filled in 2 of 2" in await stage.does("fill_form", fields=fields)
    assert await stage.value("l.value") == "one"


async def test_in_a_frame(hurried: Stage) -> None:
    """What the page itself has no field of that name for is looked for in its frames."""
    inner = "<label>Mail <input></label><label><input type=checkbox> I agree?</label>"
    twice = "<input aria-label=Twin><input aria-label=Twin><input aria-label=Name>"
    await hurried.show(
        f"<label>Name <input id=n></label><iframe srcdoc='{inner}'></iframe>"
        f"<iframe srcdoc='{twice}'></iframe>"
    )
    fields = {"Name": "Ada", "Mail": "a@b.c", "I agree?": True}
    said = await hurried.does("fill_form", fields=fields)
    assert said.startswith("Filled in 3 of 3 fields.")
    held = "[...frames[0].document.querySelectorAll('input')].map((each) => each.checked || "
    assert await hurried.value(f"[n.value, ...{held}each.value)]") == ["Ada", "a@b.c", True]
    said = await hurried.refuses("fill_form", fields={"Twin": "x"})
    assert 'BAD_ARGS: 2 fields are called "Twin"' in said
    assert said.count('textbox "Twin" [ref=f2e') == 2
    said = await hurried.refuses("fill_form", fields={"Nobody?": "x"})
    assert 'no field is called "Nobody?"' in said
    said = await hurried.refuses("fill_form", fields={"Nobody": "x"})
    assert 'no field is called "Nobody", and nothing matches it as a CSS selector' in said
    assert 'textbox "Name" [ref=' in said


_SIZES = (
    "<form><fieldset><legend>Size *</legend><label><input type=radio name=s value=m>Medium</label>"
    "<label><input type=radio name=s value=l checked>Large</label></fieldset>"
    "<div role=radiogroup aria-label=Speed><span role=radio aria-checked=false tabindex=0 onclick="
    "'this.setAttribute(`aria-checked`, true)'>Fast</span><span role=radio>Slow</span></div>"
    "<fieldset><legend>Name</legend><label>Name <input name=n></label></fieldset>"
    "<fieldset><legend>Twice</legend><label><input type=radio name=a>Same</label>"
    "<label><input type=radio name=b>Same</label></fieldset></form>"
)


async def test_group_of_radio_buttons(stage: Stage) -> None:
    """A group is called by its legend, and takes the name or the value of one of its buttons."""
    await stage.show(_SIZES)
    fields = {"Size": "Medium", "Speed": "fast", "Name": "Ada"}
    assert (await stage.does("fill_form", fields=fields)).startswith("Filled in 3 of 3 fields.")
    assert await stage.value("document.querySelector(':checked').value") == "m"
    assert await stage.value("document.querySelector('[aria-checked=true]').textContent") == "Fast"
    assert await stage.value("document.querySelector('[name=n]').value") == "Ada"
    assert "1 of 1" in await stage.does("fill_form", fields={"fieldset": "l"})
    assert await stage.value("document.querySelector(':checked').value") == "l"
    for wrong, why in {
        "Huge": 'not one of its radio buttons is "Huge"',
        True: "it is a group of radio buttons: give the name of one",
    }.items():
        refused = await stage.refuses("fill_form", fields={"Size": wrong})
        assert why in refused
    assert "not one of" in await stage.refuses("fill_form", fields={"Twice": "Same"})
