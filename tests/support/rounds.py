"""How much of a long test is done: a little by default, everything for a soak.

`CHROME_BRIDGE_TEST_ROUNDS=100` is a full run; the default is enough to notice that a claim broke,
not that it breaks one time in fifty.
"""

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest

ROUNDS = int(os.environ.get("CHROME_BRIDGE_TEST_ROUNDS", "3"))
FULL = ROUNDS >= 100


def some(*values: Iterable[Any], every: int) -> Sequence[Any]:
    """All combinations of these values in a full run, else one of so many, spread over all."""
    cases = [pytest.param(*case, id="-".join(map(str, case))) for case in product(*values)]
    return cases if FULL else cases[::every]
