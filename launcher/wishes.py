"""Wishes that no launch could ever fulfil, told before anything is started.

Only what no wait would mend. Whether the browser that is named is installed, or an endpoint
answers, is found out when it is needed, for that may have changed by then.
"""

from bridge.errors import UsageError
from launcher.chrome_args import check_extra
from launcher.options import LaunchOptions

_PORTS = range(65536)
_LARGEST = 10_000_000  # Chrome refuses a page that is larger


def check_wishes(options: LaunchOptions) -> None:
    """BAD_ARGS for the first option that cannot be used."""
    check_extra(options.chrome_args)
    for check in (_port, _size, _extensions, _names):
        check(options)


def _port(options: LaunchOptions) -> None:
    if options.port not in _PORTS:
        raise _unusable(f"--port: {options.port} is no port", "Give one up to 65535, or none.")


def _size(options: LaunchOptions) -> None:
    if options.window_size and not all(0 < side <= _LARGEST for side in options.window_size):
        width, height = options.window_size
        raise _unusable(f"--window-size: {width}x{height} is no size", "Write it as 1280x720.")


def _extensions(options: LaunchOptions) -> None:
    """Chrome says nothing of an extension that is not there."""
    for folder in options.extensions:
        if not (folder / "manifest.json").is_file():
            raise _unusable(
                f"--load-extension: {folder} holds no manifest.json",
                "Name the folder of an unpacked extension, the one with its manifest.json.",
            )


def _names(options: LaunchOptions) -> None:
    """Modules of the launcher that know them are loaded for those who name something."""
    if options.profile != "default":
        from launcher.profile import safe_name

        safe_name(options.profile)
    if options.channel is not None:
        from launcher.find import parse_channel

        parse_channel(options.channel)
    if options.cdp_endpoint is not None:
        from launcher.probe import parse_endpoint

        parse_endpoint(options.cdp_endpoint)


def _unusable(why: str, hint: str) -> UsageError:
    return UsageError("BAD_ARGS", why, hint=hint)
