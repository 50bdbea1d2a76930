"""What every test with programs of others may use."""

from tests.support.peer_programs import programs as programs
