"""Large blocks of memory go back to the system, however long a server runs.

The C library of Linux takes blocks of 128 KB and more from the system, one by one, until the first
of them is freed: from then on it keeps blocks of that size on its heap. What is sent to each new
page is such a block, and what is kept of the page settles in the gap it leaves: the heap grew by
10 KB a page, for ever (0.9 MB in 96 pages and 4,032 calls, measured; 0 since).
"""

import sys

_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
_LARGE = 128 * 1024  # bytes: what it begins with; once it is said, it stays


def steady() -> None:
    """Have the C library keep to what it begins with, where it can be told."""
    if sys.platform != "linux":
        return
    import ctypes  # here, where others wait for a browser: it costs 2 ms

    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    if tell is not None:
        tell(_MMAP_THRESHOLD, _LARGE)
