"""A secret that went in is found nowhere: in no answer, no file of ours, no log."""

import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge import log
from bridge.app.door import open_door
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from bridge.tools.answer import Door
from fixtures.site import Site
from launcher.options import LaunchOptions
from tests.support.door import Client

pytestmark = pytest.mark.chromium

SECRET = "canary-Se/cr+et 9%"  # of the file: typed by its name
TYPED = "canary-typed-5521"  # a password the caller types itself
COOKIE = "canary-cookie-7310"
TOKEN = "canary-token-8846"


@dataclass
class Talk:
    """A client that keeps all it was told."""

    door: Door
    told: list[str] = field(default_factory=list)

    async def call(self, name: str, /, **arguments: Any) -> str:
        answer = await self.door.call(name, arguments, Client(name="canaries"))
        self.told.append(answer.text)
        return answer.text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The server's folder."""
    return tmp_path / "home"


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    """Everything is logged there."""
    logger = logging.getLogger("chrome_bridge")
    before = logger.handlers[:], logger.level, logger.propagate
    log.configure("all", tmp_path / "log")
    yield tmp_path / "log"
    for handler in logger.handlers:
        handler.close()
    logger.handlers[:], logger.level, logger.propagate = before


@pytest.fixture
async def talk(tmp_path: Path, home: Path, log_file: Path) -> AsyncIterator[Talk]:
    """A whole server with a file of secrets, and a browser of its own."""
    file = tmp_path / "secrets.env"
    file.write_text(f"PASSWORD={SECRET}\n")
    file.chmod(0o600)
    policy = PolicyOptions(
        unsafe_all_domains=True,
        enable_mutations=True,
        unsafe_enable_eval=True,
        enable_downloads=True,
    )
    launch = LaunchOptions(headless=True, isolated=True, data_dir=home)
    serve = ServeOptions(secrets=file, toolsets=("all",))
    async with open_door(launch, serve, Policy.from_options(policy), Timeouts()) as door:
        yield Talk(door)


def _kept(home: Path, log_file: Path) -> str:
    """All that we have written, in one text; what Chrome keeps in its profile is Chrome's."""
    ours = [path for path in home.rglob("*") if path.is_file() and "isolated" not in path.parts]
    assert any(path.name == "audit.jsonl" for path in ours)
    return "".join(path.read_text(errors="replace") for path in [*ours, log_file])


async def test_secret_by_name(talk: Talk, site: Site, home: Path, log_file: Path) -> None:
    """A secret reaches the page, and comes back in no answer, whatever the page does with it."""
    await talk.call("navigate", url=site.url("/form"))
    await talk.call("type", selector="#name", text="{{PASSWORD}}", clear=True)
    field = "document.querySelector('#name').value"
    assert str(len(SECRET)) in await talk.call("eval", expression=f"{field}.length")
    scripts = (
        field,
        f"encodeURIComponent({field})",
        f"btoa({field})",
        f"btoa('me:' + {field})",
        f"JSON.stringify([{field}])",
        f"document.title = {field}",
        f"console.log('it is ' + {field})",
        f"fetch('/echo?q=' + encodeURIComponent({field})).then((answer) => answer.text())",
        f"document.body.append({field})",
        f"(() => {{ throw new Error({field}) }})()",
    )
    for script in scripts:
        await talk.call("eval", expression=script)
    for name in ("snapshot", "get_text", "read_as_markdown", "console_messages", "tabs_list"):
        await talk.call(name)
    await talk.call("get_html", selector="body")
    await talk.call("get_text", maxTokens=1)
    await talk.call("network_requests")
    await talk.call("network_requests", requestId=3, maxTokens=0)
    await talk.call("fill_form", fields={"#email": "{{PASSWORD}}"})
    told = "\n".join(talk.told)
    assert told.count("{{PASSWORD}}") > 12  # it was there, each time
    _search(told, SECRET)
    _search(_kept(home, log_file), SECRET)


async def test_credentials(talk: Talk, site: Site, home: Path, log_file: Path) -> None:
    """Typed passwords, cookies and tokens are not in what a client did not ask for, nor kept."""
    await talk.call("navigate", url=site.url(f"/form?access_token={TOKEN}"))
    await talk.call("type", selector="#password", text=TYPED, clear=True)
    await talk.call("cookies", action="set", name="sid", value=COOKIE, httpOnly=True)
    await talk.call("storage", action="set", key="jwt", value=TOKEN)
    headers = f"{{headers: {{Authorization: '{TOKEN}'}}}}"
    script = f"fetch('/status?code=200', {headers}).then((answer) => answer.text())"
    await talk.call("eval", expression=script)
    for name in ("snapshot", "cookies", "storage", "network_requests", "get_form_values"):
        await talk.call(name)
    await talk.call("network_requests", requestId=3, maxTokens=0)
    _search("\n".join(talk.told[1:]), TYPED, COOKIE)
    _search(_kept(home, log_file), TYPED, COOKIE, TOKEN)


def _search(text: str, *canaries: str) -> None:
    for canary in canaries:
        place = text.find(canary)
        assert place < 0, text[max(0, place - 300) : place + 100]
