"""What every test against a real Chromium may use."""

from tests.support.backends import browser as browser
from tests.support.backends import connect as connect
from tests.support.backends import crash as crash
from tests.support.backends import pytest_generate_tests as pytest_generate_tests
from tests.support.browsers import endpoint as endpoint
from tests.support.browsers import standing as standing
from tests.support.linked import contracted as contracted
from tests.support.linked import everyday as everyday
from tests.support.linked import standing_everyday as standing_everyday
from tests.support.logged import logged as logged
from tests.support.site import site as site
from tests.support.windowed import window as window
