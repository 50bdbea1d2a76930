"""What is in a download, shown to whoever may read where it came from."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio

from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.browsers import until_true
from tests.support.door import ANYTHING
from tests.support.plugged import short_folder
from tests.support.served import Served, open_served

pytestmark = pytest.mark.chromium

_TEXT = "URL.createObjectURL(new Blob(['a,b\\n1,<b>é</b>\\n'.repeat(3000)]))"
_PICTURE = "document.createElement('canvas').toDataURL('image/png')"
_BYTES = "URL.createObjectURL(new Blob([new Uint8Array([1, 0, 2])]))"


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """Everything of a server, with all allowed."""
    with short_folder() as folder:
        async with open_served(folder, ANYTHING) as opened:
            yield opened


async def _save(served: Served, address: str, name: str) -> Path:
    """Have the page save something; where it is once it is complete."""
    script = f"""Object.assign(document.createElement('a'),
      {{ href: {address}, download: '{name}' }}).click()"""
    before = len(await _listed(served))
    await served.does("eval", expression=script)

    async def is_there() -> bool:
        return [each["state"] for each in await _listed(served)][before:] == ["complete"]

    await until_true(is_there, "it is there")
    return Path((await _listed(served))[-1]["path"])


async def _begun(served: Served, count: int) -> None:
    async def are_listed() -> bool:
        return len(await _listed(served)) == count

    await until_true(are_listed, "it has begun")


async def _listed(served: Served) -> list[dict[str, str]]:
    lines = (await served.does("downloads")).splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


async def test_text(served: Served, site: Site) -> None:
    """Text is told as a page's words are: fenced, as much as there is room for, and the rest."""
    await served.does("navigate", url=site.url("/form"))
    await _save(served, _TEXT, "words.csv")
    text = await served.does("downloads", open="d1", maxTokens=10)
    assert "untrusted" in text.splitlines()[0]
    assert text.splitlines()[1:4] == ["a,b", "1,<b>é</b>", "a,b"]
    cursor = text.partition("cursor: ")[2].split()[0]
    assert "1,<b>é</b>" in await served.does("get_text", cursor=cursor, maxTokens=10)


async def test_picture(served: Served, site: Site) -> None:
    """A picture is shown as one."""
    await served.does("navigate", url=site.url("/form"))
    await _save(served, _PICTURE, "dot.png")
    (image,) = (await served.call("downloads", open="d1")).images
    assert image.mime == "image/png"
    assert base64.b64decode(image.data)[:4] == b"\x89PNG"
    await _save(served, "URL.createObjectURL(new Blob(['hello']))", "no.png")
    answer = await served.call("downloads", open="d2")
    assert answer.images == ()
    assert "hello" in answer.text.splitlines()


async def test_neither(served: Served, site: Site) -> None:
    """Of anything else the place is told; what is gone, running or unknown is said to be that."""
    await served.does("navigate", url=site.url("/downloads"))
    path = await _save(served, _BYTES, "raw.bin")
    told = await served.does("downloads", open="d1")
    assert told.startswith("It is no text, but application/octet-stream: 3 bytes at ")
    await trio.Path(path).unlink()
    assert (await served.refused("downloads", open="d1")).startswith("DOWNLOAD_FAILED: the file is")
    await served.does("click", selector="#slow")
    await _begun(served, 2)
    assert "still on its way" in await served.refused("downloads", open="d2")
    told = await served.refused("downloads", open="d9")
    assert told.startswith("BAD_ARGS: open: there is no download")


async def test_denied(site: Site) -> None:
    """What was refused has nothing to show, whoever asks."""
    options = PolicyOptions(allow_domain=("127.0.0.1",), enable_mutations=True)
    with short_folder() as folder:
        async with open_served(folder, options) as served:
            await served.does("navigate", url=site.url("/downloads"))
            await served.does("click", selector="#small")
            await _begun(served, 1)
            told = await served.refused("downloads", open="d1")
            assert told.startswith("POLICY_DENIED: the download was refused")
