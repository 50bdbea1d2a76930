"""What the fields of a page hold, wherever in it they are."""

import json
from typing import Any

import pytest

from tests.support.reader import Reader, reader

__all__ = ["reader"]
pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_HOSTS = (
    "for (const mode of ['open', 'closed']) document.getElementById(mode).attachShadow({ mode })"
    ".innerHTML = `<input name=${mode} value=deep><input type=password name=${mode}-pw value=x>`; 1"
)


async def fields(reader: Reader, **arguments: str) -> dict[str, dict[str, Any]]:
    """By their names; of one name, the last."""
    lines = (await reader.page("get_form_values", **arguments)).split("\n")
    return {each["name"]: each for each in map(json.loads, lines)}


async def test_in_frames(reader: Reader) -> None:
    """Fields in frames of this and of another site are told with whose they are, and a ref."""
    own, other = reader.site.url("/form"), reader.site.other("/login")
    await reader.show(
        f"<input name=here value=1><iframe src={own}></iframe><iframe src={other}></iframe>"
    )
    for text in ("Colour", "Password"):
        await reader.text("wait_for", textContains=text)
    found = await fields(reader)
    assert "frame" not in found["here"]
    assert found["colour"]["frame"] == own.removesuffix("/form")
    assert found["user"]["frame"] == other.removesuffix("/login")
    await reader.text("type", ref=found["user"]["ref"], text="ada")
    assert (await fields(reader))["user"]["value"] == "ada"


async def test_in_shadow_roots(reader: Reader) -> None:
    """Fields in open and closed shadow roots are told, in a form as well; passwords are masked."""
    await reader.show(
        "<form id=f><input name=plain value=1><div id=open>.</div></form>"
        "<input form=f name=outside>"
        "<div id=closed style='width: 200px; height: 40px'></div><input name=other>"
    )
    await reader.tab.evaluate(_HOSTS)
    found = await fields(reader)
    assert {"plain", "open", "closed", "outside", "other"} < set(found)
    assert (found["open"]["value"], found["closed"]["value"]) == ("deep", "deep")
    assert (found["open-pw"]["value"], found["closed-pw"]["value"]) == ("••••", "••••")
    assert set(await fields(reader, selector="#f")) == {"plain", "outside", "open", "open-pw"}
    assert set(await fields(reader, selector="#closed")) == {"closed", "closed-pw"}


async def test_limit(reader: Reader) -> None:
    """No more fields are listed than wanted, and the answer says that there are more."""
    await reader.show("<input><input><input>")
    assert (await reader.text("get_form_values", limit=2)).startswith("3 fields, the first 2:\n")
