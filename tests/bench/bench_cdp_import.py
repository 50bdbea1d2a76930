"""What importing ten core domains costs beyond msgspec: `python tests/bench/bench_cdp_import.py`.

A fresh interpreter per sample, both variants in turn within a round, so that a busy machine slows
both; only the import statements are timed, with the bytecode already compiled.
"""

import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = 15
GOAL = 0.060  # seconds beyond `import msgspec`
CORE = "page, runtime, target, dom, network, input, emulation, fetch, browser, accessibility"
VARIANTS = {
    "msgspec alone": "import msgspec",
    "the package": "import msgspec; from bridge import cdp",
    "ten core domains": f"import msgspec; from bridge.cdp import {CORE}",
}
TIMER = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def sample(statement: str) -> float:
    """Seconds this statement takes in a fresh interpreter."""
    command = [sys.executable, "-c", TIMER.format(statement)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> int:
    """Print the medians; 1 if the goal is missed."""
    for statement in VARIANTS.values():
        sample(statement)  # compiles what is not compiled yet
    rounds = [{name: sample(text) for name, text in VARIANTS.items()} for _ in range(ROUNDS)]
    medians = {name: statistics.median(each[name] for each in rounds) for name in VARIANTS}
    extra = statistics.median(each["ten core domains"] - each["msgspec alone"] for each in rounds)
    lines = [f"{name:<18}{seconds * 1000:7.1f} ms" for name, seconds in medians.items()]
    lines.append(f"beyond msgspec    {extra * 1000:7.1f} ms (goal {GOAL * 1000:g})")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if extra <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
