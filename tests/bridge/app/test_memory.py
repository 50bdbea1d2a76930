"""Large blocks, and where the C library has them from."""

import ctypes
import subprocess
import sys

import pytest

_SCRIPT = """
import ctypes, sys
from bridge.app.memory import steady

class Told(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Told
if sys.argv[1] == "steady":
    steady()
block = bytearray(200_000)
del block
before = libc.mallinfo2().hblkhd
block = bytearray(200_000)
print(libc.mallinfo2().hblkhd - before)
"""


def from_the_system(how: str) -> int:
    """Bytes of a large block that come from the system itself, after another one was freed."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, how], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="needs the C library of most Linux systems, which tells of its heap",
)
def test_large_blocks() -> None:
    """They come from the system, and so go back to it, each time: not the first time alone."""
    assert from_the_system("as it is") == 0
    assert from_the_system("steady") >= 200_000
