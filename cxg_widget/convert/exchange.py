"""Two folders change places in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

_HERE, _EXCHANGE, _SWAP = -100, 2, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""


def exchange(new: Path, old: Path) -> None:
    """Let a new folder take the place of an old one, which is where the new one was afterwards.

    Where the system cannot do both at once, as on some network drives, a process that is killed between the two leaves
    the old one as `<name>.before`, whole.
    """
    if not _at_once(new, old):
        aside = old.with_name(f"{old.name}.before")
        old.rename(aside)
        try:
            new.rename(old)
        except BaseException:
            aside.rename(old)
            raise
        aside.rename(new)


def _at_once(new: Path, old: Path) -> bool:
    """Say whether the two have changed their names in one step."""
    names = os.fsencode(new), os.fsencode(old)
    system: str = sys.platform
    with suppress(AttributeError, OSError, TypeError):  # an old system, or Windows
        library = ctypes.CDLL(None)
        if system == "linux":
            return int(library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)) == 0
        if system == "darwin":
            return int(library.renamex_np(*names, _SWAP)) == 0
    return False
