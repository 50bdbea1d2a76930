"""Values that fields make something else of: what is told is what they hold."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


async def test_long_numbers(stage: Stage) -> None:
    """A number as long as that of a card is filled in digit by digit; none is that is not exact."""
    await stage.show("<input id=i><input id=j><input id=k>")
    numbers = {"#i": 4111111111111111, "#j": 2.5, "#k": 1234567890123456789}
    refused = await stage.refuses("fill_form", fields=numbers)
    assert "2 of 3 fields were filled in, and not selector '#k': a number as long" in refused
    assert await stage.value("[i.value, j.value, k.value]") == ["4111111111111111", "2.5", ""]
    refused = await stage.refuses("fill_form", fields={"#k": float("inf")})
    assert "a number as long is not exact" in refused


async def test_number_with_a_limit(stage: Stage) -> None:
    """A limit of characters, which means nothing for a number, keeps no digits from it."""
    await stage.show("<input id=i type=number maxlength=4>")
    assert "It does not hold" not in await stage.does("type", selector="#i", text="123456")
    assert await stage.value("i.value") == "123456"
    await stage.does("fill_form", fields={"#i": 7654321})
    assert await stage.value("i.value") == "7654321"


@in_turn(
    ("kind", "before", "text"),
    [
        ("date", "2020-01-01", "2026-03-01"),
        ("time", "08:00", "13:45"),
        ("color", "#00ff00", "#ff8800"),
        ("range", "10", "0"),
    ],
)
async def test_value_put_back(stage: Stage, kind: str, before: str, text: str) -> None:
    """A value that the page puts back, or that the browser does not keep, is none filled in."""
    await stage.show(
        f"<input id=i type={kind} min=10 value={before}><script>i.oninput = () => {{"
        f" i.value = '{before}' }}</script>"
    )
    refused = await stage.refuses("fill_form", fields={"#i": text})
    assert f'did not take the text and holds "{before}"' in refused
    refused = await stage.refuses("type", selector="#i", text=text)
    assert f'did not take the text and holds "{before}"' in refused


@in_turn(
    ("kind", "text", "holds"),
    [
        ("datetime-local", "2026-01-31 13:45", "2026-01-31T13:45"),
        ("color", "red", "#ff0000"),
        ("email", "ada@exämple.com", "ada@xn--exmple-cua.com"),
        ("range", "20.0", "20"),
    ],
)
async def test_value_as_the_browser_writes_it(
    stage: Stage, kind: str, text: str, holds: str
) -> None:
    """A value that the browser only writes its own way is filled in, and told as it is."""
    await stage.show(f"<input id=i type={kind}>")
    said = await stage.does("fill_form", fields={"#i": text})
    assert said.startswith(f"Filled in 1 of 1 field. selector '#i': it holds \"{holds}\"")


async def test_range_is_not_added_to(stage: Stage) -> None:
    """A place on a scale that the scale does not have is told with the place it has come to."""
    await stage.show("<input id=i type=range min=10 max=100 step=10 value=50>")
    said = await stage.does("type", selector="#i", text="0")
    assert 'It does not hold the text as given: it holds "10".' in said
    assert "It does not hold" not in await stage.does("type", selector="#i", text="20")


@in_turn("wanted", [True, False])
@in_turn("checked", [True, False])
async def test_ticked_in_part(stage: Stage, wanted: bool, checked: bool) -> None:
    """A box that is ticked in part is ticked or not in the end, whatever it held before."""
    held = "true" if checked else "false"
    await stage.show(
        f"<input id=i type=checkbox><script>i.checked = {held}; i.indeterminate = true</script>"
        "<b id=b role=checkbox tabindex=0 aria-checked=mixed"
        " onclick='this.ariaChecked = this.ariaChecked !== `true`'>all</b>"
    )
    await stage.does("fill_form", fields={"#i": wanted, "#b": wanted})
    assert await stage.value("[i.checked, i.indeterminate, b.ariaChecked]") == [
        wanted,
        False,
        str(wanted).lower(),
    ]


@in_turn(
    ("kind", "keys", "held"),
    [
        ("date", "03012026", "2026-03-01"),
        ("time", "0145PM", "13:45"),
        ("month", "March\t2026", "2026-03"),
        ("week", "092026", "2026-W09"),
        ("datetime-local", "03012026\t0145PM", "2026-03-01T13:45"),
    ],
)
@in_turn("way", ["ltr", "rtl"])
async def test_key_by_key_again(stage: Stage, kind: str, keys: str, held: str, way: str) -> None:
    """Keys for a date or a time begin with its first part, also where the caret is in another."""
    await stage.show(f"<input id=i type={kind} dir={way}>")
    for _ in range(3):
        await stage.does("type", selector="#i", text=keys, keyEvents=True)
        assert await stage.value("i.value") == held, keys


async def test_list_that_wants_a_click(stage: Stage) -> None:
    """A list that lies open hears of a press on the option, as by a person; a closed one not."""
    await stage.show(
        "<select id=s size=4 onclick='code.value = this.value; this.hidden = true'><option>a"
        "<option>b</select><select id=d><option>c<option>d</select><input id=code readonly><script>"
        "heard = []; for (const list of [s, d]) for (const kind of ['mousedown', 'input', 'change',"
        " 'mouseup', 'click']) list.addEventListener(kind, (e) => heard.push(kind + e.target.value)"
        ")</script>"
    )
    await stage.does("snapshot")
    assert "[readonly]: b" in await stage.does("select_option", selector="#s", values=["b"])
    heard = ["mousedownb", "inputb", "changeb", "mouseupb", "clickb"]
    assert await stage.value("[code.value, heard]") == ["b", heard]
    await stage.does("fill_form", fields={"#d": "d"})
    assert await stage.value("heard.slice(5)") == ["inputd", "changed"]
