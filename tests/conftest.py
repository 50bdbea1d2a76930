"""Fixtures every room's tests may use; what belongs to one room lives beside its tests."""

import signal

from hypothesis import settings

from tests.support.cdp_log import cdp_folder as cdp_folder
from tests.support.cdp_log import pytest_runtest_makereport as pytest_runtest_makereport
from tests.support.cdp_log import pytest_runtest_protocol as pytest_runtest_protocol
from tests.support.order import pytest_collection_modifyitems as pytest_collection_modifyitems

# Hypothesis measures each example against a deadline, which only a busy machine ever misses.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

# A job in the background of a shell is born deaf to Ctrl-C, and so would be what it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# And what nohup starts, to the end of its terminal.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
