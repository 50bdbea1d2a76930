"""Arguments of tools that change how a page is shown, and the limits they keep."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.policy.options import PolicyOptions
from tests.support.fake_chrome import Asked
from tests.support.told_page import open_told_page

_READING = PolicyOptions(read_domain=("here.test",))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"cpu": 0.5}, "cpu"),
        ({"cpu": 21}, "cpu"),
        ({"geolocation": [1]}, "geolocation"),
        ({"geolocation": [91, 0]}, "geolocation"),
        ({"geolocation": [0, 181]}, "geolocation"),
        ({"geolocation": [0, 0, -1]}, "geolocation"),
        ({"geolocation": [0, 0, 1, 1]}, "geolocation"),
        ({"network": "5g"}, "network"),
        ({"latencyMs": -1}, "latencyMs"),
        ({"downloadKbps": 0}, "downloadKbps"),
        ({"uploadKbps": "fast"}, "uploadKbps"),
    ],
)
async def test_bad_arguments(arguments: dict[str, Any], name: str) -> None:
    """What cannot be emulated is refused, and nothing is emulated."""
    async with open_told_page() as page:
        before = len(page.chrome.seen)
        told = await page.door.refusal("emulate", **arguments)
        assert len(page.chrome.seen) == before
    assert told.startswith(f"BAD_ARGS: {name}")


async def test_place_of_no_site() -> None:
    """A tab that shows no site is given no place, and nothing is emulated."""
    async with open_told_page() as page:
        await page.show("about:blank")
        before = len(page.chrome.seen)
        told = await page.door.refusal("emulate", geolocation=[59.9, 10.7], cpu=2)
        assert len(page.chrome.seen) == before
    assert told.startswith("BAD_ARGS: geolocation is given to a site")
    assert told.endswith("Navigate first.")


@pytest.mark.parametrize("url", ["about:blank", "https://here.test/"])
async def test_no_place_of_no_site(url: str) -> None:
    """Where no place was given there is none to take back, from whatever the tab shows."""
    async with open_told_page() as page:
        await page.show(url)
        page.chrome.answers["Emulation.clearGeolocationOverride"] = lambda _: {}
        assert await page.door.text("emulate", geolocation=[]) == "Emulated: at no other place."
        assert "Browser.setPermission" not in page.chrome.methods()


def _into(told: list[dict[str, Any]]) -> Callable[[Asked], dict[str, Any]]:
    """An answer that keeps what it was asked for."""

    def answer(asked: Asked) -> dict[str, Any]:
        told.append(asked.params)
        return {}

    return answer


async def test_media() -> None:
    """What style sheets ask for adds up, whichever call said it, until each is ended."""
    async with open_told_page() as page:
        told: list[dict[str, Any]] = []
        page.chrome.answers["Emulation.setEmulatedMedia"] = _into(told)
        said = await page.door.text("emulate", colorScheme="dark", media="print")
        assert said == "Emulated: color scheme dark, media print."
        await page.door.text("emulate", reducedMotion=True)
        dark = {"name": "prefers-color-scheme", "value": "dark"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        assert told[-1] == {"media": "print", "features": [dark, still]}
        await page.door.text("emulate", colorScheme="none", media="none", reducedMotion=False)
        assert told[-1]["media"] == ""
        assert [each["value"] for each in told[-1]["features"]] == ["", ""]


async def test_names() -> None:
    """A language goes with whatever name the browser has, and a name with whatever language."""
    async with open_told_page() as page:
        told: list[dict[str, Any]] = []
        page.chrome.answers["Emulation.setLocaleOverride"] = lambda _: {}
        page.chrome.answers["Emulation.setUserAgentOverride"] = _into(told)
        await page.door.text("emulate", locale="de_DE")
        said = await page.door.text("emulate", userAgent="Robot/1")
        assert said.startswith("Emulated: userAgent Robot/1 (reload")
        await page.door.text("emulate", locale="")
        assert [(each["userAgent"], each["acceptLanguage"]) for each in told] == [
            ("", "de-DE"),
            ("Robot/1", "de-DE"),
            ("Robot/1", ""),
        ]


async def test_nothing() -> None:
    """Nothing to emulate is said to be nothing."""
    async with open_told_page() as page:
        assert await page.door.text("emulate") == "Emulated: nothing."


async def test_limits_are_not_lost() -> None:
    """Where conditions of the network hold a policy's limits, they are not replaced unknown."""
    async with open_told_page(_READING) as page:
        told = await page.door.refusal("emulate", network="slow3g")
        assert told.startswith("POLICY_DENIED")
        assert "Network.emulateNetworkConditionsByRule" not in page.chrome.methods()


@pytest.mark.parametrize("size", [(0, 100), (100, 10_001), (-1, 5)])
async def test_size(size: tuple[int, int]) -> None:
    """A viewport has a size."""
    async with open_told_page() as page:
        told = await page.door.refusal("resize", width=size[0], height=size[1])
    assert told.startswith("BAD_ARGS")


async def test_no_folder() -> None:
    """A server without a folder prints nothing."""
    async with open_told_page() as page:
        assert "keeps no files" in await page.door.refusal("pdf")


async def test_folder_that_cannot_be_used(tmp_path: Path) -> None:
    """A PDF that cannot be written is no fault of the server, and the reason is said."""
    async with open_told_page() as page:
        page.door.desk.data_dir = tmp_path
        (tmp_path / "documents").write_text("in the way")
        page.chrome.answers["Page.printToPDF"] = lambda _: {"data": "", "stream": "1"}
        page.chrome.answers["IO.read"] = lambda _: {"data": "%PDF-", "eof": True}
        page.chrome.answers["IO.close"] = lambda _: {}
        told = await page.door.refusal("pdf")
    assert told.startswith("DOWNLOAD_FAILED: the PDF cannot be kept in ")
    assert "File exists" in told
