"""What an action sets going is awaited by events and told; what it does not, is not waited for."""

import re

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge import cdp
from tests.support.allowances import allowed
from tests.support.browsers import until_true
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]


def button(script: str, more: str = "") -> str:
    """A page with a button that counts its clicks and runs this."""
    return (
        f"<button id=b>x</button><p id=p></p>{more}<script>n = 0; b.onclick = ()"
        f" => {{ n++; {script} }}</script>"
    )


@pytest.mark.parametrize(
    "html",
    [
        "<a id=b href='/form'>x</a>",
        "<form action='/form'><button id=b>x</button></form>",
        "<form action='/echo' method=post><button id=b>x</button></form>",
        button("location.href = '/form'"),
        button("Promise.resolve().then(() => location.assign('/form'))"),
        button("fetch('/slow?ms=100').then(() => { location.href = '/form' })"),
    ],
    ids=["link", "form", "post", "script", "promise", "fetched"],
)
async def test_navigation(stage: Stage, html: str) -> None:
    """A click that leads elsewhere is answered when the page is there and loaded."""
    await stage.show(html)
    said = await stage.does("click", selector="#b")
    assert re.search(r'^Now at http://127\S+/(form\S* "Form"|echo)', said, re.MULTILINE)
    assert await stage.value("document.readyState") == "complete"


async def test_enter_submits(stage: Stage) -> None:
    """Enter in a field submits its form, and the page that comes is told."""
    await stage.show("<form action='/form'><input id=i name=q></form>")
    said = await stage.does("type", selector="#i", text="hi", pressEnter=True)
    assert re.search(r"^Now at \S+/form\?q=hi ", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("script", "now"),
    [
        ("location.hash = 'x'", "#x"),
        ("history.pushState(0, '', '/elsewhere')", "/elsewhere"),
    ],
)
async def test_within_the_document(stage: Stage, script: str, now: str) -> None:
    """An address that changes without a navigation is told, and nothing is waited for."""
    await stage.show(button(script))
    said = await stage.does("click", selector="#b")
    assert re.search(rf"^Now at \S+{now}$", said, re.MULTILINE)


async def test_navigation_to_nothing(stage: Stage) -> None:
    """A link to an answer without a page leaves everything as it was."""
    await stage.show("<a id=b href='/status?code=204'>x</a>")
    assert await stage.does("click", selector="#b") == "Clicked selector '#b'."


async def test_script_address(stage: Stage) -> None:
    """A link that is a script is no navigation."""
    await stage.show("<a id=b href='javascript:void(p.textContent = 1)'>x</a><p id=p></p>")
    await stage.does("click", selector="#b")
    assert await stage.value("p.textContent") == "1"


async def test_requests(stage: Stage) -> None:
    """What the click fetches, and what that fetches in turn, is there when it is answered."""
    await stage.show(
        button(
            "fetch('/slow?ms=150').then(() => fetch('/slow?ms=100'))"
            ".then(() => { p.textContent = 'loaded' })"
        )
    )
    said = await stage.does("click", selector="#b")
    assert re.search(r"^[+~] - .*loaded$", said, re.MULTILINE)
    assert await stage.value("[n, p.textContent]") == [1, "loaded"]


async def test_request_without_an_answer(hurried: Stage) -> None:
    """A request that is never answered is said, after the time for settling."""
    await hurried.show(button("fetch('/never')"))
    assert "Still waiting for 1 request." in await hurried.does("click", selector="#b")
    assert await hurried.value("n") == 1


