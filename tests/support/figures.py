"""Figures of many measurements: which share is below, and where a series is heading."""

from collections.abc import Sequence
from statistics import linear_regression


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def slope(values: Sequence[float]) -> float:
    """By how much each next value is larger, as a straight line through all of them says."""
    return linear_regression(range(len(values)), values).slope
