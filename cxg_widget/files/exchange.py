"""Renames that Python's own calls lack: an exchange of two folders, and one that replaces nothing."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

_HERE, _NO_REPLACE, _EXCHANGE = -100, 1, 2
"""AT_FDCWD, RENAME_NOREPLACE and RENAME_EXCHANGE of Linux."""
_SWAP, _EXCLUSIVE = 2, 4
"""RENAME_SWAP and RENAME_EXCL of macOS."""


def exchange(new: Path, old: Path, aside: Path) -> None:
    """Swap two folders.

    Where the system cannot do that in one step, as on some network drives, a process that is killed between two steps
    leaves the old one as `aside`, whole.
    """
    if _rename(new, old, _EXCHANGE, _SWAP) != 0:
        # Between these two renames the target is missing. That moment is why one exchange is tried first (decision 71).
        old.rename(aside)
        try:
            new.rename(old)
        except BaseException:
            aside.rename(old)
            raise
        aside.rename(new)


def move_new(new: Path, target: Path) -> None:
    """Rename a file or folder; raise `FileExistsError` where something is there, which stays."""
    number = _rename(new, target, _NO_REPLACE, _EXCLUSIVE)
    if number == errno.EEXIST or (number != 0 and os.path.lexists(target)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    if number != 0:
        new.rename(target)


def _rename(new: Path, old: Path, linux: int, mac: int) -> int:
    """Return 0 where the system renamed with such a flag, else a number of `errno`."""
    names = os.fsencode(new), os.fsencode(old)
    system: str = sys.platform
    with suppress(AttributeError, OSError, TypeError):  # an old system, or Windows
        library = ctypes.CDLL(None, use_errno=True)
        failed = -1
        # The answer on systems that are neither Linux nor macOS.
        ctypes.set_errno(errno.ENOSYS)
        if system == "linux":
            failed = library.renameat2(_HERE, names[0], _HERE, names[1], linux)
        elif system == "darwin":
            failed = library.renamex_np(*names, mac)
        return 0 if failed == 0 else ctypes.get_errno()
    return errno.ENOSYS
