"""A server process, its protocol and its ends; the tools behind it are toys."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trio

from bridge import __version__
from bridge.app.serving import check, read_policy
from bridge.errors import UsageError
from bridge.mcp.admission import IN_FLIGHT
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect, decide
from bridge.relay.options import LinkOptions
from tests.support.malformed import MALFORMED, Malformed
from tests.support.mcp_process import HANDSHAKE, TOY, Server, open_server

assert sys.platform != "win32"  # signals


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with open_server() as running:
        yield running


def test_policy_file_with_a_mark(tmp_path: Path) -> None:
    """A policy file as some editors write it, with a mark at its beginning, is read."""
    file = tmp_path / "policy.toml"
    file.write_bytes(b'\xef\xbb\xbfread = ["a.example"]\n')
    policy = read_policy(PolicyOptions(policy_file=file))
    assert decide(Effect.READ, "https://a.example/", policy).allowed


@pytest.mark.parametrize("most", [-1, 10**30])
def test_rate_that_is_none(most: int) -> None:
    """A limit that no call could keep, or nobody count, is refused before a client is greeted."""
    with pytest.raises(UsageError, match=f"{most} is no number of calls"):
        check(PolicyOptions(), ServeOptions(rate_limit=most), LinkOptions())


async def test_handshake(server: Server) -> None:
    """The handshake, the tools and a call, in the era that has a handshake."""
    answer = await server.greet()
    assert answer["result"]["serverInfo"] == {"name": "chrome-bridge", "version": __version__}
    assert answer["result"]["instructions"] == "Use the tools."
    await server.send("tools/list", 1)
    tools = (await server.receive())["result"]["tools"]
    assert "echo" in {tool["name"] for tool in tools}
    await server.call(2, "echo", a=1)
    assert (await server.receive())["result"]["content"][0]["text"] == '{"a": 1}'


async def test_no_handshake(server: Server) -> None:
    """The same in the era without."""
    found = await server.ask("server/discover", 0)
    assert found["result"]["supportedVersions"] == ["2026-07-28"]
    called = await server.ask("tools/call", 1, name="echo", arguments={"a": 1})
    assert called["result"]["content"][0]["text"] == '{"a": 1}'


async def test_unusual_handshake(server: Server) -> None:
    """A handshake that only the SDK understands is answered by it, once."""
    answer = await server.greet(protocolVersion="1999-01-01", capabilities={"tasks": {}})
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    await server.send("ping", 1)
    assert await server.receive() == {"jsonrpc": "2.0", "id": 1, "result": {}}


async def test_everything_at_once(server: Server) -> None:
    """A client that does not wait for the handshake's answer is served all the same."""
    await server.send(
        "initialize",
        0,
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "a", "version": "1"},
    )
    await server.send("notifications/initialized")
    await server.call(1, "echo", a=1)
    assert [message["id"] for message in await server.until(1)] == [0, 1]


async def test_second_handshake(server: Server) -> None:
    """A second handshake is answered and takes nothing away."""
    await server.greet()
    assert "result" in await server.greet()
    await server.call(1, "echo")
    assert "result" in (await server.receive())


@pytest.fixture(scope="module")
def answers() -> dict[str, list[dict[str, Any]]]:
    """What one process says to every malformed line, each followed by a ping."""
    found: dict[str, list[dict[str, Any]]] = {}

    async def ask_all() -> None:
        async with open_server() as server:
            await server.greet()
            for case in MALFORMED:
                await server.raw(case.line)
                await server.send("ping", case.name)
                said = [await server.receive() for _ in range(len(case.answered) + 1)]
                found[case.name] = [each for each in said if each["id"] != case.name]

    trio.run(ask_all)
    return found


@pytest.mark.parametrize("case", MALFORMED, ids=lambda case: case.name)
def test_malformed(case: Malformed, answers: dict[str, list[dict[str, Any]]]) -> None:
    """The server survives it, and answers under every id that can be read."""
    said = answers[case.name]
    assert [each["id"] for each in said] == list(case.answered)
    for each in said:
        failed = "error" in each or bool(each["result"].get("isError"))
        assert failed != case.fine


