"""Frames and pages whose scripts are switched off: their timers never fire, and ours are theirs."""

import time

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

_INSIDE = (
    "<h2>Inside</h2><button>Press</button><input id=name aria-label=Name><input type=checkbox id=c>"
    "<select id=s><option>One<option>Two</select>"
    "<button style='margin-top: 3000px'>Far down</button>"
)
_PAGE = f'<p>Around</p><iframe id=f sandbox="" srcdoc="{_INSIDE}" width=600 height=400></iframe>'
_LIMIT = 2.5  # s; a call that waited for a timer in there would take five or ten


async def shown(reader: Reader) -> str:
    """A snapshot of the page with the frame."""
    await reader.show(_PAGE)
    await reader.text("wait_for", textContains="Inside")  # the frame has come
    return await reader.page("snapshot")


def ref_of(snapshot: str, name: str) -> str:
    line = next(line for line in snapshot.splitlines() if name in line)
    return line.partition("[ref=")[2].partition("]")[0]


async def test_waiting(reader: Reader) -> None:
    """What comes around the frame, in it, or does not come, is told in time."""
    await shown(reader)
    began = time.monotonic()
    refusal = await reader.refusal("wait_for", selector="#none", timeoutMs=600)
    assert refusal.startswith("TIMEOUT: waited 0.6 s")
    assert "Inside" in await reader.text("wait_for", textContains="Inside")
    await reader.text("wait_for", textContains="Not there", gone=True)
    await reader.tab.evaluate(
        "setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b>Late</b>'), 1200); 1"
    )
    assert "Late" in await reader.text("wait_for", textContains="Late")
    assert time.monotonic() - began < 2 * _LIMIT


@pytest.mark.parametrize(
    ("tool", "name", "arguments"),
    [
        ("click", '"Press"', {}),
        ("hover", '"Press"', {}),
        ("type", '"Name"', {"text": "Ada"}),
        ("click", "checkbox", {}),
        ("select_option", "combobox", {"values": ["Two"]}),
        ("scroll", '"Far down"', {}),
        ("screenshot", '"Press"', {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_acting(reader: Reader, tool: str, name: str, arguments: dict[str, object]) -> None:
    """Every act on something in it is done, and at once."""
    ref = ref_of(await shown(reader), name)
    began = time.monotonic()
    await reader.text(tool, ref=ref, **arguments)
    assert time.monotonic() - began < _LIMIT
    if tool == "type":
        assert ": Ada" in await reader.page("snapshot")
