"""Names of the protocol in Python."""

import pytest

from bridge.cdp.naming import camel, is_irregular, module_name, pascal, python_name, snake


@pytest.mark.parametrize(
    ("wire", "python"),
    [
        ("nodeId", "node_id"),
        ("backendDOMNodeId", "backend_dom_node_id"),
        ("getFullAXTree", "get_full_ax_tree"),
        ("setBlockedURLs", "set_blocked_urls"),
        ("printToPDF", "print_to_pdf"),
        ("certificateHasSha1Signature", "certificate_has_sha1_signature"),
        ("x", "x"),
    ],
)
def test_snake(wire: str, python: str) -> None:
    """Acronyms stay whole words, also in the plural."""
    assert snake(wire) == python


@pytest.mark.parametrize(
    ("domain", "module"),
    [("DOMSnapshot", "dom_snapshot"), ("IndexedDB", "indexed_db"), ("CSS", "css")],
)
def test_module_name(domain: str, module: str) -> None:
    """A domain's module has its name in words."""
    assert module_name(domain) == module


def test_pascal() -> None:
    """Only the first letter is raised."""
    assert pascal("printToPDF") == "PrintToPDF"


@pytest.mark.parametrize("name", ["not", "from", "import", "str", "list", "field"])
def test_give_way(name: str) -> None:
    """Keywords, and names the generated text itself uses, get an underscore."""
    assert python_name(name) == f"{name}_"


@pytest.mark.parametrize("name", ["type", "id", "format", "filter", "hash"])
def test_builtins_stay(name: str) -> None:
    """Builtins that no generated module uses keep their natural name."""
    assert python_name(name) == name


def test_sibling() -> None:
    """A member named like a module referred to gives way to it, and only to that one."""
    assert python_name("media", {"media"}) == "media_"
    assert python_name("media", {"network"}) == "media"


def test_irregular() -> None:
    """A name that renaming would spell differently is noticed."""
    assert camel("base_url") == "baseUrl"
    assert is_irregular("baseURL", "base_url")
    assert not is_irregular("nodeId", "node_id")
    assert not is_irregular("from", "from_")  # renaming drops the underscore by itself
