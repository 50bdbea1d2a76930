"""Pages that reload themselves for ever: read between two documents, or named as such."""

import pytest

from bridge import cdp
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
