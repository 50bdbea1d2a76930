"""In which order files go to the workers of a run: those with a browser or other programs first.

A file stays with one worker. At the end of a run the last ones should be short, or one worker is
busy while the others have nothing left to do; xdist begins with those of many tests, and many
tests are not a long time.
"""

import pytest

_LONG = ("chromium", "peers")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """For several workers; in one process the order stays: what fails soon is told soon."""
    if not hasattr(config, "workerinput"):
        return
    long = {each.path for each in items if any(map(each.get_closest_marker, _LONG))}
    items.sort(key=lambda each: each.path not in long)
