"""What may be asked of the launcher."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from launcher.options import SIZE, FencedOptions, LaunchOptions, default_data_dir, fence, sized


def test_defaults() -> None:
    """Without a wish: a lasting profile in our own folder, a free port, and no choice made."""
    options = LaunchOptions()
    assert options.data_dir == default_data_dir()
    assert (options.profile, options.isolated, options.port) == ("default", False, 0)
    assert (options.headless, options.keep_open) == (None, None)


def test_data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder is looked up when it is needed, not when the module is loaded."""
    monkeypatch.setattr("launcher.options.user_data_path", lambda name, appauthor: tmp_path / name)
    assert LaunchOptions().data_dir == tmp_path / "chrome-bridge"


def test_frozen() -> None:
    """Options are values."""
    with pytest.raises(FrozenInstanceError):
        LaunchOptions().port = 1  # type: ignore[misc]


def test_fenced() -> None:
    """What a policy adds leaves every wish as it was."""
    wishes = LaunchOptions(profile="work", port=5, chrome_args=("--x",))
    fenced = fence(wishes, proxy_server="http://127.0.0.1:9")
    assert isinstance(fenced, FencedOptions)
    assert (fenced.profile, fenced.port, fenced.chrome_args) == ("work", 5, ("--x",))
    assert fenced.proxy_server == "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("headless", "named", "size"),
    [(True, None, SIZE), (True, (800, 600), (800, 600)), (False, None, None)],
)
def test_size(headless: bool, named: tuple[int, int] | None, size: tuple[int, int] | None) -> None:
    """Pages without a window have our size unless another was named; a window has Chrome's."""
    launch = LaunchOptions(headless=headless, window_size=named)
    assert sized(launch).window_size == size
