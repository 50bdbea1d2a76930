"""Files that may be given to a page, and those that may not."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from trio.testing import MockClock

from bridge.errors import BridgeError, PageError
from bridge.page.uploads import allowed_path
from tests.support.acting import QUIET, open_acting, target
from tests.support.played_page import PAGE, SESSION


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for uploads, with a secret beside it."""
    inside = tmp_path / "uploads"
    (inside / "deep").mkdir(parents=True)
    (inside / "a.txt").write_text("a")
    (inside / "deep" / "b.txt").write_text("b")
    (tmp_path / "secret").write_text("s")
    return inside


@pytest.mark.parametrize("path", ["a.txt", "deep/b.txt", "./deep/../a.txt"])
def test_inside(folder: Path, path: str) -> None:
    """A plain file below the folder is found, by a relative and by a full path."""
    found = allowed_path(path, folder)
    assert found.read_text() in ("a", "b")
    assert allowed_path(str(found), folder) == found


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../secret", "POLICY_DENIED"),
        ("deep/../../secret", "POLICY_DENIED"),
        ("/etc/passwd", "POLICY_DENIED"),
        ("none.txt", "BAD_ARGS"),
        ("deep", "BAD_ARGS"),
        ("", "BAD_ARGS"),
        (".", "BAD_ARGS"),
        ("a.txt\0", "BAD_ARGS"),
        ("a.txt/b", "POLICY_DENIED"),
        ("x" * 5000, "BAD_ARGS"),
        ("half \ud83d.txt", "BAD_ARGS"),
        ("half \ud83d/a.txt", "BAD_ARGS"),
    ],
)
def test_refused(folder: Path, path: str, code: str) -> None:
    """What is elsewhere, no file, or no path at all is refused."""
    with pytest.raises(BridgeError) as refused:
        allowed_path(path, folder)
    assert refused.value.code == code
    assert refused.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_links(folder: Path) -> None:
    """No link is followed, at no place of the path; nothing but plain files is opened."""
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "around").symlink_to(folder.parent)
    (folder / "within").symlink_to(folder / "a.txt")
    if sys.platform != "win32":
        os.mkfifo(folder / "pipe")
    for path in ("link", "around/secret", "within"):
        with pytest.raises(BridgeError) as refused:
            allowed_path(path, folder)
        assert refused.value.code == "POLICY_DENIED"
    with pytest.raises(BridgeError, match="no file"):
        allowed_path("pipe", folder)


async def test_field(folder: Path) -> None:
    """A field gets its files without a click."""
    async with open_acting() as page:
        page.chrome.answers["DOM.setFileInputFiles"] = lambda _: {}
        page.says |= {
            "fileField": {"field": True, "multiple": False, "folder": False, "matches": 1},
            "filesIn": {"names": ["a.txt"], **QUIET},
        }
        after = await page.tab.uploads.upload(target(page), [folder / "a.txt"])
        assert after.told["names"] == ["a.txt"]
        assert "aim" not in [name for name, _ in page.calls]
        with pytest.raises(PageError, match="it takes one file, and 2 were given"):
            await page.tab.uploads.upload(target(page), [folder / "a.txt", folder / "deep"])


_FIELD = {
    "nodeId": 0,
    "backendNodeId": 5,
    "nodeType": 1,
    "nodeName": "INPUT",
    "localName": "input",
    "nodeValue": "",
}


async def test_chooser(folder: Path) -> None:
    """What a click asks for is given to the field behind it."""
    async with open_acting() as page:
        given: list[Any] = []

        def press(asked: Any) -> dict[str, Any]:
            if asked.params["type"] == "mouseReleased":
                opened = {"frameId": PAGE, "mode": "selectSingle", "backendNodeId": 7}
                page.chrome.fake.event("Page.fileChooserOpened", opened, SESSION)
            return {}

        def take(asked: Any) -> dict[str, Any]:
            given.append(asked.params)
            return {}

        page.chrome.answers["Input.dispatchMouseEvent"] = press
        page.chrome.answers["DOM.setFileInputFiles"] = take
        page.chrome.answers["DOM.describeNode"] = lambda _: {"node": _FIELD}
        page.says |= {
            "fileField": {"field": False, "matches": 1},
            "watch": None,
            "filesIn": {"names": None, **QUIET},
        }
        await page.tab.uploads.upload(target(page), [folder / "a.txt"])
        assert given == [{"files": [str(folder / "a.txt")], "backendNodeId": 7}]


async def test_nothing_for_what_is_no_field() -> None:
    """No files are for a field that may hold some; nothing else is clicked for them."""
    async with open_acting() as page:
        page.says["fileField"] = {"field": False, "matches": 1}
        with pytest.raises(PageError, match="it is no field for files"):
            await page.tab.uploads.upload(target(page), [])
        assert "aim" not in [name for name, _ in page.calls]


async def test_drop(folder: Path, autojump_clock: MockClock) -> None:
    """What asks for no file gets them dropped, if it takes what is dragged over it."""
    async with open_acting() as page:
        page.says |= {
            "fileField": {"field": False, "matches": 1},
            "listenForDrag": None,
            "takesDrop": True,
            "changes": QUIET,
        }
        after = await page.tab.uploads.upload(target(page), [folder / "a.txt"])
        assert after.told["dropped"]
        page.says["takesDrop"] = False
        with pytest.raises(PageError, match="takes none that are dropped on it"):
            await page.tab.uploads.upload(target(page), [folder / "a.txt"])
        kinds = [
            a.params["type"] for a in page.chrome.seen if a.method == "Input.dispatchDragEvent"
        ]
        assert kinds == ["dragEnter", "dragOver", "drop", "dragEnter", "dragOver", "dragCancel"]