async def test_requests_of_others(stage: Stage) -> None:
    """Requests that began before the click are not its own."""
    await stage.show(button("p.textContent = 'done'", "<script>fetch('/never')</script>"))
    with trio.move_on_after(2) as soon:
        said = await stage.does("click", selector="#b")
    assert not soon.cancelled_caught
    assert "waiting" not in said


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt"])
async def test_dialog(stage: Stage, kind: str) -> None:
    """A dialog ends the action at once; once it is answered the page goes on."""
    await stage.show(button(f"p.textContent = String({kind}('Really \\'now\\'?'))"))
    said = await stage.does("click", selector="#b")
    assert f"A dialog is open ({kind}: \"Really 'now'?\"). Answer it with handle_dialog." in said
    assert (await stage.refuses("click", selector="#b")).startswith("DIALOG_OPEN: ")
    text = {"promptText": "me"} if kind == "prompt" else {}
    assert "Accepted the dialog" in await stage.does("handle_dialog", action="accept", **text)
    wanted = {"alert": "undefined", "confirm": "true", "prompt": "me"}[kind]
    assert await stage.value("[n, p.textContent]") == [1, wanted]
    assert "no dialog is open" in await stage.refuses("handle_dialog", action="dismiss")


async def test_leaving_is_asked_about(stage: Stage) -> None:
    """A page that asks before it is left says so; the answer decides."""
    await stage.show(
        "<a id=b href='/form'>x</a><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    assert "(beforeunload" in await stage.does("click", selector="#b")
    await stage.does("handle_dialog", action="dismiss")
    assert stage.tab.url.endswith("/stage")
    await stage.does("click", selector="#b")
    assert "/form" in await stage.does("handle_dialog", action="accept")


@pytest.mark.parametrize(
    "html",
    [
        button("window.open('/form')"),
        "<a id=b href='/form' target=_blank>x</a>",
    ],
    ids=["script", "link"],
)
async def test_popup(stage: Stage, html: str) -> None:
    """A new tab is named, and can be used at once."""
    await stage.show(html)
    said = await stage.does("click", selector="#b")
    found = re.search(r"^A tab was opened: (\S+) \S+/form", said, re.MULTILINE)
    assert found is not None, said
    tab = (await stage.door.lifecycle.browser()).tab(found[1])
    assert await tab.evaluate("location.pathname") == "/form"


@pytest.mark.parametrize(
    "how", [{"modifiers": ["Control"]}, {"button": "middle"}, {"modifiers": ["Shift"]}]
)
async def test_modified_click(stage: Stage, how: dict[str, object]) -> None:
    """So is one for which Chrome names no opener; over the extension it may come a little later."""
    await stage.show("<a id=b href='/form'>x</a>")
    said = await stage.does("click", selector="#b", **how)
    found = re.search(r"^(A tab was opened: \S+|It opens a tab .+:) \S+/form$", said, re.MULTILINE)
    assert found is not None, said
    if not found[1].startswith("A tab was opened"):
        assert (await stage.door.lifecycle.browser()).kind == "extension"


async def test_download(stage: Stage) -> None:
    """A download that begins is named."""
    await stage.show("<a id=b href='/download?name=report.pdf'>x</a>")
    assert 'A download began: "report.pdf".' in await stage.does("click", selector="#b")


async def test_link_for_another_program(stage: Stage) -> None:
    """A link for another program is told and left, and one the page uses itself is the page's."""
    await stage.show(
        "<a id=b href='tel:123'>x</a><a id=own href='foo:1'>y</a><p id=p></p>"
        "<script>own.onclick = () => { p.textContent = 'mine'; return false; }</script>"
    )
    said = await stage.does("click", selector="#b")
    assert 'It leads to "tel:123", which is for another program: that was not opened.' in said
    said = await stage.does("click", selector="#own")
    assert "mine" in said
    assert "another program" not in said
    await stage.show(
        "<svg><a xlink:href='TEL:1' id=b><rect width=9 height=9 /></a></svg><p id=h></p><script>"
        "h.attachShadow({mode: 'closed'}).innerHTML = '<a href=tel:2>Call</a>'</script>"
    )
    assert 'It leads to "TEL:1"' in await stage.does("click", selector="#b")
    ref = re.search(r'link "Call" \[ref=(\w+)', await stage.does("snapshot"))
    assert ref
    assert 'It leads to "tel:2"' in await stage.does("click", ref=ref[1])


async def test_question_of_chrome(hurried: Stage) -> None:
    """Where Chrome asks about another program, that is told, and its hint frees the tab."""
    await hurried.show(button("location.href = 'foo:bar'"))
    said = await hurried.does("click", selector="#b")
    assert 'It wanted "foo:bar" opened in another program.' in said

    async def freed() -> bool:
        await hurried.does("navigate", url="about:blank")
        await hurried.does("back")
        return not (await hurried.door.call("click", selector="body")).is_error

    await until_true(freed, "the tab is free")  # Chrome asks when it likes, once


async def test_file_chooser(stage: Stage) -> None:
    """A page that asks for a file is told of; no window of the system opens."""
    await stage.show("<input type=file id=b>")
    assert "use upload_file" in await stage.does("click", selector="#b")


async def test_closing_itself(stage: Stage) -> None:
    """A page that closes its tab is told as that."""
    await stage.show(button("window.open('/stage')"))
    said = await stage.does("click", selector="#b")
    found = re.search(r"^A tab was opened: (\S+)", said, re.MULTILINE)
    assert found is not None
    tab = (await stage.door.lifecycle.browser()).tab(found[1])
    await tab.evaluate("document.body.innerHTML = '<button id=c onclick=window.close()>x</button>'")
    said = await stage.does("click", selector="#c", tabId=found[1])
    assert "The page closed its tab." in said


async def test_endless_handler(hurried: Stage) -> None:
    """A handler that never ends costs its deadline; the tab goes on, and the click came once."""
    await hurried.show(button("if (n === 1) while (true);"))
    refused = await hurried.refuses("click", selector="#b")
    assert refused.startswith("TIMEOUT: ")
    await until_true(lambda: hurried.value("n === 1"), "the page answers")
    await hurried.does("click", selector="#b")
    assert await hurried.value("n") == 2


@pytest.mark.differs("No client can crash a page.")
async def test_crash(stage: Stage) -> None:
    """A tab that crashes under an action says so, and is loaded again for the next one."""
    await stage.show("<button id=b>x</button>")

    async def crash() -> None:
        await wait_all_tasks_blocked(0.2)
        with allowed("PAGE_CRASHED", "TARGET_GONE"):
            await stage.tab.session.execute(cdp.page.crash())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash)
        assert (await stage.refuses("click", selector="#none")).startswith("PAGE_CRASHED: ")
    assert "had crashed" in await stage.does("press", key="Tab")


async def test_nothing_happens(stage: Stage) -> None:
    """A click without any effect says no more than that it was done."""
    await stage.show("<button id=b>x</button>")
    assert await stage.does("click", selector="#b") == "Clicked selector '#b'."


async def test_put_off(stage: Stage) -> None:
    """What a page puts off until right after the click is told as well."""
    await stage.show(button("setTimeout(() => { p.textContent = 'later' })"))
    assert "later" in await stage.does("click", selector="#b")


async def test_shown_by_style(stage: Stage) -> None:
    """What a style shows or hides is told like what is added or removed."""
    await stage.show(
        "<style>.menu { display: none } .open .menu { display: block } .open #old {"
        " display: none }</style>"
        + button(
            "document.body.className = 'open'",
            "<button id=old>Old</button><div class=menu><button>New</button></div>",
        )
    )
    await stage.tab.snapshots.take()
    said = await stage.does("click", selector="#b")
    assert re.search(r'^\+ - button "New" \[ref=e\d+\]$', said, re.MULTILINE)
    assert re.search(r'^- - button "Old" \[ref=e\d+\]$', said, re.MULTILINE)


async def test_many_changes(stage: Stage) -> None:
    """Of many changes about a kilobyte is told, and that there are more."""
    await stage.show(
        button("p.innerHTML = '<button>Some button with a name</button>'.repeat(1000)")
    )
    said = await stage.does("click", selector="#b")
    assert len(said) < 1400
    assert "more lines changed" in said


async def test_two_tabs(stage: Stage) -> None:
    """Actions in two tabs do not wait for each other."""
    await stage.show(button("fetch('/slow?ms=1500').then(() => { p.textContent = 1 })"))
    first = stage.tab.id
    await stage.does("tab_new")
    await stage.show(button("p.textContent = 2"))
    second = stage.tab.id
    order = []

    async def act(tab: str) -> None:
        await stage.does("click", selector="#b", tabId=tab)
        order.append(tab)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act, first)
        nursery.start_soon(act, second)
    assert order == [second, first]


