"""Asking the policy, and the user."""

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from bridge.errors import PolicyDenied
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect, Level, Policy
from bridge.tools.answer import Question
from bridge.tools.guard import Guard
from tests.support.door import Client

URL = "https://example.com/"


def guard_of(**options: object) -> tuple[Guard, list[tuple[str, Level]]]:
    kept: list[tuple[str, Level]] = []
    policy = Policy.from_options(PolicyOptions(**options))  # type: ignore[arg-type]
    return Guard(policy, lambda *grant: kept.append(grant)), kept


async def test_silent_where_allowed() -> None:
    """What the owner allowed is asked of nobody."""
    guard, _ = guard_of(allow_domain=("example.com",), enable_mutations=True)
    client = Client(can_ask=True)
    await guard.check(Effect.ACT, URL, client)
    assert client.asked == []


async def test_flat_refusal() -> None:
    """A client that cannot ask is told which flag would allow it."""
    guard, _ = guard_of()
    with pytest.raises(PolicyDenied) as refused:
        await guard.check(Effect.READ, URL, Client())
    assert "--allow-domain example.com" in refused.value.hint


@pytest.mark.parametrize(
    ("choice", "kept"), [("read", []), ("read_always", [("example.com", Level.READ)])]
)
async def test_reading_granted(choice: str, kept: list[tuple[str, Level]]) -> None:
    """A yes to reading is a grant for that host, asked once, and no grant to act."""
    guard, remembered = guard_of()
    client = Client(choice=choice, can_ask=True)
    await guard.check(Effect.NAVIGATE, URL, client)
    await guard.check(Effect.READ, URL + "more", client)
    assert (len(client.asked), remembered) == (1, kept)
    client.choice = None
    with pytest.raises(PolicyDenied, match="did not allow"):
        await guard.check(Effect.ACT, URL, client)


async def test_acting_granted() -> None:
    """A yes to acting needs no switch besides, and offers no mere reading."""
    guard, _ = guard_of()
    client = Client(choice="act", can_ask=True)
    await guard.check(Effect.ACT, URL, client)
    assert [key for key, _ in client.asked[0].options] == ["act", "act_always", "no"]


@pytest.mark.parametrize("choice", ["no", None, "something else"])
async def test_no_is_no(choice: str | None) -> None:
    """Declined, cancelled and nonsense all refuse."""
    guard, _ = guard_of()
    with pytest.raises(PolicyDenied) as refused:
        await guard.check(Effect.READ, URL, Client(choice=choice, can_ask=True))
    assert refused.value.facts == {"host": "example.com", "asked": True}


async def test_no_answer_is_no(autojump_clock: MockClock) -> None:
    """A user who is not there is not waited for for ever, and has allowed nothing."""
    guard, _ = guard_of()

    class Absent(Client):
        async def ask(self, question: Question) -> str | None:
            await trio.sleep_forever()

    began = trio.current_time()
    with pytest.raises(PolicyDenied, match="has not answered within 120 s whether to allow exam"):
        await guard.check(Effect.READ, URL, Absent(choice="read", can_ask=True))
    assert trio.current_time() - began == pytest.approx(120)
    assert not guard.readable(URL)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://settings/", "not an address"])
async def test_never_asked(url: str) -> None:
    """What no flag allows is not offered to the user either."""
    guard, _ = guard_of()
    client = Client(choice="act", can_ask=True)
    with pytest.raises(PolicyDenied):
        await guard.check(Effect.NAVIGATE, url, client)
    assert client.asked == []


async def test_switches_are_not_asked() -> None:
    """Scripts need their own switch; no question grants them."""
    guard, _ = guard_of(allow_domain=("example.com",))
    client = Client(choice="act", can_ask=True)
    with pytest.raises(PolicyDenied) as refused:
        await guard.check(Effect.EVAL, URL, client)
    assert (client.asked, "--unsafe-enable-eval" in refused.value.hint) == ([], True)


async def test_one_question_at_a_time() -> None:
    """Calls that come together ask once, and all go on with the answer."""
    guard, _ = guard_of()

    class Slow(Client):
        async def ask(self, question: Question) -> str | None:
            await trio.testing.wait_all_tasks_blocked()
            return await super().ask(question)

    client = Slow(choice="read", can_ask=True)
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(guard.check, Effect.READ, URL, client)
    assert len(client.asked) == 1


@pytest.mark.parametrize("answers", [True, False])
async def test_one_no_is_enough(answers: bool, autojump_clock: MockClock) -> None:
    """Calls that come together ask once, and all go without it where that was a no, or silence."""
    guard, _ = guard_of()
    refused: list[str] = []

    class Slow(Client):
        async def ask(self, question: Question) -> str | None:
            await trio.sleep(1 if answers else 1000)
            return await super().ask(question)

    async def call(url: str) -> None:
        with pytest.raises(PolicyDenied) as no:
            await guard.check(Effect.READ, url, client)
        refused.append(no.value.message)

    client = Slow(choice="no", can_ask=True)
    async with trio.open_nursery() as nursery:
        for path in "abc":
            nursery.start_soon(call, URL + path)
        await trio.sleep(0.5)
        nursery.start_soon(call, URL + "d")  # while the question is open
    assert len(set(refused)) == 1
    assert trio.current_time() == pytest.approx(1 if answers else 120)
    await call(URL)  # one that comes later asks again
    assert trio.current_time() == pytest.approx(2 if answers else 240)


async def test_questions_of_others_wait_for_nobody(autojump_clock: MockClock) -> None:
    """A user who does not answer holds up no question to the user of another client."""
    guard, _ = guard_of()

    class Absent(Client):
        async def ask(self, question: Question) -> str | None:
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(guard.check, Effect.READ, URL, Absent(can_ask=True, id="one"))
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        await guard.check(Effect.READ, URL, Client(choice="read", can_ask=True, id="two"))
        assert trio.current_time() == began
        nursery.cancel_scope.cancel()


def test_possible() -> None:
    """What has a switch is possible only with it, or where the user can be asked."""
    guard, _ = guard_of()
    flat = {effect for effect in Effect if not guard.possible(effect, can_ask=False)}
    asking = {effect for effect in Effect if not guard.possible(effect, can_ask=True)}
    assert flat == {Effect.ACT, Effect.EVAL, Effect.DOWNLOAD, Effect.UPLOAD}
    assert asking == {Effect.EVAL, Effect.DOWNLOAD, Effect.UPLOAD}


def test_readable() -> None:
    """Text of an address may be shown exactly where it may be read."""
    guard, _ = guard_of(read_domain=("example.com",))
    assert guard.readable(URL)
    assert not guard.readable("https://evil.example/")


async def test_still_there() -> None:
    """While a call lasts nobody is asked any more: it may be done where it is by then, or not."""
    guard, _ = guard_of(allow_domain=("example.com",), enable_mutations=True)
    guard.still(Effect.ACT, URL)
    with pytest.raises(PolicyDenied, match="another page or frame: acting on"):
        guard.still(Effect.ACT, "https://example.org/")


@pytest.mark.parametrize("url", ["http://*/", "http://*.com/", "http://*:8080/"])
async def test_no_question_about_a_star(url: str) -> None:
    """What a browser takes for a host and a policy for a pattern is nothing to say yes to."""
    guard, _ = guard_of()
    client = Client(choice="act_always", can_ask=True)
    with pytest.raises(PolicyDenied):
        await guard.check(Effect.NAVIGATE, url, client)
    assert client.asked == []
    assert guard.policy == Policy()
