"""Checks where files may be written, before anything changes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cxg_widget.errors import InvalidValue, TargetExists, TargetNotWritten
from cxg_widget.text.names import shown

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def local_path(target: str | os.PathLike[str]) -> Path:
    """Return the path to write to; raises `InvalidValue` unless it is a local path."""
    if not isinstance(target, str | os.PathLike):
        raise InvalidValue(f"a path is a text or a pathlib.Path; found {shown(target)}")
    text = os.fspath(target)
    if "://" in text:
        raise InvalidValue(f"'{text}' is no local path; write to a local one, and copy the store afterwards.")
    path = Path(os.path.expanduser(text))
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidValue(f"'{text[:200]}': nothing can be written there: {why}.") from error
    return path


def check_free(target: Path) -> None:
    """Raise `TargetExists` if the path is taken."""
    if os.path.lexists(target):
        raise TargetExists(f"'{target}' exists already and is not overwritten; choose another path or remove it.")


def check_replaceable(target: Path, *, is_folder: bool = False) -> None:
    """Raise `TargetNotWritten` unless a file, or a folder, may be written or replaced at a path.

    Links are never followed: neither a target that is a link, nor links within a folder to replace. Links among the
    parent folders are allowed.
    """
    if not target.parent.is_dir():
        raise TargetNotWritten(f"'{target}' cannot be written: there is no folder '{target.parent}'; make it first.")
    if target.is_symlink():
        real = os.path.realpath(target)
        raise TargetNotWritten(f"'{target}' is a link, through which nothing is written; write to '{real}' itself.")
    try:
        kind = stat.S_IFMT(target.lstat().st_mode)
    except FileNotFoundError:
        return
    if kind in _KINDS:
        raise TargetNotWritten(f"'{target}' cannot be written: it is {_KINDS[kind]}; add the name of a file.")
    if kind == stat.S_IFDIR and not is_folder:
        raise TargetNotWritten(f"'{target}' cannot be written: it is a folder; add the name of a file.")
    if kind != stat.S_IFDIR and is_folder:
        raise TargetNotWritten(f"'{target}' cannot be written: it is a file, not a folder; choose another path.")
    _check_no_links_within(target)


def _check_no_links_within(folder: Path) -> None:
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(above, name)
            if os.path.islink(path):
                raise TargetNotWritten(
                    f"'{folder}' is not replaced: '{os.path.relpath(path, folder)}' in it is a link, through which "
                    "nothing is written; choose another path."
                )
