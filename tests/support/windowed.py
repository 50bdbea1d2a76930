"""The same browser in a window, and a person's hand on its keyboard.

A process of its own holds a screen that nobody sees (Xvfb) and the browser on it, and takes both
along when it ends. Keys go to whatever has the focus on that screen, as they would from a keyboard;
places on the screen, which a new Chrome may move, are named nowhere.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest
import trio

from launcher.chrome import open_chrome
from tests.support.browsers import say_and_wait
from tests.support.linked import Everyday, everyday_options, hold

_SIZE = (1000, 760)
_PROGRAMS = ("Xvfb", "xdotool")


@dataclass(frozen=True, slots=True)
class Window:
    """A browser on a screen."""

    everyday: Everyday
    display: str

    async def press(self, *keys: str) -> None:
        """Press one key, or chord, after the other."""
        environment = {**os.environ, "DISPLAY": self.display}
        await trio.run_process(["xdotool", "key", *keys], env=environment)


@pytest.fixture(scope="module")
def window() -> Iterator[Window]:
    """A Chromium with the extension in a window, for as long as the tests of the module last."""
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        why = f"no {' and no '.join(missing)} on this machine (make screen)"
        if os.environ.get("CI") and sys.platform == "linux":
            pytest.fail(why)
        pytest.skip(why)
    with hold("tests.support.windowed") as (folder, said):
        assert said, "the browser or its screen did not come"
        url, display = said.split()
        yield Window(Everyday(folder, url), display)


@contextmanager
def _hold_screen() -> Iterator[str]:
    """A screen with a free number; its name."""
    told, tell = os.pipe()
    width, height = _SIZE
    command = ["Xvfb", "-displayfd", str(tell), "-screen", "0", f"{width}x{height}x24"]
    with subprocess.Popen([*command, "-nolisten", "tcp", "-noreset"], pass_fds=[tell]) as screen:
        os.close(tell)
        try:
            # To the end of the line: it dies if nobody takes the last of what it says.
            with open(told) as number:
                yield f":{number.readline().strip()}"
        finally:
            screen.terminate()


async def _hold(folder: str) -> None:
    with _hold_screen() as display:
        os.environ["DISPLAY"] = display
        given = everyday_options(folder)
        options = replace(
            given,
            headless=False,
            keep_open=False,
            window_size=_SIZE,
            # Chrome prefers the Wayland of a desktop, where our window would come before a person.
            chrome_args=(*given.chrome_args, "--ozone-platform=x11"),
        )
        async with open_chrome(options) as chrome:
            await say_and_wait(f"{chrome.url} {display}")


if __name__ == "__main__":
    trio.run(_hold, sys.argv[1])
