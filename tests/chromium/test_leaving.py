"""Pages that open dialogs and are left nevertheless: told once, gone the next time."""

from urllib.parse import quote

import pytest

from tests.support.browsers import until
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

KEPT = "<script>const open = alert, kept = () => open('again'); "
INTERVAL = "<script>setInterval(() => alert('again'), 5)</script>"
ENDLESS = {
    "interval": INTERVAL,
    "loop": "<script>setTimeout(() => { for (;;) alert('again') }, 50)</script>",
    "promises": "<script>const go = () => { alert('again'); Promise.resolve().then(go) };"
    "setTimeout(go, 50)</script>",
    "messages": "<script>const { port1, port2 } = new MessageChannel();"
    "port1.onmessage = () => { alert('again'); port2.postMessage(1) };"
    "port2.postMessage(1)</script>",
    "kept function": f"{KEPT} setInterval(kept, 5)</script>",
    "frame": f"<iframe src='/markup?html={quote(INTERVAL)}'></iframe>",
    "frame of no origin": f"<iframe src='data:text/html,{quote(INTERVAL)}'></iframe>",
}


async def show(stage: Stage, html: str) -> None:
    """Go to a page that opens a dialog, and wait for that."""
    await stage.door.call("navigate", url=stage.site.url(f"/markup?html={quote(html)}"))
    await until(lambda: stage.tab.dialogs.current is not None, "the dialog is open")


@pytest.mark.differs(
    "A page that opens dialogs in an endless loop may never be left; its tab has to be closed."
)
@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("where", ["same site", "elsewhere"])
async def test_endless(stage: Stage, kind: str, where: str) -> None:
    """A page that opens dialogs without end is left by the second navigate at the latest."""
    await show(stage, ENDLESS[kind])
    goal = stage.site.url("/form") if where == "same site" else stage.site.other("/form")
    said = await stage.door.call("navigate", url=goal)
    for _ in range(4):  # twice at most, unless the machine is too busy to dismiss 400 in time
        if not said.is_error:
            break
        assert "DIALOG_OPEN: " in said.text, said.text
        assert "or navigate: that dismisses whatever dialogs" in said.text
        said = await stage.door.call("navigate", url=goal)
    assert said.text.endswith(f'{goal} "Form"'), said.text
    assert "dismissed" in said.text
    assert 'said "again"' in said.text
    assert stage.tab.dialogs.current is None
    await stage.does("type", selector="#name", text="still there")


async def test_unseen(stage: Stage) -> None:
    """A dialog nobody was told of is not dismissed by going elsewhere; known, it is."""
    await stage.show("<script>setTimeout(() => done = confirm('Really?'), 50)</script>Here")
    await until(lambda: stage.tab.dialogs.current is not None, "the dialog is open")
    said = await stage.refuses("reload")
    assert said.startswith("DIALOG_OPEN: ")
    assert 'The dialog says: "Really?"' in said
    said = await stage.does("back")
    assert said.startswith('Note: 1 dialog of the page was dismissed; it said "Really?".')


async def test_script_goes_on(stage: Stage) -> None:
    """What a page does after its dialog, it does before it is left."""
    html = "<script>setTimeout(() => { alert(1); sessionStorage.kept = 'yes' }, 50)</script>"
    await stage.show("<script>sessionStorage.kept = 'no'</script>")
    await stage.write(html)
    await until(lambda: stage.tab.dialogs.current is not None, "the dialog is open")
    await stage.refuses("navigate", url=stage.site.url("/form"))
    await stage.does("navigate", url=stage.site.url("/form"))
    assert await stage.value("sessionStorage.kept") == "yes"


async def test_asked_whether_to_stay(stage: Stage) -> None:
    """Going elsewhere, however often, never answers the page's question whether to stay."""
    await stage.does("navigate", url=stage.site.url("/dialogs?guard"))
    await stage.value("1")  # counts as a touch
    for _ in range(3):
        said = await stage.refuses("navigate", url=stage.site.url("/form"))
        assert said.startswith("DIALOG_OPEN: ")
        assert "handle_dialog: action accept leaves the page, dismiss stays there." in said
    await stage.does("handle_dialog", action="dismiss")
    assert await stage.value("document.title") == "Dialogs"
    await stage.refuses("navigate", url=stage.site.url("/form"))
    await stage.does("handle_dialog", action="accept")
    assert await stage.value("document.title") == "Form"


@pytest.mark.differs(
    "A page that opens dialogs in an endless loop may never be left; its tab has to be closed."
)
async def test_endless_and_asking(stage: Stage) -> None:
    """Behind dialogs without end, the page may still ask whether to stay."""
    await stage.show("<script>onbeforeunload = (event) => event.preventDefault()</script>")
    await stage.value("setTimeout(() => { for (;;) alert('again') }) > 0")  # counts as a touch
    await until(lambda: stage.tab.dialogs.current is not None, "the dialog is open")
    await stage.refuses("navigate", url=stage.site.url("/form"))
    said = await stage.refuses("navigate", url=stage.site.url("/form"))
    for _ in range(4):  # see above
        if "beforeunload" in said:
            break
        said = await stage.refuses("navigate", url=stage.site.url("/form"))
    assert "beforeunload" in said
    assert 'the last said "again"' in said
    assert "Now at" in await stage.does("handle_dialog", action="accept")


async def test_asking_before_it_closes(stage: Stage) -> None:
    """A page that closes its tab may ask whether to stay; if not, the answer says that it went."""
    await stage.show("<button id=b onclick=\"window.open('/stage')\">Open</button>")
    first = stage.tab
    await stage.does("click", selector="#b")
    await until(lambda: len(stage.door.desk.tabs) == 2, "the new tab is ours")
    [opened] = [tab for tab in stage.door.desk.tabs if tab is not first]
    await stage.does("tab_select", tabId=opened.id)
    await stage.write(
        "<button id=b onclick='setTimeout(() => window.close())'>Close</button>"
        "<script>onbeforeunload = (event) => event.preventDefault()</script>"
    )
    await stage.door.call("click", selector="#b")
    await until(lambda: opened.dialogs.current is not None, "it asks")
    assert "The page closed its tab." in await stage.does("handle_dialog", action="accept")
