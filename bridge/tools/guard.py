"""Asks the policy, and the user where the policy says no and the client can ask.

A user's "yes" is a grant for one host. It holds until this server ends, or is kept for the next one
as well; kinds of harm that have a switch of their own (scripts, uploads, downloads) are never
granted by a question.
"""

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakValueDictionary

import trio

from bridge.errors import PolicyDenied
from bridge.policy.rules import Effect, Level, Policy, Verdict, decide
from bridge.timeouts import Timeouts
from bridge.tools.answer import Caller, Question

_ASKED = {
    Effect.READ: Level.READ,
    Effect.NAVIGATE: Level.READ,
    Effect.ACT: Level.ACT,
}
_SWITCHES = {
    Effect.EVAL: lambda policy: policy.eval,
    Effect.DOWNLOAD: lambda policy: policy.downloads,
    Effect.UPLOAD: lambda policy: policy.uploads,
    Effect.ACT: lambda policy: policy.mutations,
}


class Guard:
    """The policy of one server, and what its user has granted since it started."""

    def __init__(
        self,
        policy: Policy,
        remember: Callable[[str, Level], None],
        timeouts: Timeouts | None = None,
    ) -> None:
        self.policy = policy
        self._patience = (timeouts or Timeouts()).question
        self.watchers: list[Callable[[Policy], None]] = []  # told of every grant
        self._remember = remember  # a grant that outlives this server
        self._talks: WeakValueDictionary[str, _Talk] = WeakValueDictionary()  # with each client

    @property
    def limits(self) -> bool:
        """Whether a page that nobody watches could do what the policy does not allow it."""
        return self.policy.restricts or not self.policy.downloads

    def possible(self, effect: Effect, *, can_ask: bool) -> bool:
        """Whether this kind of thing is switched on at all, or could be granted."""
        switch = _SWITCHES.get(effect)
        return switch is None or switch(self.policy) or (can_ask and effect in _ASKED)

    def readable(self, url: str) -> bool:
        """Whether text of this address may be shown."""
        return self.permits(Effect.READ, url)

    def permits(self, effect: Effect, url: str) -> bool:
        """Whether it may be done on this address as things stand; nobody is asked."""
        return decide(effect, url, self.policy).allowed

    def still(self, effect: Effect, url: str) -> None:
        """POLICY_DENIED unless it is allowed where it would be done by now; nobody is asked."""
        verdict = decide(effect, url, self.policy)
        if not verdict.allowed:
            reason = f"it would now reach another page or frame: {verdict.reason}"
            raise replace(verdict, reason=reason).error()

    async def check(self, effect: Effect, url: str, caller: Caller) -> None:
        """POLICY_DENIED unless it is allowed, or the user allows it now."""
        verdict = decide(effect, url, self.policy)
        if verdict.allowed:
            return
        if _can_be_granted(effect, verdict, caller):
            talk = self._talks.setdefault(caller.id, _Talk())
            since = talk.answered
            async with talk.turn:
                if not decide(effect, url, self.policy).allowed:
                    only_read = self.readable(url)
                    question = _question(_ASKED[effect], verdict.host, caller, only_read=only_read)
                    await self._ask(question, verdict.host, caller, talk, since)
            verdict = decide(effect, url, self.policy)
        verdict.check()

    async def _ask(
        self, question: Question, host: str, caller: Caller, talk: "_Talk", since: int
    ) -> None:
        """Ask, unless the user has said no to just this while the call waited."""
        said = talk.refused.get(question, (0, None))
        if said[1] is not None and said[0] > since:
            raise said[1].again()
        chosen = None
        with trio.move_on_after(self._patience) as limit:
            chosen = await caller.ask(question)
        talk.answered += 1
        if chosen not in _CHOICES:
            silent = f"has not answered within {self._patience:g} s whether to allow {host}"
            no = PolicyDenied(
                "POLICY_DENIED",
                f"the user {silent if limit.cancelled_caught else f'did not allow {host}'}",
                hint="Go on without it, or ask what to do instead.",
                facts={"host": host, "asked": True},
            )
            talk.refused[question] = talk.answered, no.again()
            raise no
        level, keep = _CHOICES[chosen]
        self.policy = self.policy.with_grant(host, level)
        for tell in self.watchers:
            tell(self.policy)
        if keep:
            self._remember(host, level)


class _Talk:
    """With the user of one client: a question at a time, and none twice to calls made together."""

    def __init__(self) -> None:
        self.turn = trio.Lock()
        self.answered = 0  # questions, or left open too long
        self.refused: dict[Question, tuple[int, PolicyDenied]] = {}  # with its number


_CHOICES = {
    "read": (Level.READ, False),
    "read_always": (Level.READ, True),
    "act": (Level.ACT, False),
    "act_always": (Level.ACT, True),
}
_LABELS = {
    "read": "Read it, until this server ends",
    "read_always": "Read it, always",
    "act": "Read it and act on it, until this server ends",
    "act_always": "Read it and act on it, always",
    "no": "No",
}


def _can_be_granted(effect: Effect, verdict: Verdict, caller: Caller) -> bool:
    return caller.can_ask and effect in _ASKED and bool(verdict.flag) and bool(verdict.host)


def _question(level: Level, host: str, caller: Caller, *, only_read: bool) -> Question:
    """In words for the user, who knows none of our flags."""
    wanted = "read" if level is Level.READ else "act on (click, type and so on)"
    so_far = "only read it" if only_read else "not use it at all"
    offered = [key for key in _LABELS if level is Level.READ or not key.startswith("read")]
    return Question(
        message=f"{caller.name or 'The client'} wants to {wanted} {host} in the browser."
        f" So far it may {so_far}.",
        options=tuple((key, _LABELS[key]) for key in offered),
    )
