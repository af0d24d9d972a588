"""How much memory glibc has given out: RSS also counts what it keeps for later, which goes up and down."""

from __future__ import annotations

import ctypes
import sys

MIB = 2**20


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("a", "b", "c", "d", "hblkhd", "e", "f", "uordblks", "g", "h")]


def is_known() -> bool:
    """Say whether this C library tells."""
    return sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "mallinfo2")


def allocated_mib() -> float:
    """Return what malloc has given out and not got back, MiB."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    found = mallinfo()
    return float(found.hblkhd + found.uordblks) / MIB
