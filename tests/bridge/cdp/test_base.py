"""Commands, events and how they are read; what is tolerated and what is not."""

import subprocess
import sys

import msgspec
import pytest
from msgspec import Raw

from bridge.cdp.base import UNSET, Nothing, Sibling, event_type
from bridge.cdp.generated import dom, io, network, page, runtime, target


class Envelope(msgspec.Struct, rename="camel", omit_defaults=True):
    """What a connection sends: everything in one pass."""

    id: int
    method: str
    params: msgspec.Struct | None = None
    session_id: str | None = None


def test_envelope() -> None:
    """A command is encoded with its envelope in one pass, leaving out what was not given."""
    command = page.navigate("a:b", referrer="c:d")
    sent = msgspec.json.encode(Envelope(7, command.method, command.params, "S"))
    assert sent == (
        b'{"id":7,"method":"Page.navigate","params":{"url":"a:b","referrer":"c:d"},"sessionId":"S"}'
    )


def test_no_params() -> None:
    """A command without parameters sends none; apart from the envelope they are an empty object."""
    command = page.get_frame_tree()
    sent = msgspec.json.encode(Envelope(1, command.method, command.params))
    assert sent == b'{"id":1,"method":"Page.getFrameTree"}'
    assert command.encode_params() == b"{}"


def test_false_is_sent() -> None:
    """Only None is left out: false, zero and empty text are values."""
    command = runtime.evaluate("", silent=False, timeout=0.0)
    assert command.encode_params() == b'{"expression":"","silent":false,"timeout":0.0}'


def test_equality() -> None:
    """Two commands are equal when they would send the same."""
    assert page.navigate("a:b") == page.navigate(url="a:b")
    assert page.navigate("a:b") != page.navigate("a:c")


def test_frozen() -> None:
    """Commands and events are shared between tasks and cannot be changed."""
    event = lifecycle_event()
    with pytest.raises(AttributeError):
        page.enable().method = "Page.disable"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        event.name = "load"  # type: ignore[misc]


def lifecycle_event() -> page.LifecycleEvent:
    raw = b'{"frameId":"F","loaderId":"L","name":"init","timestamp":2}'
    return page.LifecycleEvent.read(raw)


def test_null_and_absent() -> None:
    """An argument of null is sent as null, none at all as an empty object."""
    assert msgspec.json.encode(runtime.CallArgument(value=None)) == b'{"value":null}'
    assert msgspec.json.encode(runtime.CallArgument()) == b"{}"


def test_null_and_absent_received() -> None:
    """A result of null is told from undefined, which has no value."""
    read = runtime.evaluate("x").read
    null = read(b'{"result":{"type":"object","subtype":"null","value":null}}')
    undefined = read(b'{"result":{"type":"undefined"}}')
    assert null.result.value is None
    assert undefined.result.value is UNSET


def test_raw() -> None:
    """A part of a message still in its wire form is read like bytes."""
    assert page.navigate("x").read(Raw(b'{"frameId":"F"}')).frame_id == "F"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"frameId":"F","novelty":{"x":[1]}}',
        b'{"frameId":"F","loaderId":null}',
    ],
    ids=["unknown field", "null for an optional"],
)
def test_tolerance(raw: bytes) -> None:
    """What a newer Chrome adds is ignored, and null stands for absent."""
    assert page.navigate("x").read(raw) == page.NavigateResult(frame_id=page.FrameId("F"))


def test_unknown_enum_value() -> None:
    """An enum value nobody has heard of is kept as text."""
    event = page.FrameDetached.read(b'{"frameId":"F","reason":"boredom"}')
    assert event.reason == "boredom"


def test_whole_float() -> None:
    """A whole number in floating-point form fits an integer; a broken one does not."""
    read = dom.query_selector(dom.NodeId(1), "a").read
    assert read(b'{"nodeId":2.0}').node_id == 2
    with pytest.raises(msgspec.ValidationError):
        read(b'{"nodeId":2.5}')


def test_text_stays_text() -> None:
    """Being lenient with numbers does not turn the text of a page into null."""
    result = page.navigate("x").read(b'{"frameId":"F","errorText":"null"}')
    assert result.error_text == "null"


@pytest.mark.parametrize("raw", [b"{}", b'{"frameId":null}', b'{"frameId":1}', b"[]"])
def test_mismatch(raw: bytes) -> None:
    """A reply that lacks what it must hold, or holds something else, is a ValidationError."""
    with pytest.raises(msgspec.ValidationError):
        page.navigate("x").read(raw)


def test_depth() -> None:
    """A tree too deep for the stack is a ValidationError too, for a page decides its depth."""
    level = (
        b'{"nodeId":1,"backendNodeId":1,"nodeType":1,"nodeName":"","localName":"",'
        b'"nodeValue":"","children":['
    )
    raw = b'{"root":' + level * 5000 + b"]}" * 5000 + b"}"
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # Python's own; what runs tests may have raised it
    try:
        with pytest.raises(msgspec.ValidationError, match="deeply"):
            dom.get_document(depth=-1).read(raw)
    finally:
        sys.setrecursionlimit(before)


def test_nothing() -> None:
    """A command without a result reads an empty object, and whatever a newer Chrome puts in."""
    assert page.enable().read(b"{}") == page.enable().read(b'{"novelty":1}') == Nothing()


def test_event_type() -> None:
    """An event's class is found by its method."""
    assert event_type("Page.lifecycleEvent") is page.LifecycleEvent
    assert event_type("Network.requestWillBeSent") is network.RequestWillBeSent


@pytest.mark.parametrize("method", ["Page.novelty", "Novelty.page", "Page", "", ".", "Page."])
def test_unknown_event(method: str) -> None:
    """An event nobody has heard of has no class."""
    assert event_type(method) is None


def test_sibling_plain() -> None:
    """A plain type of a sibling needs no module, an object type is taken from it."""
    sibling = Sibling("io", StreamHandle=str, Invented=int)
    assert sibling.StreamHandle is str
    assert sibling.Invented is int
    assert sibling.ReadResult is io.ReadResult


def loaded_by(program: str) -> set[str]:
    """The domains a fresh interpreter has loaded after a program."""
    report = "\nimport sys; print(*[m for m in sys.modules if '.generated.' in m])"
    done = subprocess.run(
        [sys.executable, "-c", program + report], capture_output=True, text=True, check=True
    )
    return {name.rpartition(".")[2] for name in done.stdout.split()}


def test_event_type_is_lazy() -> None:
    """Looking for an event loads its own domain and no other."""
    program = "from bridge.cdp.base import event_type; event_type('Target.targetCreated')"
    assert loaded_by(program) == {"target"}


def test_decoder_is_lazy() -> None:
    """Reading the first event of Target imports none of the domains whose ids it holds."""
    program = (
        "from bridge.cdp import target\n"
        'target.TargetCreated.read(b\'{"targetInfo":{"targetId":"T","type":"page",'
        '"title":"","url":"","attached":false,"canAccessOpener":false}}\')'
    )
    assert loaded_by(program) == {"target"}
    assert target.TargetInfo.__struct_config__.gc is False
