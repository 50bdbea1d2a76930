"""Going back: to pages that were left while something was done to them, and within one page."""

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import hurried as hurried
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


_GOES = """async function go(page) {
  shown.textContent = "Loading";
  const answer = await fetch("/slow?ms=200");
  await answer.text();
  shown.textContent = document.title = page;
}"""
_HEARS = "onpopstate = () => go(location.search)"
_HANDLES = """navigation.onnavigate = (event) => {
  const { search } = new URL(event.destination.url);
  if (event.navigationType === "traverse") event.intercept({ handler: () => go(search) });
}"""


@in_turn("route", [_HEARS, _HANDLES])
async def test_back_within_a_page(stage: Stage, route: str) -> None:
    """Where an entry of the history is the same page, what it asks for to show it is awaited."""
    await stage.show(f"<p id=shown>Home</p><script>{_GOES}; {route}</script>")
    await stage.value("history.pushState(null, '', '?one'), history.pushState(null, '', '?two')")
    for tool, there in (("back", "one"), ("forward", "two"), ("back", "one")):
        assert f'/stage?{there} "?{there}"' in await stage.does(tool)
        assert f"- text: ?{there}\n" in await stage.does("snapshot")


@in_turn("answer", ["fetch('/never')", "{ for (;;); }"])
async def test_back_without_an_end(hurried: Stage, answer: str) -> None:
    """What is never answered, or never returns, keeps nobody from being there."""
    await hurried.show(f"<p>Here</p><script>onpopstate = () => {answer}</script>")
    await hurried.value("history.pushState(null, '', '?one')")
    assert (await hurried.does("back")).endswith("/stage")
