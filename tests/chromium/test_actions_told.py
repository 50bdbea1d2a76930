"""What is told where nothing announces a change, and where Chrome's own controls take a press."""

import base64
import io
import re
import wave

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [pytest.mark.chromium, pytest.mark.inside]


def silence() -> str:
    """A second of it."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as written:
        written.setparams((1, 1, 8000, 0, "NONE", ""))
        written.writeframes(b"\x80" * 8000)
    return f"data:audio/wav;base64,{base64.b64encode(sound.getvalue()).decode()}"


async def test_set_by_a_script(stage: Stage) -> None:
    """What a script sets in fields the reader knows is told, as what a person sets there is."""
    await stage.show(
        "<button id=b onclick=\"t.value = '42'; a.checked = true; s.value = 'two';"
        " k.value = 'hush'\">x</button><input id=t readonly aria-label=Total>"
        "<input id=a type=checkbox aria-label=All>"
        "<select id=s aria-label=Number><option>one<option>two</select>"
        "<input id=k type=password aria-label=Key><input value=same aria-label=Same>"
    )
    await stage.does("snapshot")
    said = await stage.does("click", selector="#b")
    assert re.search(r'^~ - textbox "Total" \[ref=e\d+\] \[readonly\]: 42$', said, re.MULTILINE)
    assert re.search(r'^~ - checkbox "All" \[ref=e\d+\] \[checked\]$', said, re.MULTILINE)
    assert re.search(r'^~ - combobox "Number" \[ref=e\d+\]: two$', said, re.MULTILINE)
    assert '"Key"' in said
    assert "hush" not in said
    assert '"Same"' not in said


async def test_written_again(stage: Stage) -> None:
    """The same words, written again where they were, are no change; other words are one."""
    await stage.show(
        "<button id=b onclick=\"p.textContent = 'Page 1'; q.firstChild.data = 'Of 3';"
        " r.textContent = 'By name'\">x</button>"
        "<p id=p>Page 1</p><p id=q>Of 3</p><p id=r>By date</p>"
    )
    said = await stage.does("click", selector="#b")
    assert "~ - text: By name" in said
    assert "Page 1" not in said
    assert "Of 3" not in said


async def test_prompt_with_an_answer_filled_in(stage: Stage) -> None:
    """What a prompt suggests is told, and is the answer where no other is given."""
    await stage.show(
        "<button id=b onclick=\"p.textContent = prompt('Name?', 'Ann')\">x</button><p id=p>"
    )
    said = await stage.does("click", selector="#b")
    assert 'A dialog is open (prompt: "Name?", filled in: "Ann").' in said
    await stage.does("handle_dialog", action="accept")
    assert await stage.value("p.textContent") == "Ann"
    await stage.does("click", selector="#b")
    await stage.does("handle_dialog", action="accept", promptText="")
    assert await stage.value("p.textContent") == ""


async def test_behind_a_modal_dialog(stage: Stage) -> None:
    """What a modal dialog keeps from being pressed is said to be behind it."""
    await stage.show("<button id=b>x</button><dialog id=d><button>OK</button></dialog>")
    await stage.value("d.showModal()")
    refused = await stage.refuses("click", selector="#b")
    assert "selector '#b': it is behind the modal \"dialog#d (dialog" in refused, refused


@pytest.mark.parametrize("tag", ["audio", "video"])
async def test_controls_of_chrome(stage: Stage, tag: str) -> None:
    """A press that Chrome's controls of a medium keep for themselves is no press gone astray."""
    await stage.show(f"<{tag} id=m controls src='{silence()}'></{tag}>")
    for _ in range(2):
        assert (await stage.does("click", selector="#m")).startswith("Clicked selector '#m'.")


async def test_playing(stage: Stage) -> None:
    """Whether a medium plays is told, after what makes it play and in a snapshot."""
    await stage.show(f"<audio id=m controls loop src='{silence()}'></audio>")
    assert "playing" not in await stage.does("snapshot")
    said = await stage.does("press", selector="#m", key="Space")
    assert re.search(r"^~ - audio \[ref=e\d+\] \[playing\] \[focused\]$", said, re.MULTILINE), said
    assert "[playing]" in await stage.does("snapshot")
    said = await stage.does("press", key="Space")
    assert re.search(r"^~ - audio \[ref=e\d+\] \[focused\]$", said, re.MULTILINE), said


