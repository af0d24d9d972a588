"""Keys of cells and their order, made of the names of the cells; other columns do not change a key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.packed import PackedStrings


def are_numbers(names: Sequence[Any]) -> bool:
    """Return whether names are just row numbers or absent; then they do not identify the cells."""
    return len(names) == 0 or (str(names[0]), str(names[-1])) == ("0", str(len(names) - 1))


def digest_of(names: Iterable[Any], places: Iterable[NDArray[Any]] = ()) -> str:
    """Return a digest of names, in order, and of the positions of the cells."""
    digest = sha256()
    for part in (*_bytes_of(names), *places):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def _bytes_of(names: Iterable[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all names, concatenated, and the start of each; the bytes do not depend on the container."""
    if isinstance(names, PackedStrings) and names.rows is None:
        return names.text, names.starts
    texts = [str(name).encode("utf-8", "surrogatepass") for name in names]
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return np.frombuffer(b"".join(texts), dtype=np.uint8), starts
