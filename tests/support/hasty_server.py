"""The server with other deadlines: `hasty_server evaluate=2 probe=1 -- serve …`.

What happens when time runs out is the same whatever the time; tests that wait for it need not take
half a minute each. What the real figures are is measured by the slow tests.
"""

import sys

from bridge import cli
from bridge.timeouts import Timeouts


def main(arguments: list[str]) -> None:
    """Run the command line behind `--`."""
    here = arguments.index("--")
    changed = dict(each.split("=") for each in arguments[:here])
    timeouts = Timeouts(**{name: float(seconds) for name, seconds in changed.items()})
    vars(cli)["Timeouts"] = lambda: timeouts
    cli.main(arguments[here + 1 :])


if __name__ == "__main__":
    main(sys.argv[1:])
