"""Joins the var columns of several modalities into one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import CategoryLookup
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.values import Codes, Column, Kind, Values, as_plain
from cxg_widget.datasets.mudata.row_map import RowMap, Rows
from cxg_widget.datasets.mudata.side_by_side import Side


def joined_columns(sides: Sequence[Side]) -> dict[str, Column]:
    """Return the columns of the modalities' own var tables; columns of the same name are joined."""
    kinds: dict[str, list[Kind]] = {}
    for side in sides:
        for name, column in side.part.var_columns.items():
            kinds.setdefault(name, []).append(column.kind)
    return {name: Column(name, _kind_of(found, len(sides))) for name, found in kinds.items()}


def read_joined(name: str, sides: Sequence[Side], kind: Kind) -> Values:
    """Read a column over the vars of all modalities; missing in modalities that lack it."""
    parts = [_values(side.part, name, side.n) for side in sides]
    found = np.concatenate([np.empty(0, dtype=object), *parts])
    if kind in ("int", "float"):
        return found.astype(np.int64 if kind == "int" else np.float64)
    if kind == "boolean":
        if all(isinstance(one, bool) for one in found.tolist()):
            return found.astype(np.bool_)
        return Codes(np.array([-1 if one is None else int(one) for one in found], dtype=np.int8), (False, True))
    texts = np.array([None if one is None else str(one) for one in found.tolist()], dtype=object)
    if kind == "string":
        return texts
    declared = [label for side in sides for label in _labels(side.part, name)]
    codes = CategoryLookup.encode_whole(texts, declared)
    assert codes is not None, "there is no limit"
    return codes


def joint_positions(sides: Sequence[Side], read_map: Callable[[str], NDArray[Any]], uri: str) -> Rows:
    """Return the row of each var in the common var table of all modalities."""
    n_var = sum(side.n for side in sides)
    maps = [RowMap(n_var, side.n, partial(read_map, side.name), f"{uri}: varmap/{side.name}") for side in sides]
    return np.concatenate([one.joint for one in maps])


def _kind_of(kinds: list[Kind], n_sides: int) -> Kind:
    """Return the joint kind of a column; integers that some modalities lack become floats.

    kinds : the kinds in the modalities that have the column
    n_sides : number of modalities
    """
    first = kinds[0]
    if set(kinds) == {first}:
        return "float" if first == "int" and len(kinds) < n_sides else first
    return "float" if set(kinds) <= {"int", "float"} else "string"


def _values(part: Contract, name: str, n: int) -> NDArray[Any]:
    if name not in part.var_columns:
        return np.full(n, None, dtype=object)
    return as_plain(part._read_var(name)).astype(object)


def _labels(part: Contract, name: str) -> Sequence[str]:
    values = part._read_var(name) if name in part.var_columns else None
    return [str(label) for label in values.categories] if isinstance(values, Codes) else []
