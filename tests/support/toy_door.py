"""A door with tools of its own, for tests of what lies before the door."""

import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import trio

from bridge.tools.answer import Answer, Caller, Card, Image, Question

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "YPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
)
MAY = Question(message="May it?", options=(("once", "Allow once"), ("no", "No")))


def card(name: str, *, read_only: bool = True, **properties: Any) -> Card:
    """A card with an object schema."""
    return Card(
        name=name,
        title=name.capitalize(),
        description=f"The tool {name}.",
        schema={"type": "object", "properties": properties},
        read_only=read_only,
        destructive=not read_only,
        idempotent=read_only,
        open_world=True,
    )


class ToyDoor:
    """Tools by name; counts what was begun and what was cancelled."""

    instructions = "Use the tools."

    def __init__(self) -> None:
        self.expected: list[str] = []
        self.gone: list[str] = []
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self.callers: deque[Caller] = deque(maxlen=9)
        self.go = trio.Event()  # lets `wait` finish
        self.tools: dict[str, Callable[[Mapping[str, Any], Caller], Awaitable[Answer]]] = {
            "echo": self._echo,
            "wait": self._wait,
            "ask": self._ask,
            "ask_twice": self._ask_twice,
            "steps": self._steps,
            "picture": self._picture,
            "large": self._large,
            "change": self._change,
            "half": self._half,
        }

    async def cards(self, *, can_ask: bool) -> list[Card]:
        names = [name for name in self.tools if can_ask or not name.startswith("ask")]
        return [card(name, read_only=name != "change") for name in names]

    async def ready(self, name: str, arguments: object) -> None:
        await trio.lowlevel.checkpoint()

    def expect(self, name: str) -> None:
        self.expected.append(name)

    async def leave(self, client: str) -> None:
        self.gone.append(client)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        self.begun.append(name)
        self.callers.append(caller)
        if name not in self.tools:
            return Answer(text=f"UNKNOWN_TOOL: there is no tool {name!r}", is_error=True)
        try:
            return await self.tools[name](arguments, caller)
        except trio.Cancelled:
            self.cancelled.append(name)
            raise

    async def _echo(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        await trio.lowlevel.checkpoint()
        return Answer(text=json.dumps(dict(arguments), ensure_ascii=False))

    async def _wait(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        await self.go.wait()
        return Answer(text="waited")

    async def _ask(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        return Answer(text=f"chose {await caller.ask(MAY)}")

    async def _ask_twice(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        more = Question(message="And that?", options=MAY.options)
        return Answer(text=f"chose {await caller.ask(MAY)}, {await caller.ask(more)}")

    async def _steps(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        for done in range(1, 4):
            await caller.progress(done, 3, f"step {done}")
        return Answer(text="three steps")

    async def _picture(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        await trio.lowlevel.checkpoint()
        return Answer(text="a pixel", images=(Image(PIXEL, "image/png"),))

    async def _large(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        await trio.lowlevel.checkpoint()
        return Answer(text="x" * int(arguments.get("size", 1_000_000)))

    async def _change(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        self.tools["more"] = self._echo
        await caller.tools_changed()
        return Answer(text="changed")

    async def _half(self, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        await trio.lowlevel.checkpoint()
        return Answer(text="half \ud83d of a pair, and a whole 😀")
