"""What may be downloaded, and how a call has to say it."""

import pytest

from bridge.policy.options import PolicyOptions
from tests.support.told_page import HERE, open_told_page

_OPTIONS = PolicyOptions(allow_domain=("here.test",), enable_downloads=True)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"url": HERE, "ref": "e1"}, {"ref": "e1", "selector": "a"}],
)
async def test_one_target(arguments: dict[str, str]) -> None:
    """Exactly one thing to download has to be named."""
    async with open_told_page() as page:
        told = await page.door.refusal("download_file", **arguments)
    assert told.startswith("BAD_ARGS: exactly one of url, ref and selector")


async def test_switched_off() -> None:
    """Without the switch nothing is downloaded, and the flag is named."""
    async with open_told_page(PolicyOptions(allow_domain=("here.test",))) as page:
        told = await page.door.refusal("download_file", url=HERE)
    assert "--enable-downloads" in told


async def test_nothing_to_list() -> None:
    """Where no downloads are kept there are none, and none to end."""
    async with open_told_page(_OPTIONS) as page:
        await page.door.text("toolsets", enable=["page"])
        assert await page.door.text("downloads") == "0 downloads."
        assert "no download 'd1'" in await page.door.refusal("downloads", cancel="d1")


async def test_no_folder() -> None:
    """A server without a folder says so."""
    async with open_told_page(_OPTIONS) as page:
        assert "keeps no downloads" in await page.door.refusal("download_file", url=HERE)
