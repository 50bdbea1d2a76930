"""Frame trees compared: with what the frames themselves say, and with what somebody else sees."""

from bridge.browser.tab import Tab
from bridge.errors import BridgeError
from tests.support.browsers import Connect, until, until_true


def shape(tab: Tab) -> list[tuple[str, str]]:
    """Address and parent's address of every frame."""
    return sorted((frame.url, frame.parent.url if frame.parent else "") for frame in tab.frames)


async def wait_answers(tab: Tab) -> None:
    """Every frame of the tree answers in its isolated world, and is where the tree says."""

    async def all_answer() -> bool:
        try:
            for frame in list(tab.frames):
                if await tab.scripts.isolated("location.href", frame) != frame.url:
                    return False
        except BridgeError:
            return False
        return True

    await until_true(all_answer, f"all frames answer: {shape(tab)}")


async def wait_same_as_fresh(tab: Tab, connect: Connect) -> None:
    """Our tree is the one that somebody sees who comes now."""
    async with connect() as other:
        fresh = await other.take_over(tab.id)
        await until(lambda: shape(fresh) == shape(tab), "a fresh look sees the same")
