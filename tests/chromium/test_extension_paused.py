"""What a server may still do to tabs while the person has paused the extension."""

from functools import partial

import pytest

from bridge import cdp
from fixtures.site import Site
from tests.support.browsers import until_true
from tests.support.linked import Everyday, in_extension, open_outside
from tests.support.policy_arm import Arm, arm

__all__ = ["arm"]
pytestmark = [pytest.mark.chromium, pytest.mark.extension]

_SHARE = """Promise.all([chrome.tabs.query({}), chrome.runtime.sendMessage({ask: "state"})]).then(
  ([tabs, { clients: [client] }]) => chrome.runtime.sendMessage({
    do: "share", tabId: tabs.find(({ url }) => url === "URL")?.id, serverId: client.serverId }))"""
_ORDER = 'chrome.runtime.sendMessage({do: "ORDER"}).then(({ ok }) => ok === true)'
_STAYS = "onbeforeunload = (event) => event.preventDefault()"


async def test_closing(arm: Arm, everyday: Everyday, site: Site) -> None:
    """A tab of the person's is not closed; one that the client has opened is, unless it asks."""
    plain, _ = await arm.open_tab(site.url("/form"))
    clinging, session = await arm.open_tab(site.url("/form"))
    await arm.ask("Runtime.evaluate", session, expression=_STAYS, userGesture=True)
    async with open_outside(everyday) as outside:
        root = outside.root
        theirs = (await root.execute(cdp.target.create_target(site.url("/")))).target_id
        share = _SHARE.replace("URL", site.url("/"))

        async def shared() -> bool:
            return await in_extension(outside, share) == {"ok": True}

        async def there(target: str) -> bool:
            found = await root.execute(cdp.target.get_targets())
            return target in [each.target_id for each in found.target_infos]

        async def gone(target: str) -> bool:
            return not await there(target)

        await until_true(shared, "the person shares a tab")
        assert await in_extension(outside, _ORDER.replace("ORDER", "pause"))
        assert await arm.refusal("Target.closeTarget", targetId=theirs) == "paused"
        for own in (plain, clinging):
            assert await arm.refusal("Target.closeTarget", targetId=own) == ""
        await until_true(lambda: gone(plain), "the client's own is closed")
        assert await there(theirs)
        assert await there(clinging)  # the person has been asked
        assert await in_extension(outside, _ORDER.replace("ORDER", "resume"))
        for target in (theirs, clinging):
            assert await arm.refusal("Target.closeTarget", targetId=target) == ""
            await until_true(partial(gone, target), "it is closed")
