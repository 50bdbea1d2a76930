"""What is wrong with a wish is told before anything is started."""

from dataclasses import replace
from pathlib import Path

import pytest

from bridge.errors import UsageError
from launcher.options import LaunchOptions
from launcher.wishes import check_wishes

NOTHING_SPECIAL = LaunchOptions()


@pytest.mark.parametrize(
    "wish",
    [
        {"port": -1},
        {"port": 65536},
        {"window_size": (0, 600)},
        {"window_size": (800, 20_000_000)},
        {"profile": "a/b"},
        {"profile": ""},
        {"channel": "zork"},
        {"cdp_endpoint": "127.0.0.1:9222"},
        {"extensions": (Path("/no/such/folder"),)},
        {"chrome_args": ("--user-data-dir=/x",)},
    ],
    ids=str,
)
def test_refused(wish: dict[str, object]) -> None:
    """What cannot be fulfilled is the caller's error, with a next step."""
    with pytest.raises(UsageError) as caught:
        check_wishes(replace(NOTHING_SPECIAL, **wish))  # type: ignore[arg-type]
    assert caught.value.code == "BAD_ARGS"
    assert caught.value.hint


def test_an_extension_is_a_folder_with_a_manifest(tmp_path: Path) -> None:
    """A folder without a manifest is no extension; with one it is."""
    with_extension = replace(NOTHING_SPECIAL, extensions=(tmp_path,))
    with pytest.raises(UsageError, match=r"no manifest\.json"):
        check_wishes(with_extension)
    (tmp_path / "manifest.json").write_text("{}")
    check_wishes(with_extension)


def test_what_may_still_come_true(tmp_path: Path) -> None:
    """A browser that is not installed and an endpoint nobody serves are found out later."""
    check_wishes(replace(NOTHING_SPECIAL, executable=tmp_path / "absent", channel="beta"))
    check_wishes(replace(NOTHING_SPECIAL, cdp_endpoint="http://127.0.0.1:1", port=65535))
