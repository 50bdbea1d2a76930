"""What an import drags in, seen by a fresh interpreter."""

import json
import subprocess
import sys

from tests.house.sources import ROOT

_SCRIPT = """
import importlib, json, sys
before = set(sys.modules)
importlib.import_module(sys.argv[1])
loaded = set(sys.modules) - before
foreign = {m for m in loaded if m.partition(".")[0] not in sys.stdlib_module_names}
json.dump(sorted(foreign), sys.stdout)
"""


def loaded_by(module: str) -> set[str]:
    """The modules outside the standard library that importing `module` loads."""
    result = subprocess.run(
        [sys.executable, "-c", _SCRIPT, module],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return set(json.loads(result.stdout))
