"""Points of elements, carried outwards through the frames around them."""

from bridge.page.target import Target
from tests.support.acting import PRESSED, SPOT, open_acting, target
from tests.support.played_page import PlayedPage


async def _inner(page: PlayedPage) -> Target:
    await page.add_frame("F12", "https://a.example/inner")
    frame = next(frame for frame in page.tab.frames if frame.id == "F12")
    return Target(frame, {"selector": "#b"}, "#b")


async def test_through_a_frame() -> None:
    """A point in a frame is told in the coordinates of the page around it."""
    async with open_acting() as page:
        inner = await _inner(page)
        page.says["through"] = {"x": 110, "y": 220}
        await page.tab.actions.click(inner)
        sent = next(a for a in page.chrome.seen if a.method == "Input.dispatchMouseEvent")
        assert (sent.params["x"], sent.params["y"]) == (110, 220)
        carried = next(args for name, args in page.calls if name == "through")
        assert carried[1:3] == [SPOT["x"], SPOT["y"]]


async def test_missed_around_a_frame() -> None:
    """A press that something in the page around took is missed, and made again."""
    async with open_acting() as page:
        inner = await _inner(page)
        page.says["through"] = {"x": 1, "y": 1}
        nothing = {**PRESSED, "presses": 0, "clicks": 0}
        told = [nothing, {**nothing, "missed": "div"}, PRESSED, nothing]
        page.says["pressed"] = lambda: told.pop(0)
        await page.tab.actions.click(inner)
        assert told == []


async def test_aiming_again() -> None:
    """A page that loads itself anew while it is looked at is looked at again."""
    async with open_acting() as page:
        facts = [[1, None, "EVAL_THREW", "navigated", {"navigated": True}], [1, SPOT]]
        page.says["aim"] = lambda *_: None
        original = page.called

        def called(asked: object) -> object:
            answer = original(asked)  # type: ignore[arg-type]
            if page.calls and page.calls[-1][0] == "aim":
                answer["result"]["value"] = facts.pop(0)
            return answer

        page.chrome.answers["Runtime.callFunctionOn"] = called  # type: ignore[assignment]
        await page.tab.actions.click(target(page))
        assert [name for name, _ in page.calls] == ["aim", "aim", "pressed"]