async def test_same_id_twice(server: Server) -> None:
    """Two requests under one id are two answers, and no place is lost."""
    await server.greet()
    for _ in range(IN_FLIGHT):
        await server.call(1, "echo")
        await server.call(1, "echo")
    await server.call(2, "echo")
    answers = [await server.receive() for _ in range(2 * IN_FLIGHT + 1)]
    assert sorted(each["id"] for each in answers) == [1] * 2 * IN_FLIGHT + [2]


@pytest.mark.parametrize("valid", [True, False])
async def test_line_of_50_mb(server: Server, valid: bool) -> None:
    """A line of 50 MB is served if it is valid, refused if not, and the next one is served."""
    await server.greet()
    start = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nonsense","arguments"'
    await server.raw(start + b':{"a":"' + b"x" * 50_000_000 + (b'"}}}' if valid else b""))
    await server.send("ping", 2)
    answers = {message["id"]: message for message in await server.until(1)}
    if 2 not in answers:
        await server.until(2)
    assert ("result" in answers[1]) == valid


async def test_line_above_the_limit(server: Server) -> None:
    """A line of 70 MB is refused under its id and costs no memory that stays."""
    await server.greet()
    await server.raw(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 70_000_000)
    assert (await server.receive())["error"]["code"] == -32700
    await server.send("ping", 2)
    assert (await server.receive())["id"] == 2


async def test_500_calls(server: Server) -> None:
    """500 calls at once have 500 answers, each its own."""
    await server.greet()
    async with trio.open_nursery() as nursery:

        async def send_all() -> None:
            for number in range(500):
                await server.call(number, "echo", n=number)

        nursery.start_soon(send_all)
        found = [await server.receive() for _ in range(500)]
    said = {message["id"]: message["result"]["content"][0]["text"] for message in found}
    assert said == {number: json.dumps({"n": number}) for number in range(500)}


async def test_cancelled(server: Server) -> None:
    """A cancelled call is never answered, neither at work nor still waiting for its turn."""
    await server.greet()
    for number in range(IN_FLIGHT + 1):
        await server.call(number, "wait")
    await server.send("ping", "p")
    assert await server.receive() == {"jsonrpc": "2.0", "id": "p", "result": {}}
    for number in range(IN_FLIGHT + 1):
        await server.send("notifications/cancelled", requestId=number)
    await server.call("next", "echo")
    assert [message["id"] for message in await server.until("next")] == ["next"]


async def test_unread_output(server: Server) -> None:
    """200 answers of 1 MB that nobody reads for a while are all delivered, each whole."""
    await server.greet()
    for number in range(200):
        await server.call(number, "large", size=1_000_000)
    await server.send("ping", "p")
    found = [await server.receive() for _ in range(201)]
    sizes = {m["id"]: len(m["result"]["content"][0]["text"]) for m in found if m["id"] != "p"}
    assert sizes == dict.fromkeys(range(200), 1_000_000)


async def test_stray_output() -> None:
    """What is printed, by us or by a child, goes to standard error."""
    script = (
        "import os, subprocess, sys, trio\n"
        "from contextlib import nullcontext\n"
        "from bridge.app.serving import read_policy, serve_stdio\n"
        "from bridge.timeouts import Timeouts\n"
        "from bridge.tools.answer import Answer\n"
        "from tests.support.toy_door import ToyDoor\n"
        "async def shout(arguments, caller):\n"
        "    sys.stdout.write('print\\n'); sys.stdout.flush()\n"
        "    os.write(1, b'write\\n')\n"
        "    await trio.run_process(['sh', '-c', 'echo child; cat'], stdin=None)\n"
        "    return Answer(text='done')\n"
        "door = ToyDoor()\n"
        "door.tools['shout'] = shout\n"
        "trio.run(serve_stdio, lambda client: nullcontext(door), '', Timeouts())\n"
    )
    async with open_server(sys.executable, "-c", script, stderr=subprocess.PIPE) as server:
        await server.greet()
        await server.call(1, "shout")
        assert (await server.receive())["result"]["content"][0]["text"] == "done"
        assert await server.end() == 0
        assert server.process.stderr is not None
        assert await server.process.stderr.receive_some() == b"print\nwrite\nchild\n"


async def test_hang_up_before_a_word(server: Server) -> None:
    """A client that leaves without a word is no error."""
    assert await server.end() == 0


async def test_hang_up_at_work(server: Server) -> None:
    """A client that leaves during a call ends it and the process."""
    await server.greet()
    await server.call(1, "wait")
    await server.send("ping", 2)
    await server.until(2)
    assert await server.end() == 0


