"""Makes a private folder next to the target for each writer, and removes those of killed writers."""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

SUFFIX = ".partial"
_LONGEST = 255
"""Bytes of a name, as file systems take them."""


@dataclass(frozen=True)
class Workplace:
    """Temporary folder of a file or store that is being written; removed at the end.

    folder : `<target>.<machine>-<process>-<random>.partial` next to the target, for this user alone
    partial : the new file or folder in it, called as the target
    scratch : a folder in it for values that wait on disk; whoever needs it makes it
    aside : where a replaced folder waits for a moment on systems that cannot swap two
    """

    folder: Path
    partial: Path
    scratch: Path
    aside: Path


def make_workplace(target: Path) -> Workplace:
    """Make a folder that nobody else has or can guess, and remove those whose writers died."""
    sweep(target.parent, target.name)
    token = f".{machine()}-{os.getpid()}-{secrets.token_hex(8)}"
    stem = stem_of(target.name)
    folder = target.with_name(f"{stem}{token}{SUFFIX}")
    # Fails where the name is taken, and follows no link: nobody can have put something else there.
    folder.mkdir(mode=0o700)
    aside = target.with_name(f"{stem}{token}.before")
    return Workplace(folder, folder / target.name, folder / token[1:], aside)


def sweep(parent: Path, name: str | None = None) -> None:
    """Remove what killed processes of this machine left next to a target, or to all targets in a folder."""
    if sys.platform == "win32":  # where asking whether a process lives would end it
        return
    stem = ".+" if name is None else re.escape(stem_of(name))
    pattern = re.compile(rf"{stem}\.{machine()}-(\d+)-[0-9a-f]{{16}}{re.escape(SUFFIX)}", re.DOTALL)
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = pattern.fullmatch(entry.name)
            if found and not _is_alive(int(found[1])) and entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)


def stem_of(name: str) -> str:
    """Return as much of a name as leaves room for the rest of a workplace's."""
    room = _LONGEST - len(f".{machine()}-{2**32}-{'0' * 16}{SUFFIX}")
    return os.fsencode(name)[:room].decode(errors="ignore") if len(os.fsencode(name)) > room else name


@cache
def machine() -> str:
    """Return 8 digits of where a process number means something: a host, on Linux a container of it."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return f"{crc32(f'{platform.node()} {space}'.encode(errors='replace')):08x}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's, or no number of a process
        return True
    return True
