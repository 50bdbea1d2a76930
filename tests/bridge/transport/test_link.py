"""The definition both ends are made from."""

import base64
import hashlib
import json
import re
from pathlib import Path

from bridge.transport import link


def test_fresh() -> None:
    """The extension's file says what this one does."""
    assert link.main(["--check"]) == 0


def test_proofs_differ() -> None:
    """Whatever is changed of what is proved changes the proof."""
    said = {
        "token": "t",
        "role": "server",
        "version": 1,
        "port": 2,
        "extension_id": "x",
        "theirs": "a",
        "ours": "b",
    }
    others = [{name: f"{value}!"} for name, value in said.items()]
    proofs = {link.proof(**(said | other)) for other in [{}, *others]}  # type: ignore[arg-type]
    assert len(proofs) == len(said) + 1
    assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in proofs)


def test_pinned() -> None:
    """The extension's name follows from the key in its manifest."""
    manifest = Path(link.__file__).parents[2] / "extension" / "manifest.json"
    key = base64.b64decode(json.loads(manifest.read_text())["key"])
    name = hashlib.sha256(key).hexdigest()[:32]
    assert (
        name.translate(str.maketrans("0123456789abcdef", "abcdefghijklmnop")) == link.EXTENSION_ID
    )