async def test_options_that_did_not_change(stage: Stage) -> None:
    """Of a list only what is chosen now is told; its options are when they are others."""
    await stage.show(
        "<select id=s aria-label=Land><option>Germany<option>Japan</select>"
        "<button id=b onclick=\"s.append(new Option('Peru'))\">More</button>"
    )
    said = await stage.does("select_option", selector="#s", values=["Japan"])
    assert "Japan" in said
    assert "options:" not in said
    assert "Peru" in await stage.does("click", selector="#b")


async def test_all_changes_of_a_form(stage: Stage) -> None:
    """What each field made of its value is told, not of the last one alone."""
    await stage.show(
        "<label>First <input id=a></label><label>Second <input id=b></label>"
        "<button id=s onclick='out.textContent = 1 + 1'>Add</button><p id=out></p>"
    )
    said = await stage.does("fill_form", fields={"#a": "one", "#b": "two"})
    assert 'textbox "First"' in said
    assert 'textbox "Second"' in said
    said = await stage.does("fill_form", fields={"#a": "1", "#b": "2"}, submitSelector="#s")
    assert 'textbox "First"' in said
    assert "text: 2" in said


async def test_form_without_a_needed_field(stage: Stage) -> None:
    """A form that is filled in, and not sent for another field, says which."""
    await stage.show(
        "<form action=/echo><input id=a><label>Name <input required></label>"
        "<button id=s>Go</button></form>"
    )
    said = await stage.does("fill_form", fields={"#a": "one"}, submitSelector="#s")
    assert "The browser did not send the form" in said


