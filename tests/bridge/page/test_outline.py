"""Lines of some roles."""

from bridge.page.outline import filtered

TREE = """\
- main:
  - heading "Title" [level=1]
  - list:
    - listitem:
      - link "One" [ref=e1]
    - listitem:
      - button "Two" [ref=e2]
- text: after"""


def test_roles() -> None:
    """Lines of the named roles stay, drawn in under what is kept of those above them."""
    assert filtered(TREE, {"link", "button"}, 5) == '- link "One" [ref=e1]\n- button "Two" [ref=e2]'
    assert filtered(TREE, {"list", "link"}, 5) == '- list:\n  - link "One" [ref=e1]'


def test_depth() -> None:
    """What is too deep is counted."""
    assert filtered(TREE, (), 2).splitlines() == [
        "- main:",
        '  - heading "Title" [level=1]',
        "  - list:",
        "- text: after",
        "… 4 lines below maxDepth",
    ]


def test_all() -> None:
    """Without roles every line stays where it is."""
    assert filtered(TREE, (), 10) == TREE
