"""Maps the cells of all modalities to the rows of one, and its values to all cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Values, Vector, as_plain
from cxg_widget.errors import InvalidStore

Rows = NDArray[np.int64]


class RowMap:
    """Maps all cells to the rows of one modality; reads the map at first use.

    Parameters
    ----------
    n_obs, n_own : number of all cells, and of cells in the modality
    load : reads the map as MuData stores it, (n_obs,): the row in the modality, from 1; 0 = it lacks the cell
    where : the store and the path of the map, for errors
    """

    def __init__(self, n_obs: int, n_own: int, load: Callable[[], NDArray[Any]], where: str) -> None:
        self.n_obs, self.n_own = n_obs, n_own
        self._load, self._where = load, where

    @property
    def n_missing(self) -> int:
        """Number of cells that the modality lacks; does not read the map."""
        return self.n_obs - self.n_own

    @cached_property
    def own(self) -> Rows:
        """The row of each cell in the modality, (n_obs,); -1 = it lacks the cell."""
        found = np.asarray(self._load()).reshape(-1).astype(np.int64) - 1
        named = found[found >= 0]
        is_whole = found.shape == (self.n_obs,) and len(named) == self.n_own and not (found < -1).any()
        if not (is_whole and (np.bincount(named, minlength=self.n_own) == 1).all()):
            raise InvalidStore(
                f"{self._where} does not name each of {self.n_own:,} rows exactly once; mdata.update() repairs it."
            )
        return found

    @cached_property
    def joint(self) -> Rows:
        """The cell of each row of the modality, (n_own,)."""
        cells = np.flatnonzero(self.own >= 0)
        found = np.empty(self.n_own, dtype=np.int64)
        found[self.own[cells]] = cells
        return found

    @cached_property
    def ascends(self) -> bool:
        """Whether the modality's rows are in the order of all cells."""
        return bool((self.joint[1:] > self.joint[:-1]).all())

    def among(self, rows: Rows | None) -> tuple[Rows, Rows]:
        """Return the modality's rows of some cells (None = all), ascending, and their positions in `rows`.

        Both lack the cells that the modality lacks.
        """
        own = self.own if rows is None else self.own[rows]
        places = np.flatnonzero(own >= 0)
        if not self.ascends:
            places = places[np.argsort(own[places], kind="stable")]
        return own[places], places


def spread(values: Values, places: Rows, n: int, *, is_complete: bool) -> Values:
    """Return the values of n cells, with those of a modality at their places; other cells are missing.

    is_complete : whether all n cells have a value; if not, integers become floats, booleans categories, and missing
        texts None
    """
    if is_complete:
        return _reordered(values, places)
    if isinstance(values, Codes):
        return values.holding(_at(values.codes, places, np.full(n, -1, dtype=values.codes.dtype)))
    plain = as_plain(values)
    if plain.dtype.kind == "b":
        return Codes(_at(plain, places, np.full(n, -1, dtype=np.int8)), (False, True))
    if plain.dtype.kind in "iuf":
        dtype = plain.dtype if plain.dtype.kind == "f" else np.dtype(np.float64)
        return _at(plain, places, np.full(n, np.nan, dtype=dtype))
    return _at(plain, places, np.full(n, None, dtype=object))


def spread_vector(vector: Vector, places: Rows, n: int) -> Vector:
    """Return a var over n cells, with the values of a modality at their places; other cells are NaN."""
    if _is_same(places, n):
        return vector
    is_missing = np.ones(n, dtype=np.bool_)
    is_missing[places] = False
    missing = np.flatnonzero(is_missing)
    if vector.rows is None or vector.fill or 2 * len(missing) > n:
        return Vector(_at(vector.dense(len(places)), places, np.full(n, np.nan, dtype=np.float32)))
    nothing = np.full(len(missing), np.nan, dtype=np.float32)
    return Vector(np.concatenate([vector.values, nothing]), np.concatenate([places[vector.rows], missing]))


def _reordered(values: Values, places: Rows) -> Values:
    if _is_same(places, len(places)):
        return values
    back = np.argsort(places)
    return values.take(back) if isinstance(values, Codes) else as_plain(values)[back]


def _is_same(places: Rows, n: int) -> bool:
    return len(places) == n and bool((places == np.arange(n)).all())


def _at(values: NDArray[Any], places: Rows, out: NDArray[Any]) -> NDArray[Any]:
    out[places] = values
    return out
