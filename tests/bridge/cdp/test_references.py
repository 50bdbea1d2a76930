"""What a reference is for the checker and at run time."""

import pytest

from bridge.cdp.model import Member, Protocol
from bridge.cdp.references import References, plain_type


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MiniDOM.NodeId", "int"),
        ("MiniDOM.Level", "str"),
        ("MiniDOM.Quad", "list[float]"),
        ("MiniPage.FrameId", "str"),
        ("MiniDOM.Node", None),
        ("MiniDOM.Nodes", None),
        ("MiniDOM.Bag", None),
    ],
)
def test_plain_type(mini: Protocol, name: str, expected: str | None) -> None:
    """Text, numbers and lists of them need no module at run time; objects do."""
    kind = mini.find_type(name)
    assert plain_type(mini, kind, name.partition(".")[0]) == expected


def references(mini: Protocol) -> References:
    return References(mini, mini.domains[0], {}, {})


def test_foreign(mini: Protocol) -> None:
    """A foreign type is written with its module, and noted with its run-time type if plain."""
    found = references(mini)
    assert found.annotation(Member(ref="MiniPage.FrameId"), "X") == "mini_page.FrameId"
    assert found.annotation(Member(ref="MiniPage.Frame"), "X") == "mini_page.Frame"
    assert found.siblings == {"mini_page": {"FrameId": "str"}}


def test_own(mini: Protocol) -> None:
    """A type of the same domain is written bare, also with its domain's name in front."""
    found = references(mini)
    assert found.annotation(Member(ref="NodeId"), "X") == "NodeId"
    assert found.annotation(Member(ref="MiniDOM.NodeId"), "X") == "NodeId"
    assert found.siblings == {}


def test_inline_enum(mini: Protocol) -> None:
    """An inline enum gets a name from its owner, inside an array too."""
    found = references(mini)
    item = Member(type="string", enum=["a"])
    member = Member(name="kind", type="array", items=item)
    assert found.annotation(member, "GetNode") == "list[GetNodeKind]"
    assert found.enums["GetNodeKind"].values == ("a",)


def test_enum_clash(mini: Protocol) -> None:
    """Two different enums of one name are an error of the generator."""
    found = references(mini)
    found.annotation(Member(name="kind", type="string", enum=["a"]), "GetNode")
    with pytest.raises(ValueError, match="GetNodeKind"):
        found.annotation(Member(name="kind", type="string", enum=["b"]), "GetNode")


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (Member(type="binary"), "str"),
        (Member(type="number"), "float"),
        (Member(type="any"), "Json"),
        (Member(type="object"), "dict[str, Json]"),
        (Member(type="object", values=Member(type="string")), "dict[str, str]"),
        (Member(type="array", items=Member(type="object")), "list[dict[str, Json]]"),
    ],
)
def test_builtin(mini: Protocol, member: Member, expected: str) -> None:
    """Types without a name become plain Python types."""
    assert references(mini).annotation(member, "X") == expected
