"""Annotations as a new CXG with obs alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cxg_widget.convert.tables import free_name
from cxg_widget.errors import DamagedStore, InvalidStore, InvalidValue
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import pandas as pd

_TRIES = 10


def check_fit(path: Path, table: pd.DataFrame) -> None:
    """Raise `InvalidValue` if a CXG cannot hold the annotations: no cells, or reserved names."""
    if not len(table):
        raise InvalidValue("a CXG needs at least one cell, and this dataset has none; save a .csv or .parquet.")
    for name in table.columns:
        if name == "index" or name.startswith("__"):
            sentence = f"'{path}' cannot be written: column {shown(name)}: the format reserves this name."
            raise InvalidValue(sentence)


def write_cxg(path: Path, table: pd.DataFrame, key: str) -> None:
    """Write annotations, checked by `check_fit`, and their `attrs` under a key."""
    from cxg_widget.datasets.cxg.obs_alone import write_obs_alone

    metadata = table.attrs[key]
    write_obs_alone(path, table, _index_of(table), metadata["title"], **{key: metadata})


def _index_of(table: pd.DataFrame) -> str:
    name, taken = table.index.name, [str(column) for column in table.columns]
    if isinstance(name, str) and name not in ("", "index", "_index", *taken) and not name.startswith("__"):
        return name
    return free_name(taken)


def read_cxg(path: Path, key: str) -> pd.DataFrame | None:
    """Return annotations and their `attrs` as written; None if the path holds something else."""
    from cxg_widget.datasets.cxg.obs_alone import read_obs_alone

    for _ in range(_TRIES):  # a writer may swap the folder between two reads of its files
        before = path.stat().st_ino
        try:
            found = read_obs_alone(path, key)
        except (InvalidStore, DamagedStore):
            if path.stat().st_ino == before:
                raise
            continue
        if path.stat().st_ino == before:
            break
    else:
        raise InvalidStore(f"'{path}' was replaced while it was read, {_TRIES} times; try again.")
    if found is None:
        return None
    table, metadata = found
    table.attrs = {key: metadata}
    return table
