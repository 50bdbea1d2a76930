"""Medians of paired samples, and how they are shown."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Row:
    """One measured thing; `floor` stays empty where nothing is divided."""

    name: str
    unit: str
    goal: float  # of the ratio, or of the value where there is no floor
    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float | None:
        """Median of the ratios of samples taken right after one another."""
        if not self.floor:
            return None
        return statistics.median(a / b for a, b in zip(self.ours, self.floor, strict=True))

    @property
    def met(self) -> bool:
        """The goal is reached."""
        value = self.ratio
        return (statistics.median(self.ours) if value is None else value) <= self.goal


def markdown(rows: list[Row]) -> str:
    """A table; the goal is a factor where there is a floor."""
    lines = ["| what | floor | ours | ratio | goal | n |", "|---|---|---|---|---|---|"]
    for row in rows:
        floor = f"{statistics.median(row.floor):.3g} {row.unit}" if row.floor else "–"
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else "–"
        goal = f"≤ {row.goal:g} ×" if row.floor else f"≤ {row.goal:g} {row.unit}"
        mark = "" if row.met else " **missed**"
        lines.append(
            f"| {row.name} | {floor} | {statistics.median(row.ours):.3g} {row.unit} "
            f"| {ratio} | {goal}{mark} | {len(row.ours)} |"
        )
    return "\n".join(lines)
