"""A rendered module, imported and used: on the miniature protocol, where everything is awkward."""

import inspect
from collections.abc import Callable
from types import ModuleType

import msgspec
import pytest

from bridge.cdp.base import UNSET, Event, Nothing
from bridge.cdp.model import CommandDef, Protocol, TypeDef
from bridge.cdp.render import render_domain, render_index

Load = Callable[[str], ModuleType]


@pytest.fixture
def dom(mini_module: Load) -> ModuleType:
    mini_module("mini_page")
    return mini_module("mini_dom")


def test_irregular_names(dom: ModuleType) -> None:
    """Names that renaming would not find are spelt out on the wire."""
    node = msgspec.json.decode(b'{"nodeId":1,"type":"text","baseURL":"b"}', type=dom.Node)
    assert node.base_url == "b"
    assert b'"startURL":"s"' in dom.get_node(1, start_url="s").encode_params()


def test_keyword_names(dom: ModuleType) -> None:
    """Keywords and names used in annotations get an underscore in Python, none on the wire."""
    node = dom.Node(node_id=1, type="text", not_=True, str_="s")
    assert msgspec.json.encode(node) == b'{"nodeId":1,"not":true,"str":"s","type":"text"}'
    assert dom.get_node(from_=1, list_=["a"]).encode_params() == b'{"from":1,"list":["a"]}'
    assert dom.import_().method == "MiniDOM.import"


def test_recursion(dom: ModuleType) -> None:
    """A type may hold itself, directly and through a named list."""
    raw = (
        b'{"nodeId":1,"type":"text","children":[{"nodeId":2,"type":"text"}],'
        b'"parent":{"nodeId":3,"type":"text"}}'
    )
    node = msgspec.json.decode(raw, type=dom.Node)
    assert (node.children[0].node_id, node.parent.node_id) == (2, 3)


def test_open_enum(dom: ModuleType) -> None:
    """A value nobody has heard of is kept as text, of a named enum and of an inline one."""
    node = msgspec.json.decode(b'{"nodeId":1,"type":"new","level":"abyss"}', type=dom.Node)
    assert (node.type, node.level) == ("new", "abyss")
    assert node == dom.Node(node_id=1, type="new", level="abyss")


def test_any_optional(dom: ModuleType) -> None:
    """null and absent stay different where anything may stand: sent, received, in events."""
    assert dom.get_node(1, value=None).encode_params() == b'{"from":1,"value":null}'
    assert dom.get_node(1).encode_params() == b'{"from":1}'
    raw = b'{"node":{"nodeId":1,"type":"t","value":null}}'
    event = dom.NodeAdded.read(raw)
    assert event.node.value is None
    assert event.value is UNSET


def test_cross_domain(dom: ModuleType) -> None:
    """A reply may hold objects of another domain, resolved when the reply is first read."""
    raw = (
        b'{"root":{"nodeId":1,"type":"t"},"frameId":"F",'
        b'"frame":{"id":"F","quad":[1,2],"miniDOM":7}}'
    )
    result = dom.get_node(1).read(raw)
    assert result.frame_id == "F"
    assert (result.frame.quad, result.frame.mini_dom_) == ([1.0, 2.0], 7)


def test_plain_reference_imports_nothing(mini_module: Load) -> None:
    """Reading a type that refers to another domain's identifiers does without that domain."""
    page = mini_module("mini_page")  # its sibling mini_dom does not exist anywhere
    frame = msgspec.json.decode(b'{"id":"F","quad":[1],"miniDOM":7}', type=page.Frame)
    assert frame.mini_dom_ == 7


def test_quantities(dom: ModuleType) -> None:
    """A number with a name is a plain float, an identifier is a type of its own to the checker."""
    assert dom.Delay is float
    assert dom.NodeId.__supertype__ is int


def test_signature(dom: ModuleType) -> None:
    """Required parameters come first; optional ones are given by name only."""
    parameters = inspect.signature(dom.get_node).parameters
    assert list(parameters) == ["from_", "list_", "frame_id", "start_url", "value", "after"]
    kinds = [parameter.kind for parameter in parameters.values()]
    assert kinds[0] is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert set(kinds[1:]) == {inspect.Parameter.KEYWORD_ONLY}


def test_no_result(dom: ModuleType) -> None:
    """Commands without a result share one empty result, and those without parameters send none."""
    assert dom.enable().params is None
    assert dom.enable().read(b"{}") == Nothing()
    assert dom.evict(1).result is Nothing


def test_docstrings(dom: ModuleType) -> None:
    """What the protocol says is kept, with flags, parameters and redirection in words."""
    assert dom.import_.__doc__ == "A keyword for a name. Experimental."
    assert dom.evict.__doc__ == "Moved house. Deprecated. Redirects to MiniPage."
    assert "from_: Where to start." in dom.get_node.__doc__
    assert dom.Node.__doc__ == "A node of a tree."
    assert dom.Cleared.__doc__ == "MiniDOM.cleared. Experimental."


def test_events(dom: ModuleType, mini_module: Load) -> None:
    """Every event is in the table of its module under its method."""
    table = {"MiniDOM.nodeAdded": dom.NodeAdded, "MiniDOM.cleared": dom.Cleared}
    assert table == dom.EVENTS
    assert dom.Cleared.METHOD == "MiniDOM.cleared"
    assert issubclass(dom.Cleared, Event)
    assert mini_module("mini_page").EVENTS == {}


def test_collision(mini: Protocol) -> None:
    """Two things of one name in a module are an error of the generator."""
    domain = mini.domains[1]
    domain.types.append(TypeDef(id="disable", type="string"))
    with pytest.raises(ValueError, match="disable"):
        render_domain(mini, domain)


def test_long_call(mini: Protocol) -> None:
    """A call too long for a line gets a line per argument."""
    mini.domains[1].commands.append(CommandDef(name="x" * 60))
    text = render_domain(mini, mini.domains[1])
    assert f'    return Command(\n        "MiniPage.{"x" * 60}",\n        None,\n' in text


def test_index(mini: Protocol) -> None:
    """The package knows its domains, their modules and the browser they came from."""
    namespace: dict[str, object] = {}
    exec(render_index(mini), namespace)
    assert namespace["DOMAINS"] == {"MiniDOM": "mini_dom", "MiniPage": "mini_page"}
    assert namespace["CHROMIUM"] == "0.0.0.1"
    assert namespace["__all__"] == ["mini_dom", "mini_page"]
