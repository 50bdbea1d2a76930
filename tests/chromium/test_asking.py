"""A server that allows nothing yet, and a user who is asked: over both wires, in both eras."""

import stat
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
import pytest
import trio

from fixtures.site import Site
from tests.support.agent import MADE_TO_RUN, Agent, open_agent
from tests.support.ground import Ground, ground

__all__ = ["ground"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]
READ, ACT = ["read", "read_always"], ["act", "act_always"]


@dataclass
class User:
    """Whoever sits before the client: what is picked next, and what was shown to pick from."""

    picks: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    offered: list[list[str]] = field(default_factory=list)

    async def answer(self, context: Any, params: Any) -> types.ElicitResult:
        await trio.lowlevel.checkpoint()
        self.asked.append(params.message)
        choice = params.requested_schema["properties"]["choice"]
        self.offered.append([each["const"] for each in choice["oneOf"]])
        pick = self.picks.pop(0)
        if pick in ("decline", "cancel"):
            return types.ElicitResult(action=pick)  # type: ignore[arg-type]
        return types.ElicitResult(action="accept", content={"choice": pick})

    def last(self, *words: str) -> list[str]:
        """What could be picked from in the last question, which has to hold these words."""
        assert all(word in self.asked[-1] for word in words), self.asked[-1]
        return self.offered[-1]


def host_of(url: str) -> str:
    return url.split("/")[2]


@pytest.mark.parametrize("way", MADE_TO_RUN[1:3], ids="-".join)
async def test_user_decides(ground: Ground, site: Site, way: tuple[str, str]) -> None:
    """Reading for now, acting always, no, and no answer: each is what then may be done."""
    user, here, there = User(), host_of(site.origin), host_of(site.other_origin)
    how, era = way
    async with open_agent(ground, how, era, elicitation_callback=user.answer) as agent:
        await _reads_once(agent, user, site)
        assert user.last(f"wants to read {here} ", "not use it at all") == [*READ, *ACT, "no"]
        await _declines(agent, user, site)
        assert user.last(
            f"wants to act on (click, type and so on) {here} ", "may only read it"
        ) == [*ACT, "no"]
        user.picks = ["act_always"]
        assert "Now at" in await agent.does("click", selector="#orders")
        for pick in ("decline", "cancel", "no"):
            user.picks = [pick]
            refused = await agent.refused("navigate", url=site.other("/form"))
            assert refused.startswith("POLICY_DENIED: the user did not allow")
        assert user.last(f"wants to read {there} ")
        refused = await agent.refused(
            "navigate", url=site.url(f"/redirect?to={site.other('/form')}")
        )
        assert refused.splitlines()[0].startswith(f"POLICY_DENIED: the way leads to {there}")
        assert refused.splitlines()[1].startswith(
            f"Navigate to {there} itself, and the user is asked"
        )
        assert not any(each.host == there for each in site.requests)
        assert len(user.asked) == 6
    await _kept(ground, here)
    async with open_agent(ground, how, era, elicitation_callback=user.answer) as agent:
        await agent.does("navigate", url=site.url("/errand"))
        await agent.does("fill_form", fields={"#customer": "Ada"})
        assert len(user.asked) == 6


async def _reads_once(agent: Agent, user: User, site: Site) -> None:
    user.picks = ["read"]
    await agent.does("navigate", url=site.url("/errand"))
    assert "Whatever is done here" in await agent.does("get_text")
    assert len(user.asked) == 1


async def _declines(agent: Agent, user: User, site: Site) -> None:
    user.picks = ["decline"]
    refused = await agent.refused("click", selector="#orders")
    assert refused.startswith("POLICY_DENIED: the user did not allow")
    assert [each.path for each in site.requests if each.path == "/table"] == []


async def _kept(ground: Ground, host: str) -> None:
    """What was allowed always is in a file that only its owner can read, and nothing else is."""
    file = trio.Path(ground.data / "allowed.toml")
    lines = (await file.read_text()).splitlines()[1:]
    assert lines == ["read = []", f'act = ["{host}"]']
    assert stat.S_IMODE((await file.stat()).st_mode) == 0o600


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_nobody_to_ask(ground: Ground, site: Site, era: str) -> None:
    """A client that cannot ask is told at once which flag the owner would have to give."""
    async with open_agent(ground, "stdio", era) as agent:
        tools = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert not tools & {"click", "eval", "download_file", "upload_file"}
        refused = await agent.refused("navigate", url=site.url("/form"))
        where = host_of(site.origin)
        assert refused.splitlines() == [
            f"POLICY_DENIED: going to {where} is not allowed: no host is allowed yet",
            f"The owner can allow it by starting with --allow-domain {where}.",
        ]
    assert site.requests == ()
