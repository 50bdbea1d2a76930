"""What every test against a real Chromium may use."""

from tests.support.browsers import browser as browser
from tests.support.browsers import connect as connect
from tests.support.browsers import endpoint as endpoint
from tests.support.site import site as site
