"""Lasting grants."""

import stat
import sys
from pathlib import Path

import pytest

from bridge.app.grants import Grants
from bridge.policy.rules import Effect, Level, Policy, decide


def allowed(policy: Policy, effect: Effect, host: str) -> bool:
    return decide(effect, f"https://{host}/", policy).allowed


def test_kept(tmp_path: Path) -> None:
    """What was allowed always is allowed to the next server, at its level and no higher."""
    grants = Grants(tmp_path / "data")
    grants.remember("a.example", Level.READ)
    grants.remember("b.example:8080", Level.ACT)
    grants.remember("a.example", Level.READ)
    policy = Grants(tmp_path / "data").apply(Policy())
    assert allowed(policy, Effect.READ, "a.example")
    assert not allowed(policy, Effect.ACT, "a.example")
    assert allowed(policy, Effect.ACT, "b.example:8080")
    assert not allowed(policy, Effect.READ, "b.example")
    text = (tmp_path / "data" / "allowed.toml").read_text()
    assert text.count("a.example") == 1
    assert text.startswith("# Hosts")


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_private(tmp_path: Path) -> None:
    """The file is its owner's only, and so is a folder made for it."""
    Grants(tmp_path / "data").remember("a.example", Level.READ)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "allowed.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["read = [", "\x00\xff", 'read = "a"', "read = [1]", "read = " + "[" * 9_999]
)
def test_damaged(text: str, tmp_path: Path) -> None:
    """A damaged file grants nothing and is left for a person to mend."""
    file = tmp_path / "allowed.toml"
    file.write_text(text, encoding="latin-1")
    before = file.read_bytes()
    grants = Grants(tmp_path)
    assert not allowed(grants.apply(Policy()), Effect.READ, "a")
    grants.remember("b.example", Level.READ)
    assert file.read_bytes() == before
    file.write_text('read = ["a.example"]\n')
    grants.remember("b.example", Level.READ)
    assert allowed(Grants(tmp_path).apply(Policy()), Effect.READ, "b.example")


def test_bad_line(tmp_path: Path) -> None:
    """One entry that is no host does not cost the others."""
    (tmp_path / "allowed.toml").write_text('read = ["a b c/\\\\", "a.example"]\n')
    assert allowed(Grants(tmp_path).apply(Policy()), Effect.READ, "a.example")
    Grants(tmp_path).remember("b.example", Level.READ)
    for host in ("a.example", "b.example"):
        assert allowed(Grants(tmp_path).apply(Policy()), Effect.READ, host)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_planted_link(tmp_path: Path) -> None:
    """A link in the place of the file is neither read nor written through."""
    victim = tmp_path / "victim"
    victim.write_text('read = ["a.example"]\n')
    (tmp_path / "allowed.toml").symlink_to(victim)
    grants = Grants(tmp_path)
    assert not allowed(grants.apply(Policy()), Effect.READ, "a.example")
    grants.remember("b.example", Level.READ)
    assert victim.read_text() == 'read = ["a.example"]\n'
