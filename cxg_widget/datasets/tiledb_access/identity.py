"""What tells one state of a store from another: the names of its commits, made of times and random numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from cxg_widget.datasets.tiledb_access.arrays import Arrays


def identify_state(arrays: Arrays, paths: Iterable[str]) -> str:
    """Return a string that is another one after any write to the values of these arrays.

    Each write leaves a file in `__commits`; arrays of before 2022 have none, but a folder beside their schema for each
    write. One request for each array, two for old ones, all side by side.
    """
    wanted = sorted(paths)
    commits = arrays.names([f"{path}/__commits" for path in wanted])
    without = [path for path, names in zip(wanted, commits, strict=True) if not names]
    commits += arrays.names(without)
    listed = zip([*wanted, *without], commits, strict=True)
    text = "\n".join(f"{path}\t{name}" for path, names in listed for name in sorted(names))
    return f"{arrays.root}#{hashlib.sha256(text.encode()).hexdigest()[:32]}"
