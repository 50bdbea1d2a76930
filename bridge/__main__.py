"""`python -m bridge` is `chrome-bridge`."""

from bridge.cli import main

main(prog_name="chrome-bridge")