async def test_question_outlives_the_first_moments(server: Server) -> None:
    """A question that is open when the SDK takes over still gets its answer to the call."""
    await server.greet(capabilities={"elicitation": {}})
    await server.call(1, "ask")
    question = await server.receive()
    await server.send("tools/list", 2, cursor="x")  # only the SDK knows what that means
    await server.until(2)
    result = {"action": "accept", "content": {"choice": "once"}}
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": result}
    await server.raw(json.dumps(answer).encode())
    (told,) = await server.until(1)
    assert told["result"]["content"][0]["text"] == "chose once"
    await server.call(3, "ask")  # the SDK's now, which counts in numbers
    assert isinstance((await server.receive())["id"], int)


async def test_hang_up_at_a_question(server: Server) -> None:
    """A client that leaves while its user is asked ends the process."""
    await server.greet(capabilities={"elicitation": {}})
    await server.call(1, "ask")
    assert (await server.receive())["method"] == "elicitation/create"
    assert await server.end() == 0


async def test_reader_gone() -> None:
    """A client whose ear is closed ends the process, though its mouth is open."""
    reading, writing = os.pipe()
    process = await trio.lowlevel.open_process(TOY, stdin=subprocess.PIPE, stdout=writing)
    os.close(writing)
    os.close(reading)
    assert process.stdin is not None
    await process.stdin.send_all(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert await process.wait() == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("greeted", [True, False])
async def test_signal(server: Server, name: str, greeted: bool) -> None:
    """A signal ends the process though standard input stays open."""
    if greeted:
        await server.greet()
        await server.call(1, "wait")
    await server.send("ping", "p")
    await server.until("p")
    server.process.send_signal(getattr(signal, name))
    assert await server.process.wait() == 0


async def test_signal_amid_an_answer(server: Server) -> None:
    """An answer that is on its way to a client still arrives whole."""
    await server.greet()
    await server.call(1, "large", size=300_000)
    await server.begun()
    server.process.send_signal(signal.SIGTERM)
    answer = await server.receive()
    assert len(answer["result"]["content"][0]["text"]) == 300_000
    assert await server.process.wait() == 0


async def test_http(tmp_path: Path) -> None:
    """Over HTTP a line says where, and in which file the token is; the file goes with us."""
    async with open_server(*TOY, "127.0.0.1:0", str(tmp_path), stderr=subprocess.PIPE) as server:
        found = re.fullmatch(
            rb"Serving (http://127\.0\.0\.1:\d+/mcp) \(the bearer token is in (.+)\)\.",
            await server.line(),
        )
        assert found is not None
        url, file = found[1].decode(), trio.Path(found[2].decode())
        headers = {"Authorization": f"Bearer {(await file.read_text()).strip()}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
            accept = {"Accept": "application/json, text/event-stream"}
            answer = await http.post(url, json=body, headers=accept)
            assert answer.status_code == 200
            session = {**accept, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
            async with http.stream("GET", url, headers=session) as news:
                assert news.status_code == 200
                server.process.send_signal(signal.SIGTERM)
                assert await server.process.wait() == 0
        assert not await file.exists()
        assert server.process.stderr is not None
        assert await server.process.stderr.receive_some() == b""


@pytest.mark.parametrize("blocked", ["await trio.sleep_forever()", "while True: pass"])
async def test_forced_end(blocked: str) -> None:
    """What will not end is ended, also where nothing in the process gets its turn any more."""
    script = (
        "import trio\n"
        "from contextlib import asynccontextmanager\n"
        "from bridge.app.serving import serve_stdio\n"
        "from bridge.timeouts import Timeouts\n"
        "from tests.support.toy_door import ToyDoor\n"
        "@asynccontextmanager\n"
        "async def open_door(client):\n"
        "    try:\n"
        "        yield ToyDoor()\n"
        "    finally:\n"
        "        with trio.CancelScope(shield=True):\n"
        f"            {blocked}\n"
        "trio.run(serve_stdio, open_door, '', Timeouts(exit=0.3))\n"
    )
    async with open_server(sys.executable, "-c", script, stderr=subprocess.DEVNULL) as server:
        await server.greet()
        await server.send("ping", 1)
        await server.receive()
        assert await server.end() == -signal.SIGALRM
