"""Waiting for the gate."""

from pathlib import Path

import pytest

from bridge.errors import DeadlineExceeded
from bridge.timeouts import Timeouts
from launcher.gate import wait_gate
from launcher.leases import Gate, Leases


@pytest.fixture
def leases(tmp_path: Path) -> Leases:
    made = Leases(tmp_path)
    made.prepare()
    return made


async def test_free(leases: Leases, tmp_path: Path) -> None:
    """A free gate is ours at once."""
    gate = await wait_gate(leases.try_gate, tmp_path, Timeouts())
    assert leases.try_gate() is None
    gate.close()


async def test_taken(leases: Leases, tmp_path: Path) -> None:
    """A gate somebody holds is ours when he has opened it."""
    theirs = leases.try_gate()
    assert theirs is not None
    tries: list[bool] = []

    def attempt() -> Gate | None:
        tries.append(True)
        if len(tries) == 3:
            theirs.close()
        return leases.try_gate()

    gate = await wait_gate(attempt, tmp_path, Timeouts())
    assert len(tries) == 3
    gate.close()


async def test_held_for_ever(leases: Leases, tmp_path: Path) -> None:
    """A gate that stays closed is TIMEOUT, and says what may help."""
    theirs = leases.try_gate()
    assert theirs is not None
    with pytest.raises(DeadlineExceeded) as caught:
        await wait_gate(leases.try_gate, tmp_path, Timeouts(gate=0.05))
    assert caught.value.facts["timeout"] == "gate"
    assert "another profile" in caught.value.hint
    assert str(tmp_path) in caught.value.message
    theirs.close()


async def test_no_folder(tmp_path: Path) -> None:
    """Where there is no profile the caller learns of it at once."""
    with pytest.raises(FileNotFoundError):
        await wait_gate(Leases(tmp_path / "none").try_gate, tmp_path, Timeouts())
