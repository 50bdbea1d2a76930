"""The lazy package: domains by name, loaded one at a time, and typed for the checker."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

from bridge import cdp
from bridge.cdp import page
from bridge.cdp.generated import DOMAINS

ROOT = Path(__file__).parents[3]


def test_attribute() -> None:
    """A domain is an attribute of the package, and the same module every time."""
    assert cdp.page is page
    assert cdp.page.navigate("a:b").method == "Page.navigate"


@pytest.mark.parametrize("module", DOMAINS.values())
def test_all_domains(module: str) -> None:
    """Every domain is there and announced by dir()."""
    assert getattr(cdp, module).__name__ == f"bridge.cdp.generated.{module}"
    assert module in dir(cdp)


def test_misspelt() -> None:
    """A domain that does not exist is an AttributeError, and not importable."""
    with pytest.raises(AttributeError, match="pgae"):
        getattr(cdp, "pgae")  # noqa: B009  # the checker refuses it written plainly
    with pytest.raises(ImportError):
        exec("from bridge.cdp import pgae")


def test_no_shadow() -> None:
    """No domain hides behind a module of the package itself."""
    own = {path.stem for path in (ROOT / "bridge" / "cdp").iterdir()}
    assert own.isdisjoint(DOMAINS.values())


def test_lazy() -> None:
    """Importing the package loads no domain, nor msgspec; naming one loads that one."""
    program = (
        "import sys; from bridge import cdp\n"
        "print('msgspec' in sys.modules)\n"
        "cdp.fetch\n"
        "print(*[m for m in sys.modules if '.generated.' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == ["False", "bridge.cdp.generated.fetch"]


HEAD = """\
from typing import TypeVar

from bridge import cdp
from bridge.cdp import page, runtime, target
from bridge.cdp.base import Command, Object

R = TypeVar("R", bound=Object)

async def execute(command: Command[R]) -> R: ...

async def main(found: target.TargetInfo, raw: bytes) -> None:
"""

# A line of a program, and what the checker has to say to it; nothing where it is fine.
LINES = {
    'reveal_type(await execute(cdp.page.navigate(url="a:b")))': "page.NavigateResult",
    'reveal_type(page.navigate("a:b").read(raw).frame_id)': "page.FrameId",
    "reveal_type(page.LoadEventFired.read(raw))": "page.LoadEventFired",
    'page.navigate(ulr="a:b")': 'Unexpected keyword argument "ulr"',
    'page.get_resource_content(found.target_id, "a:b")': 'incompatible type "TargetID"',
    'runtime.evaluate("1", True)': "Too many positional arguments",
    "cdp.pgae.enable()": 'no attribute "pgae"',
    'found.title = "x"': "read-only",
    'page.navigate("a:b", transition_type="novelty")': "",
    "runtime.CallArgument(value=None)": "",
    'batch: list[Command[Object]] = [page.enable(), page.navigate("a:b")]': "",
}


def test_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker knows each result; it refuses misspelt words and the id of another thing."""
    snippet = tmp_path / "snippet.py"
    snippet.write_text(HEAD + "".join(f"    {line}\n" for line in LINES))
    monkeypatch.chdir(ROOT)
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'snippet'}"
    report, _, _ = api.run(["--strict", "--no-error-summary", cache, str(snippet)])
    # Only the file's name counts: out of the cache come answers with the folder of an earlier run.
    said = re.findall(r"snippet\.py:(\d+): (?:error|note): (.*)$", report, re.M)
    first = HEAD.count("\n") + 1
    for number, (line, expected) in enumerate(LINES.items(), first):
        answers = [what for where, what in said if int(where) == number]
        assert any(expected in what for what in answers) if expected else not answers, line
