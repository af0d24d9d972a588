"""Where a new store goes: complete under its name at the end, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Literal

from cxg_widget.convert.exchange import exchange
from cxg_widget.errors import CxgWidgetError, InvalidValue, TargetExists, TargetNotWritten
from cxg_widget.text.names import shown

Format = Literal["cxg", "h5ad"]
_WHY = {
    ENOSPC: "the disk is full",
    EDQUOT: "the space that you may use is full",
    EFBIG: "no file may be as large there",
}
_SUFFIXES: dict[str, Format] = {".cxg": "cxg", ".h5ad": "h5ad"}


@dataclass(frozen=True)
class Workplace:
    """What is used while a store is written, both beside the target and gone at the end.

    Attributes
    ----------
    partial : the store itself, named for what it is until it is complete
    scratch : a folder for values that wait on disk; whoever needs it makes it
    """

    partial: Path
    scratch: Path


def target_format(target: Path, wanted: str | None) -> Format:
    """Return the format to write: what is wanted, else what the suffix says.

    Raises
    ------
    InvalidValue
        If there is no such format, neither says one, or they contradict each other.
    """
    by_suffix = _SUFFIXES.get(target.suffix.lower())
    if wanted is None:
        if by_suffix is None:
            raise InvalidValue(f"'{target}' ends neither in .cxg nor in .h5ad; say which one with format= (--format).")
        return by_suffix
    found = next((one for one in _SUFFIXES.values() if one == wanted), None)
    if found is None:
        raise InvalidValue(f"cannot write the format {wanted!r}; it is one of {', '.join(_SUFFIXES.values())}.")
    if by_suffix not in (None, found):
        raise InvalidValue(
            f"'{target}' ends as {by_suffix}, but the format to write is {found}; of the source, source_format= "
            "(--source-format) tells the format."
        )
    return found


def local_path(target: str | os.PathLike[str]) -> Path:
    """Return where to write; `InvalidValue` where that is no local path."""
    if not isinstance(target, str | os.PathLike):
        raise InvalidValue(f"a path is a text or a pathlib.Path; found {shown(target)}")
    text = os.fspath(target)
    if "://" in text:
        raise InvalidValue(f"'{text}' is no local path; write to a local one, and copy the store afterwards.")
    path = Path(os.path.expanduser(text))
    try:
        path.with_name(f"{path.name}.partial-blocks").lstat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidValue(f"'{text[:200]}': nothing can be written there: {why}.") from error
    return path


def check_free(target: Path) -> None:
    """Raise `TargetExists` where something is in the way."""
    if os.path.lexists(target):
        raise TargetExists(f"'{target}' exists already and is not overwritten; choose another path or remove it.")


@contextmanager
def writing(target: Path, *, replaces: bool = False, is_folder: bool = False) -> Iterator[Workplace]:
    """Yield where to write; what is there at the end of the block becomes the target.

    Parameters
    ----------
    replaces : whether a file takes the place of the file that is there, which stays whole until all of the new one is
        on the disk; its folder has to be there
    is_folder : whether what replaces and is replaced are folders, which change places at once where the system can

    After an error or an interruption nothing is left, nor a folder that was made for it. A process that was killed
    leaves `<name>.partial` and perhaps `<name>.partial-blocks`; the next attempt removes them.

    Raises
    ------
    TargetExists
        If there is something of that name, at the beginning or at the end.
    TargetNotWritten
        If the disk is full, or does not take it for another reason; if a file is to replace a folder, or lie in none.
    """
    if replaces:
        target = Path(os.path.realpath(target))
        _check_folder(target, is_folder=is_folder)
    else:
        check_free(target)
    place = Workplace(target.with_name(target.name + ".partial"), target.with_name(target.name + ".partial-blocks"))
    made = [folder for folder in target.parents if not folder.exists()]
    try:
        _remove(place.partial)
        _remove(place.scratch)
        target.parent.mkdir(parents=True, exist_ok=True)
        yield place
        if replaces:
            _replace(place.partial, target)
        else:
            check_free(target)
            place.partial.rename(target)
    except BaseException as error:
        _leave_nothing(place, made)
        if isinstance(error, OSError) and not isinstance(error, CxgWidgetError):
            advice = "Nothing of it is left; make room, or choose another place."
            raise TargetNotWritten(f"'{target}' cannot be written: {_why(error)}. {advice}") from error
        raise
    _remove(place.scratch)


def _check_folder(target: Path, *, is_folder: bool) -> None:
    if not target.parent.is_dir():
        raise TargetNotWritten(f"'{target}' cannot be written: there is no folder '{target.parent}'; make it first.")
    if target.is_dir() and not is_folder:
        raise TargetNotWritten(f"'{target}' cannot be written: it is a folder; add the name of a file.")


def _replace(partial: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, partial)
    for part in (*partial.rglob("*"), partial):
        _to_disk(part)
    if target.is_dir():
        exchange(partial, target)
        _remove(partial)
    else:
        os.replace(partial, target)
    with suppress(OSError):  # not every system opens folders
        _to_disk(target.parent)


def _to_disk(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _leave_nothing(place: Workplace, made: list[Path]) -> None:
    with suppress(OSError):  # what cannot be removed may not have been made either
        _remove(place.partial)
        _remove(place.scratch)
        for folder in made:
            folder.rmdir()


def _why(error: OSError) -> str:
    reason = _WHY.get(error.errno or 0) or error.strerror or str(error)
    return reason.rstrip(".")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
