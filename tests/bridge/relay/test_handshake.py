"""The server's half of the handshake, message by message."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.relay.handshake import Handshake, RefusedError
from bridge.transport.link import EXTENSION_ID, Sites, Welcome, proof

PORT, TOKEN, NONCE = 4711, "t" * 43, "n" * 22
HELLO: dict[str, Any] = {
    "versions": [1],
    "nonce": NONCE,
    "extensionId": EXTENSION_ID,
    "extVersion": "1",
    "instanceId": "i",
    "epoch": "e",
    "product": "p",
}


def begin() -> Handshake:
    return Handshake(TOKEN, PORT, Welcome(server_id="s", client_name="c", sites=Sites(visited=[])))


def said(method: str, params: object) -> bytes:
    return json.dumps({"method": method, "params": params}).encode()


def mac(role: str, ours: str, token: str = TOKEN, **changed: Any) -> str:
    told: dict[str, Any] = {"version": 1, "port": PORT, "extension_id": EXTENSION_ID} | changed
    return proof(token, role, theirs=NONCE, ours=ours, **told)


def challenged(handshake: Handshake, **hello: object) -> dict[str, Any]:
    answer = handshake.hear(said("Bridge.hello", HELLO | hello))
    assert answer is not None
    told: dict[str, Any] = json.loads(answer)
    assert told["method"] == "Bridge.challenge"
    challenge: dict[str, Any] = told["params"]
    return challenge


def test_whole() -> None:
    """Both prove what they know, and the server says welcome; unknown words in between pass."""
    handshake = begin()
    assert handshake.hear(said("Bridge.somethingNew", {})) is None
    challenge = challenged(handshake, versions=[7, 1], unheardOf=True)
    assert challenge["mac"] == mac("server", challenge["nonce"])
    assert handshake.hear(b'{"id":3,"result":{}}') is None
    assert not handshake.done
    welcome = handshake.hear(said("Bridge.proof", {"mac": mac("client", challenge["nonce"])}))
    assert welcome is not None
    assert json.loads(welcome)["method"] == "Bridge.welcome"
    assert handshake.done
    assert handshake.hello is not None
    assert handshake.hello.instance_id == "i"


@pytest.mark.parametrize(
    "wrong",
    [
        {"token": "u" * 43},
        {"role": "server"},
        {"version": 2},
        {"port": PORT + 1},
        {"extension_id": "a" * 32},
        {"ours": "0" * 32},
    ],
    ids=str,
)
def test_wrong_proof(wrong: dict[str, Any]) -> None:
    """A proof for anything else than this token, role, version, port and nonce is refused."""
    handshake = begin()
    ours = challenged(handshake)["nonce"]
    given = mac(**({"role": "client", "ours": ours} | wrong))
    with pytest.raises(RefusedError) as caught:
        handshake.hear(said("Bridge.proof", {"mac": given}))
    assert caught.value.code == 4401
    assert not handshake.done


def test_nonce_is_new() -> None:
    """No two handshakes want the same proof."""
    assert challenged(begin())["nonce"] != challenged(begin())["nonce"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", 4400),
        (b"[]", 4400),
        (b'"\xff"', 4400),
        (b'{"method":"\xff"}', 4400),
        (b'{"method":7}', 4400),
        (b"[" * 10_000, 4400),
        (b'{"method":"Bridge.hello"}', 4400),
        (said("Bridge.hello", HELLO | {"versions": "1"}), 4400),
        (said("Bridge.hello", HELLO | {"nonce": "short"}), 4400),
        (said("Bridge.hello", HELLO | {"nonce": NONCE + "\n"}), 4400),
        (said("Bridge.hello", HELLO | {"instanceId": ""}), 4400),
        (said("Bridge.hello", HELLO | {"epoch": "x" * 65}), 4400),
        (said("Bridge.hello", HELLO | {"extensionId": "a" * 32}), 4401),
        (said("Bridge.hello", HELLO | {"versions": [2, 3]}), 4402),
        (said("Bridge.hello", HELLO | {"versions": []}), 4402),
        (said("Bridge.proof", {"mac": ""}), 4401),
        (said("Bridge.ready", {}), 4401),
    ],
)
def test_refused_first_word(message: bytes, code: int) -> None:
    """What is no hello as agreed ends it, with a code and a sentence that repeats nothing."""
    with pytest.raises(RefusedError) as caught:
        begin().hear(message)
    assert caught.value.code == code
    assert NONCE not in str(caught.value)


@pytest.mark.parametrize(
    "second",
    [said("Bridge.hello", HELLO), said("Bridge.ready", {}), said("Bridge.proof", {"mac": "é"})],
)
def test_refused_second_word(second: bytes) -> None:
    """After the hello only a proof is heard."""
    handshake = begin()
    challenged(handshake)
    with pytest.raises(RefusedError) as caught:
        handshake.hear(second)
    assert caught.value.code == 4401


@given(messages=st.lists(st.binary(max_size=60), max_size=3))
def test_any_bytes(messages: list[bytes]) -> None:
    """Whatever is said, nothing but a refusal comes of it, and nobody gets in."""
    handshake = begin()
    try:
        for message in messages:
            handshake.hear(message)
    except RefusedError:
        pass
    assert not handshake.done
