"""Pages that were left while something was done to them, and come back as they were."""

import pytest

from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]
LEAVES = """<button id="go">Go</button> <button id="count">Count</button> <p id="seen">0</p>
<script>
document.getElementById("go").addEventListener("mousedown", () => {{ location = "{0}"; }});
document.getElementById("count").addEventListener("click", () => {{ seen.textContent++; }});
</script>"""


async def test_pressed_after_back(stage: Stage) -> None:
    """What watched over the press that led away does not swallow presses once we are back."""
    await stage.show(LEAVES.format(stage.site.other("/form")))
    for times in range(1, 6):
        assert "Now at" in await stage.does("click", selector="#go")
        await stage.does("back")
        assert f"text: {times}" in await stage.does("click", selector="#count")
        assert await stage.value("seen.textContent") == str(times)
