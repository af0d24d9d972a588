"""Makes a private folder next to the target for each writer, and deletes those of killed writers."""

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
"""Longest file name in bytes."""


@dataclass(frozen=True)
class Workplace:
    """Temporary folder of a file or store that is being written; deleted at the end.

    folder : `<target>.<machine>-<process>-<random>.partial` next to the target, private to this user
    partial : the new file or folder in it, with the name of the target
    scratch : a folder in it for temporary data, made on demand
    aside : temporary place of a replaced folder on systems that cannot swap two
    """

    folder: Path
    partial: Path
    scratch: Path
    aside: Path


def make_workplace(target: Path) -> Workplace:
    """Make a folder with an unguessable name, and delete those of dead writers."""
    sweep(target.parent, target.name)
    token = f".{machine()}-{os.getpid()}-{secrets.token_hex(8)}"
    stem = stem_of(target.name)
    folder = target.with_name(f"{stem}{token}{SUFFIX}")
    # Fails if the name is taken, and follows no link: nobody can have put something else there.
    folder.mkdir(mode=0o700)
    aside = target.with_name(f"{stem}{token}.before")
    return Workplace(folder, folder / target.name, folder / token[1:], aside)


def sweep(parent: Path, name: str | None = None) -> None:
    """Delete leftovers of killed processes of this machine next to a target, or to all targets in a folder."""
    if sys.platform == "win32":  # on Windows, checking whether a process lives would end it
        return
    stem = ".+" if name is None else re.escape(stem_of(name))
    pattern = re.compile(rf"{stem}\.{machine()}-(\d+)-[0-9a-f]{{16}}{re.escape(SUFFIX)}", re.DOTALL)
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            found = pattern.fullmatch(entry.name)
            if found and not _is_alive(int(found[1])) and entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)


def stem_of(name: str) -> str:
    """Return the start of a name that leaves room for the rest of a workplace's name."""
    room = _LONGEST - len(f".{machine()}-{2**32}-{'0' * 16}{SUFFIX}")
    return os.fsencode(name)[:room].decode(errors="ignore") if len(os.fsencode(name)) > room else name


@cache
def machine() -> str:
    """Return 8 digits for the scope of process numbers: a host, on Linux a container on it."""
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
    except (OSError, OverflowError):  # of another user, or not a process number
        return True
    return True
