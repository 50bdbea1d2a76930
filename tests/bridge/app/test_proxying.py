"""What an endpoint is refused, and how it says where it is."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.app.proxying import Wishes, proxy
from bridge.errors import UsageError
from bridge.policy.options import PolicyOptions
from bridge.proxy.options import ProxyOptions
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions

OPEN: dict[str, Any] = {
    "enable_mutations": True,
    "unsafe_enable_eval": True,
    "allow_domain": ("a.test",),
}
FLAGS = ["--prefer", "extension", "--enable-mutations", "--unsafe-enable-eval"]
FLAGS += ["--allow-domain", "a.test"]


@pytest.mark.parametrize(
    ("prefer", "policy", "flag"),
    [
        ("cdp", OPEN, "--prefer extension"),
        ("extension", OPEN | {"unsafe_enable_eval": False}, "--unsafe-enable-eval"),
        ("extension", OPEN | {"enable_mutations": False}, "--enable-mutations"),
        ("extension", OPEN | {"allow_domain": ()}, "--allow-domain"),
        ("extension", OPEN | {"allow_domain": (), "read_domain": ("a.test",)}, "--allow-domain"),
    ],
)
async def test_refused(tmp_path: Path, prefer: Any, policy: dict[str, Any], flag: str) -> None:
    """A guest does everything a debugger can: what is not wholly allowed is not begun."""
    wishes = Wishes(
        launch=LaunchOptions(data_dir=tmp_path),
        policy=PolicyOptions(**policy),
        link=LinkOptions(prefer=prefer),
        proxy=ProxyOptions(),
    )
    with pytest.raises(UsageError) as caught:
        await proxy(wishes, Timeouts(), print)
    assert flag in caught.value.hint
    assert not os.listdir(tmp_path)


def test_a_port_that_is_none(tmp_path: Path) -> None:
    """A wrong port is a sentence."""
    done = _run(tmp_path, "--endpoint-port", "70000")
    assert done.returncode == 1
    assert done.stderr.startswith("BAD_ARGS: --endpoint-port: 70000 is no port")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_begins_and_ends(tmp_path: Path) -> None:
    """It says where it is and where the token is, never the token; it leaves no file behind."""
    command = [sys.executable, "-m", "bridge", "proxy", *FLAGS, "--data-dir", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.fullmatch(r"CDP at http://127\.0\.0\.1:\d+ \(.* is in (.*)\)\.\n", said)
        assert found is not None, said
        token = Path(found[1])
        assert oct(token.stat().st_mode & 0o777) == "0o600"
        assert token.read_text().strip() not in said
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    assert not token.exists()


@pytest.mark.parametrize("token", ["short", "with a blank " + "x" * 40])
def test_no_secret(tmp_path: Path, token: str) -> None:
    """A token of the environment has to be one, and is not repeated."""
    done = _run(tmp_path, CHROME_BRIDGE_PROXY_TOKEN=token)
    assert done.returncode == 1
    assert "CHROME_BRIDGE_PROXY_TOKEN" in done.stderr
    assert token not in done.stderr


def _run(folder: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bridge", "proxy", *FLAGS, "--data-dir", str(folder), *flags]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
