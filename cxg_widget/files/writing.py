"""The one way to write files and folders: complete under their name at the end, or not at all."""

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
    """Yield where to write; the file or folder that is there at the end of the block becomes the target in one step.

    Each writer has a folder of its own, which no other user can open, so that of several who write one target the last
    one wins, and readers always find a whole file. The new file takes the permissions of the one it replaces.

    Parameters
    ----------
    replaces : whether it takes the place of what is there; the folder above has to be there
    is_folder : whether what replaces and is replaced are folders, which are swapped
    durable : whether all of it is on the disk before it takes the place; False for what can be made again
    private : whether a new file is for this user alone; else its permissions are the usual ones

    After an error or an interruption nothing is left, nor a folder that was made for it. A killed process leaves its
    `<target>.<machine>-<process>-<random>.partial`, which the next writer of that target on this machine removes.

    Raises
    ------
    TargetExists
        If there is something of that name and it is not to be replaced, at the beginning or at the end.
    TargetNotWritten
        If the disk is full, or does not take it for another reason; if the target is a link, holds links, or is no
        file or folder.

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
        # TileDB takes relative paths for those of the folder that the process began in, whatever `os.chdir` did since.
        place = make_workplace(target.absolute())
        yield place
        # The data are on the disk before the name leads to them: after a crash the name shows the old file or the new
        # one.
        _finish(place, target, durable=durable, private=private)
        if replaces:
            check_replaceable(target, is_folder=is_folder)  # again: it may have changed meanwhile
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
    """See what was written to the disk, and give it the permissions of the target."""
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
    with suppress(OSError):  # what cannot be removed may not have been made either
        for folder in made:
            folder.rmdir()


def _why(error: OSError) -> str:
    reason = _WHY.get(error.errno or 0) or error.strerror or str(error)
    return reason.rstrip(".")


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
