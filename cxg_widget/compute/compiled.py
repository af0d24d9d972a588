"""Compiles loops with numba; the only importer of it, at first use, since it is slow to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop at its first call, and cache the result on disk if possible."""
    try:
        # Without the GIL other threads answer meanwhile, and threads can share a view. Compiling the loops takes 3.5 to
        # 3.9 s once and, from the files, 0.5 s a process (decision 11).
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return numba.njit(nogil=True)(function)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only plain view, so that one compiled form serves arrays in memory and mapped files."""
    # numba compiles for each dtype, memory order and writability, and a mapped index is not writable.
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
