"""Keeps partial results in a folder next to the target, so that killed work can resume."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO

from cxg_widget.errors import StorageError, TargetNotWritten
from cxg_widget.files.workplace import machine, stem_of

SUFFIX = ".resume"
_LOCK = "lock"


@contextmanager
def kept_folder(target: Path, key: str) -> Iterator[Path]:
    """Yield a private folder, with what an earlier run for the same target and key left in it.

    It is deleted at the end, and after an error that another run would meet again. It stays after a kill, Ctrl+C, and a
    failure of remote storage. Folders of other keys are deleted, since the parameters have changed.

    Raises `TargetNotWritten` if another process does the same work.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    token = f".{machine()}-{sha256(key.encode()).hexdigest()[:16]}"
    folder = target.with_name(f"{stem_of(target.name)}{token}{SUFFIX}")
    for other in _others(target):
        if other != folder and (lock := _locked(other)) is not None:
            lock.close()
            shutil.rmtree(other, ignore_errors=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    lock = None if folder.is_symlink() else _locked(folder)
    if lock is None:
        raise TargetNotWritten(f"'{target}' cannot be written: another process is writing it; wait for that one.")
    with lock:
        try:
            yield folder
        except BaseException as error:
            if isinstance(error, Exception) and not isinstance(error, StorageError):
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def has_kept(target: Path) -> bool:
    """Return whether there is such a folder for a target."""
    return any(True for _ in _others(target))


def _others(target: Path) -> Iterator[Path]:
    pattern = re.compile(rf"{re.escape(stem_of(target.name))}\.{machine()}-[0-9a-f]{{16}}{re.escape(SUFFIX)}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)


def _locked(folder: Path) -> IO[bytes] | None:
    """Return a lock on a folder, which ends with its process; None if another process holds it."""
    file = (folder / _LOCK).open("ab")
    try:
        import fcntl
    except ImportError:  # on Windows, where two runs for one target are not distinguished
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
