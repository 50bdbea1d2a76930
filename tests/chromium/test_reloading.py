"""Pages that reload themselves for ever: read between two documents, or named as such."""

from urllib.parse import quote

import pytest

from bridge import cdp
from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.plugged import short_folder
from tests.support.served import open_served
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


@pytest.mark.parametrize("script", ["location.reload()", "onload = () => location.reload()"])
async def test_reloads_for_ever(hurried: Stage, script: str) -> None:
    """A snapshot is of one of its documents, or names the reason and the next step."""
    await hurried.show("<h1>Here</h1>")
    session = hurried.tab.frames.main.session
    await session.execute(cdp.page.add_script_to_evaluate_on_new_document(script))
    await hurried.value("location.reload(); 1")
    answer = await hurried.door.call("snapshot")
    if answer.is_error:
        assert answer.text.startswith("TIMEOUT: the page keeps navigating: for 0.8 s it never")
        assert "Go elsewhere with navigate" in answer.text


_SENT = (
    "<form method=post action=/echo id=f><input name=q value=1></form><script>f.submit()</script>"
)


@pytest.mark.parametrize("acting", [True, False])
async def test_answer_to_a_form(site: Site, acting: bool) -> None:
    """What a form has brought is sent again where acting is allowed, and that is said."""
    options = PolicyOptions(allow_domain=("127.0.0.1",), enable_mutations=acting)
    with short_folder() as folder:
        async with open_served(folder, options) as served:
            await served.does("navigate", url=site.url(f"/markup?html={quote(_SENT)}"))
            await served.does("wait_for", textContains="What was sent")
            if acting:
                said = await served.does("reload")
                assert "The page is the answer to a form, which was sent again." in said
            else:
                assert "POLICY_DENIED" in await served.refused("reload")
            await served.does("navigate", url=site.url("/form"))
            assert "form, which" not in await served.does("reload")
    sent = [each for each in site.requests if each.method == "POST"]
    assert len(sent) == (2 if acting else 1)
