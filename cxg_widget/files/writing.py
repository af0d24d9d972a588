"""Atomic writing of files and folders: complete under their name at the end, or not at all."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path

from cxg_widget.errors import CxgWidgetError, TargetNotWritten
from cxg_widget.files.target import check_free, check_replaceable
from cxg_widget.files.workplace import Workplace, make_workplace

_WHY = {
    ENOSPC: "the disk is full",
    EDQUOT: "the space that you may use is full",
    EFBIG: "no file may be as large there",
}
_HERE, _NO_REPLACE, _EXCHANGE = -100, 1, 2
"""AT_FDCWD, RENAME_NOREPLACE and RENAME_EXCHANGE of Linux."""
_SWAP, _EXCLUSIVE = 2, 4
"""RENAME_SWAP and RENAME_EXCL of macOS."""


@contextmanager
def writing(
    target: Path,
    *,
    replaces: bool = False,
    is_folder: bool = False,
    durable: bool = True,
    private: bool = False,
) -> Iterator[Workplace]:
    """Yield a place to write; at the end of the block its file or folder becomes the target atomically.

    Each writer has a private folder, so that the last of several writers of one target wins, and readers always find a
    complete file. The new file takes the permissions of the one it replaces.

    Parameters
    ----------
    replaces : whether it replaces an existing target; the parent folder must exist
    is_folder : whether the target is a folder; two folders are swapped
    durable : whether to flush everything to disk before replacing; False for data that can be made again
    private : whether a new file is private to this user; else it has the usual permissions

    After an error or an interruption nothing is left, not even a folder made for it. A killed process leaves its
    `<target>.<machine>-<process>-<random>.partial`, which the next writer of that target on this machine deletes.

    Raises
    ------
    TargetExists
        If the target exists and is not to be replaced, at the start or at the end.
    TargetNotWritten
        If the disk is full or refuses; if the target is a link, contains links, or is neither file nor folder.

    Examples
    --------
    >>> with writing(Path("table.csv"), replaces=True) as place:  # doctest: +SKIP
    ...     place.partial.write_text("a,b", encoding="utf-8")
    """
    if replaces:
        check_replaceable(target, is_folder=is_folder)
    else:
        check_free(target)
    made = [folder for folder in target.parents if not folder.exists()]
    place: Workplace | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # TileDB resolves relative paths against the folder in which the process started, whatever `os.chdir` did since.
        place = make_workplace(target.absolute())
        yield place
        # The data are flushed before the name leads to them: after a crash the name shows the old file or the new one.
        _finish(place, target, durable=durable, private=private)
        if replaces:
            check_replaceable(target, is_folder=is_folder)  # again, since it may have changed meanwhile
            _replace(place, target)
        else:
            _place_new(place, target)
        if durable:
            _to_disk(target.parent)
    except BaseException as error:
        _leave_nothing(place, made)
        if isinstance(error, OSError) and not isinstance(error, CxgWidgetError):
            advice = "Nothing of it is left; make room, or choose another place."
            raise TargetNotWritten(f"'{target}' cannot be written: {_why(error)}. {advice}") from error
        raise
    _leave_nothing(place, [])


def _finish(place: Workplace, target: Path, *, durable: bool, private: bool) -> None:
    """Flush the written data to disk, and set the permissions of the target."""
    if durable:
        for part in (*place.partial.rglob("*"), place.partial):
            _to_disk(part)
    # Before the rename, so that nobody ever sees the new file with other permissions.
    if target.exists():
        shutil.copymode(target, place.partial)
        if hasattr(os, "chown"):
            with suppress(OSError):  # a group that this user is not in
                os.chown(place.partial, -1, target.stat().st_gid)
    elif private:
        place.partial.chmod(stat.S_IRUSR | stat.S_IWUSR | (stat.S_IXUSR if place.partial.is_dir() else 0))


def _replace(place: Workplace, target: Path) -> None:
    if target.is_dir():
        exchange(place.partial, target, place.aside)
    else:
        os.replace(place.partial, target)


def _place_new(place: Workplace, target: Path) -> None:
    try:
        move_new(place.partial, target)
    except FileExistsError:
        check_free(target)
        raise


def _to_disk(path: Path) -> None:
    if path.is_dir():
        with suppress(OSError):  # not every system opens folders
            _sync(path)
    else:
        _sync(path)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _leave_nothing(place: Workplace | None, made: list[Path]) -> None:
    if place is not None:
        shutil.rmtree(place.folder, ignore_errors=True)
    with suppress(OSError):  # what cannot be deleted may not exist
        for folder in made:
            folder.rmdir()


def _why(error: OSError) -> str:
    reason = _WHY.get(error.errno or 0) or error.strerror or str(error)
    return reason.rstrip(".")


def exchange(new: Path, old: Path, aside: Path) -> None:
    """Swap two folders.

    If the system cannot do that atomically, as on some network drives, a process killed between two renames leaves the
    old folder as `aside`, complete.
    """
    if _rename(new, old, _EXCHANGE, _SWAP) != 0:
        # The target is missing between these two renames; therefore an atomic exchange is tried first (decision 71).
        old.rename(aside)
        try:
            new.rename(old)
        except BaseException:
            aside.rename(old)
            raise
        aside.rename(new)


def move_new(new: Path, target: Path) -> None:
    """Rename a file or folder; raise `FileExistsError` if the target exists, which stays."""
    number = _rename(new, target, _NO_REPLACE, _EXCLUSIVE)
    if number == errno.EEXIST or (number != 0 and os.path.lexists(target)):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    if number != 0:
        new.rename(target)


def _rename(new: Path, old: Path, linux: int, mac: int) -> int:
    """Return 0 if the system renamed with such a flag, else a number of `errno`."""
    names = os.fsencode(new), os.fsencode(old)
    system: str = sys.platform
    with suppress(AttributeError, OSError, TypeError):  # an old system, or Windows
        library = ctypes.CDLL(None, use_errno=True)
        failed = -1
        # For systems that are neither Linux nor macOS.
        ctypes.set_errno(errno.ENOSYS)
        if system == "linux":
            failed = library.renameat2(_HERE, names[0], _HERE, names[1], linux)
        elif system == "darwin":
            failed = library.renamex_np(*names, mac)
        return 0 if failed == 0 else ctypes.get_errno()
    return errno.ENOSYS
