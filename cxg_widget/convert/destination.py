"""Chooses the format that a conversion writes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cxg_widget.errors import InvalidValue

Format = Literal["cxg", "h5ad"]
_SUFFIXES: dict[str, Format] = {".cxg": "cxg", ".h5ad": "h5ad"}


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
            f"'{target}' has the suffix of {by_suffix}, but the format to write is {found}; source_format= "
            "(--source-format) is the format of the source."
        )
    return found
