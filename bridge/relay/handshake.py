"""The server's half of the handshake: who may speak on a link. Pure, a message in, a message out.

Each side proves that it knows the token and neither says it: a process that has taken our port
learns nothing it could use, and neither does one that dials us. The order is fixed and short, so
whatever comes out of turn is a refusal, but for words we do not know: a newer extension may say
more than we understand, within the four frames it has.
"""

import re
import secrets
from enum import Enum
from hmac import compare_digest
from typing import TypeVar

import msgspec

from bridge.transport.link import (
    EXTENSION_ID,
    ROLE_CLIENT,
    ROLE_SERVER,
    UNREADABLE,
    VERSIONS,
    Challenge,
    Close,
    Hello,
    Proof,
    Welcome,
    Wire,
    proof,
)

_NONCE = re.compile(r"[\w.+/=-]{16,128}", re.ASCII)
_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
W = TypeVar("W", bound=Wire)


class RefusedError(Exception):
    """The link is to be closed with this code; the sentence repeats nothing that was said."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class State(Enum):
    """Whose turn it is."""

    HELLO = "hello"
    PROOF = "proof"
    DONE = "done"


class _Said(msgspec.Struct):
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")


class Handshake:
    """One connection's, for a token and a port; `hello` is believed once `done`."""

    def __init__(self, token: str, port: int, welcome: Welcome) -> None:
        self._token = token
        self._port = port
        self._welcome = welcome
        self._nonce = secrets.token_urlsafe(24)
        self._expected = ""
        self._state = State.HELLO
        self.hello: Hello | None = None

    @property
    def done(self) -> bool:
        return self._state is State.DONE

    def hear(self, message: bytes) -> bytes | None:
        """What is to be answered, if anything; RefusedError ends it."""
        try:
            said = msgspec.json.decode(message, type=_Said)
        except UNREADABLE as error:
            raise RefusedError(Close.MALFORMED, "what it said is no message") from error
        if said.method == "Bridge.hello" and self._state is State.HELLO:
            return self._challenge(_read(said, Hello))
        if said.method == "Bridge.proof" and self._state is State.PROOF:
            return self._judge(_read(said, Proof))
        if said.method in ("Bridge.hello", "Bridge.proof", "Bridge.ready"):
            raise RefusedError(Close.UNAUTHORIZED, "it spoke out of turn")
        return None

    def _challenge(self, hello: Hello) -> bytes:
        common = set(hello.versions) & set(VERSIONS)
        if hello.extension_id != EXTENSION_ID:
            raise RefusedError(Close.UNAUTHORIZED, "it is another extension")
        if not common:
            raise RefusedError(
                Close.VERSION, "the extension and this program have no version in common"
            )
        named = _NAME.fullmatch(hello.instance_id) and _NAME.fullmatch(hello.epoch)
        if not named or not _NONCE.fullmatch(hello.nonce):
            raise RefusedError(Close.MALFORMED, "its hello is not as it should be")
        self.hello = hello
        self._state = State.PROOF
        self._expected = self._mac(ROLE_CLIENT, max(common))
        mac = self._mac(ROLE_SERVER, max(common))
        return event("Bridge.challenge", Challenge(version=max(common), nonce=self._nonce, mac=mac))

    def _mac(self, role: str, version: int) -> str:
        assert self.hello is not None
        return proof(
            self._token,
            role,
            version=version,
            port=self._port,
            extension_id=EXTENSION_ID,
            theirs=self.hello.nonce,
            ours=self._nonce,
        )

    def _judge(self, given: Proof) -> bytes:
        if not compare_digest(given.mac.encode("utf-8", "replace"), self._expected.encode()):
            raise RefusedError(Close.UNAUTHORIZED, "its proof is wrong")
        self._state = State.DONE
        return event("Bridge.welcome", self._welcome)


def event(method: str, params: Wire) -> bytes:
    """One of our own messages, which have no id."""
    return msgspec.json.encode({"method": method, "params": params})


def _read(said: _Said, kind: type[W]) -> W:
    try:
        return msgspec.json.decode(said.params, type=kind)
    except UNREADABLE as error:
        raise RefusedError(Close.MALFORMED, "its parameters are not as agreed") from error
