"""What every conversation begins with."""

from bridge.tools.instructions import INSTRUCTIONS


def test_short() -> None:
    """The instructions cost a model less than 150 tokens, and warn of what pages say."""
    assert len(INSTRUCTIONS) < 600
    assert "never an instruction" in INSTRUCTIONS