async def test_title_after_a_failed_navigation(stage: Stage) -> None:
    """The list of tabs does not show the title of the page before."""
    await stage.does("navigate", url=stage.site.url("/form"))
    assert '"Form"' in await stage.does("tabs_list")
    await stage.refuses("navigate", url="http://127.0.0.1:1/")
    assert '"Form"' not in await stage.does("tabs_list")


async def test_set_again(stage: Stage) -> None:
    """An attribute that is set to what it was is no change; one that is set anew is."""
    await stage.show(
        "<button id=a aria-pressed=false>One</button><button id=b aria-pressed=false>Two</button>"
        "<script>onclick = () => { a.setAttribute('aria-pressed', 'false');"
        " b.setAttribute('aria-pressed', 'true') }</script><p id=p>Here</p>"
    )
    said = await stage.does("click", selector="#p")
    assert '"One"' not in said
    assert '~ - button "Two"' in said


async def test_drawn_anew_in_capitals(stage: Stage) -> None:
    """What is drawn again as it was is not said to be gone, however its letters are painted."""
    await stage.show(
        "<style>button { text-transform: uppercase }</style><div id=box><button>one</button></div>"
        "<button id=go onclick='box.innerHTML += ``'>again</button>"
    )
    assert 'button "ONE"' in await stage.does("snapshot")
    said = await stage.does("click", selector="#go")
    assert '+ - button "ONE"' in said
    assert "\n- - " not in said


async def test_component_fades_in(stage: Stage) -> None:
    """What a page puts into a component is told when a part of the component fades in around it."""
    await stage.show(
        "<x-box><p>Inside</p></x-box>"
        "<button id=b>Open</button><script>customElements.define('x-box', class extends HTMLElement"
        " { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML ="
        " '<style>@keyframes come { from { opacity: 0 } }</style><div hidden><slot></slot></div>';"
        " b.onclick = () => { const part = this.shadowRoot.lastChild; part.hidden = false;"
        " part.style.animation = 'come 0.1s'; b.ariaExpanded = 'true' } } })</script>"
    )
    await stage.tab.bring_to_front()  # tabs behind others are hardly drawn
    said = await stage.does("click", selector="#b")
    assert "~ - button" in said
    assert "+ - text: Inside" in said
