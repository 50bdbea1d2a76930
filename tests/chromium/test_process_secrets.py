"""What a whole process keeps to itself: on the wire, on standard error, in files, in its arguments.

`test_canaries` looks behind the door; here is everything around it.
"""

import stat
from pathlib import Path

import pytest
import trio

from fixtures.site import Site
from tests.support import processes
from tests.support.agent import MADE_TO_RUN, TOKEN, open_agent
from tests.support.ground import Ground, ground

__all__ = ["ground"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]
BY_NAME = "canary-by-name-6120"
TYPED = "canary-typed-4471"


@pytest.mark.parametrize("way", MADE_TO_RUN[1:3], ids="-".join)
async def test_nothing_comes_out(ground: Ground, site: Site, way: tuple[str, str]) -> None:
    """No secret, typed password or token of HTTP anywhere, and files only for their owner."""
    secrets = ground.root / "secrets.env"
    secrets.touch(mode=0o600)
    secrets.write_text(f"SITE_PASSWORD={BY_NAME}\n")
    how, era = way
    flags = ["--allow-domain", "127.0.0.1", "--enable-mutations", "--secrets", str(secrets)]
    async with open_agent(ground, how, era, flags) as agent:
        await agent.does("navigate", url=site.url("/form"))
        await agent.does("type", selector="#password", text=TYPED, clear=True)
        await agent.does("type", selector="#name", text="{{SITE_PASSWORD}}", clear=True)
        await agent.does("snapshot")
        await agent.does("click", selector="#submit")
        sent = await site.wait_request("/echo")
        assert BY_NAME.encode() in sent.body
        assert TYPED.encode() in sent.body
        await agent.does("network_requests")
        await agent.does("snapshot", maxTokens=0)
        for pid in processes.marked(str(ground.root)):
            assert TOKEN not in await trio.Path(f"/proc/{pid.pid}/cmdline").read_text()
        _judge_files(ground.data)
    told = "\n".join(agent.answers)
    kept = _kept(ground.data) + (ground.root / "stderr.txt").read_text()
    assert "{{SITE_PASSWORD}}" in told
    assert "navigate" in kept
    for canary in (BY_NAME, TYPED, TOKEN):
        assert canary not in kept
    assert BY_NAME not in told


def _ours(data: Path) -> list[Path]:
    """What is ours in the data folder; profiles are Chrome's."""
    return [path for path in data.rglob("*") if not {"isolated", "profiles"} & set(path.parts)]


def _kept(data: Path) -> str:
    files = [path for path in _ours(data) if path.is_file()]
    return "".join(path.read_text(errors="replace") for path in files)


def _judge_files(data: Path) -> None:
    for path in [data, *_ours(data)]:
        assert not stat.S_IMODE(path.lstat().st_mode) & 0o077, path
