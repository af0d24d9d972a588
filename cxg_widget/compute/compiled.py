"""Compiles loops with numba, of which this is the only importer; it is imported at first use, as that is slow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop at its first call, and keep the result on disk where there is a place for it."""
    try:
        # Without the GIL other threads answer meanwhile, and threads can share a view. Compiling the loops takes 3.5 to
        # 3.9 s once and, from the files, 0.5 s a process (decision 11).
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only plain view, so that one compiled form serves arrays in memory and mapped files."""
    # numba compiles anew for each type, memory order and writability, and an index that is mapped cannot be written.
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