_SWITCH = (
    "<style>#i { POSITION; width: WIDTH; height: WIDTH; margin: 0 }</style>"
    "<label for=i>Notify</label><div id=d><input id=i type=checkbox role=switch"
    " aria-checked=false></div><script>d.onclick = (event) => { event.preventDefault();"
    " i.ariaChecked = String(i.ariaChecked !== 'true') }</script>"
)


async def test_painted_switch(stage: Stage) -> None:
    """Of a box nobody sees counts what the page says, which keeps the clicks on it to itself."""
    painted = _SWITCH.replace("POSITION", "position: absolute; opacity: 0").replace("WIDTH", "0")
    await stage.show(painted)
    assert 'switch "Notify" [ref=' in await stage.does("snapshot")
    assert "It is now checked." in await stage.does("click", selector="label")
    assert re.search(r"switch \"Notify\" \[ref=\w+\] \[checked\]", await stage.does("snapshot"))
    assert await stage.does("fill_form", fields={"label": False}) == "Filled in 1 of 1 field."
    assert "It is now checked." in await stage.does("click", selector="label")


async def test_box_that_keeps_its_state(stage: Stage) -> None:
    """Of a box that Chrome paints counts what Chrome shows, whatever the page says of it."""
    await stage.show(_SWITCH.replace("POSITION", "opacity: 1").replace("WIDTH", "20px"))
    assert "It is still unchecked." in await stage.does("click", selector="#i")
    assert await stage.value("i.ariaChecked") == "true"
    assert "[checked]" not in await stage.does("snapshot")


_RICH = """<style>select, ::picker(select) { appearance: base-select }</style>
<select id=s aria-label=Pet><button><selectedcontent></selectedcontent></button>
<option><b>Cat</b> small<option><b>Dog</b> large</select>"""


async def test_list_of_choices(stage: Stage) -> None:
    """A list that a click opens is told to be open; what is chosen is told once, in its line."""
    await stage.show("<select id=s aria-label=Pet><option>Cat<option>Dog</select>")
    await stage.tab.bring_to_front()  # of a tab behind others no list opens
    await stage.does("snapshot")
    said = await stage.does("click", selector="#s")
    assert re.search(r'^~ - combobox "Pet" \[ref=e\d+\] \[expanded\].*: Cat$', said, re.MULTILINE)
    await stage.does("press", key="Escape")
    await stage.show(_RICH)
    await stage.does("snapshot")
    said = await stage.does("click", selector="#s")
    assert re.search(r'^~ - combobox "Pet" .*\[expanded\].*: Cat small$', said, re.MULTILINE)
    said = await stage.does("click", selector="option:last-child")
    [told] = re.findall(r"^[-+~] .*", said, re.MULTILINE)
    assert re.search(r'^~ - combobox "Pet" .*: Dog large$', told)
    assert "expanded" not in told


_MASKED = (
    "<style>.dots { -webkit-text-security: disc }</style><button id=b>x</button>"
    "<main><p class=dots>hunter2<p>words<div class=dots contenteditable>hunter2</div>"
    "<button class=dots>hunter2</button><textarea autocomplete=one-time-code>hunter2</textarea>"
    "<p style='-webkit-text-security: disc'>hunter2 <b>hunter2</b></main>"
)


@in_turn("going", ["remove()", "replaceChildren()", "hidden = true"])
async def test_masked_letters_that_go(stage: Stage, going: str) -> None:
    """What was painted as dots is told as dots when it has gone, or is hidden."""
    script = f"<script>b.onclick = () => document.querySelector('main').{going}</script>"
    await stage.show(_MASKED + script)
    await stage.does("snapshot")
    said = await stage.does("click", selector="#b")
    assert "- - textbox" in said
    assert "••••" in said
    assert "hunter2" not in said


@in_turn(
    "wrong",
    [
        "i.insertAdjacentHTML('afterend', '<label class=error for=i>is wrong</label>')",
        "i.insertAdjacentHTML('afterend', '<p><label for=i>is <b>wrong</b></label></p>')",
        "l.append(' is wrong')",
        "late.hidden = false",
    ],
)
async def test_words_of_a_label(stage: Stage, wrong: str) -> None:
    """What a label says anew, as that a field is filled in wrongly, is told as its field's name."""
    await stage.show(
        "<label id=l for=i>Email</label><input id=i><label id=late for=i hidden>is wrong</label>"
        f'<button id=b onclick="{wrong}">Go</button>'
    )
    if wrong.startswith("late"):
        await stage.value("l.remove()")
    said = await stage.does("click", selector="#b")
    assert re.search(r'^~ - textbox "(Email )?.*is wrong"', said, re.MULTILINE)
