"""Reads rows of the matrix, or vars of some rows, in bounded blocks, in any layout of the store."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain, Plan, Positions, choose
from cxg_widget.datasets.base.transpose import gathered, pieces, transpose
from cxg_widget.errors import DamagedStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found

STEP_BYTES = 2**25
"""Bytes of a block: 32 MiB, since the caller may hold the previous one too."""
_TURNED_BYTES = 36 * 2**20
"""Bytes transposed at a time for stores by var; transposing takes as much again."""
_BAND_BYTES = 2**23
"""Bytes of vars read at a time, to be cut and transposed."""


class Rows:
    """The rows of a store's matrix."""

    def __init__(self, store: Contract) -> None:
        self._store, self._lifetime = store, store._lifetime

    def rows_of(
        self, rows: ArrayLike | None = None, layer: str | None = None, *, step_bytes: int = STEP_BYTES
    ) -> Iterator[MatrixBlock]:
        """Yield some rows of the matrix in blocks, whose lines are the rows in order, and whose positions are vars.

        The iteration may stop anywhere, since nothing is held between blocks. If the store keeps vars together, each
        block takes a pass over all of them; see `plan`.

        Parameters
        ----------
        rows : integers (k,), ascending and distinct; None = all
        layer : None = the main matrix; "raw" has its own vars, as in `vector`
        step_bytes : approximate size of a block

        Raises
        ------
        InvalidValue
            If rows are out of range or not ascending.
        UnknownName
            If there is no such layer.
        InvalidStore, DamagedStore
            If the store has no matrix, or it cannot be read; while iterating.

        Examples
        --------
        >>> blocks = list(dataset.rows_of([0, 5, 9]))
        """
        wanted = _checked(rows, self._store.n_obs, "rows")
        self._check_layer(layer)
        return self._rows(np.arange(self._store.n_obs) if wanted is None else wanted, layer, step_bytes)

    def columns_of(
        self,
        positions: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        layer: str | None = None,
        *,
        step_bytes: int = STEP_BYTES,
    ) -> Iterator[MatrixBlock]:
        """Yield some vars of some rows in blocks, whose lines are the vars in order, and whose positions index `rows`.

        Parameters and errors as `rows_of`; `positions` are those of the vars of the layer, ascending and distinct, None
        = all.

        Examples
        --------
        >>> blocks = list(dataset.columns_of([dataset.find_var("CD3E")]))
        """
        self._check_layer(layer)
        vars_ = _checked(positions, self._store._n_var_in(layer), "positions")
        wanted = _checked(rows, self._store.n_obs, "rows")
        every = np.arange(self._store._n_var_in(layer)) if vars_ is None else vars_
        return self._columns(every, wanted, layer, step_bytes)

    def gather(self, rows: ArrayLike | None = None, layer: str | None = None) -> MatrixBlock:
        """Return some rows as one block, entries in order and without zeros; further memory is bounded.

        Takes one pass over the store in any layout. Parameters and errors as `rows_of`.

        Examples
        --------
        >>> block = dataset.gather(rows=[0, 5, 9])
        """
        wanted = _checked(rows, self._store.n_obs, "rows")
        self._check_layer(layer)
        every = np.arange(self._store.n_obs) if wanted is None else wanted
        grain = self._grain(layer)
        if grain.rows is not None:
            return gathered(self._rows(every, layer, STEP_BYTES), grain.shape[1])
        heights = [len(some) for some in grain.steps(every, _TURNED_BYTES)]
        columns = self._columns(np.arange(grain.shape[1]), every, layer, _BAND_BYTES)
        return gathered(transpose(columns, heights), grain.shape[1])

    def plan(self, rows: ArrayLike | None = None, positions: ArrayLike | None = None, layer: str | None = None) -> Plan:
        """Return whether some rows of some vars take fewer bytes by row or by column; parameters as `columns_of`.

        It follows from the layout of the matrix, without reading values.

        Raises
        ------
        InvalidValue, UnknownName
            As `columns_of`.
        InvalidStore, DamagedStore
            If the store has no matrix, or its description cannot be read.

        Examples
        --------
        >>> dataset.plan(rows=[0, 5, 9]).axis
        'obs'
        """
        self._check_layer(layer)
        some = _checked(rows, self._store.n_obs, "rows")
        vars_ = _checked(positions, self._store._n_var_in(layer), "positions")
        return choose(self._grain(layer), some, vars_)

    def _rows(self, rows: Positions, layer: str | None, step_bytes: int) -> Iterator[MatrixBlock]:
        grain = self._grain(layer)
        done = 0
        read = self._turned if grain.rows is None else self._straight
        for block in read(rows, grain, layer, step_bytes):
            done += len(block.starts) - 1
            with self._lifetime.reading():  # refuses if the dataset was closed meanwhile
                self._lifetime.tell_progress(done / len(rows))
            yield block

    def _straight(self, rows: Positions, grain: Grain, layer: str | None, step_bytes: int) -> Iterator[MatrixBlock]:
        for some in grain.steps(rows, step_bytes):
            with self._lifetime.reading():
                # The store is held open for the read alone: the iteration may stop anywhere and never continue
                # (decision 55).
                block = self._store._read_rows(some, layer)
            self._check(block, len(some), grain.shape[1], layer)
            yield block

    def _turned(self, rows: Positions, grain: Grain, layer: str | None, step_bytes: int) -> Iterator[MatrixBlock]:
        every = np.arange(grain.shape[1])
        for some in grain.steps(rows, max(step_bytes, _TURNED_BYTES)):
            (block,) = transpose(self._columns(every, some, layer, _BAND_BYTES), [len(some)])
            yield from pieces(block, step_bytes)
            del block

    def _columns(
        self, positions: Positions, rows: Positions | None, layer: str | None, step_bytes: int
    ) -> Iterator[MatrixBlock]:
        grain = self._grain(layer)
        n_rows = grain.shape[0] if rows is None else len(rows)
        cut = Grain((grain.shape[1], n_rows), grain.n_entries, 0, grain.columns, is_dense=grain.is_dense)
        for some in cut.steps(positions, step_bytes):
            with self._lifetime.reading():
                block = self._store._read_columns(some, rows, layer)
            self._check(block, len(some), n_rows, layer)
            yield block

    def _grain(self, layer: str | None) -> Grain:
        return self._lifetime.once(f"grain of {layer!r}", lambda: self._store._read_grain(layer))

    def _check(self, block: MatrixBlock, n_lines: int, length: int, layer: str | None) -> None:
        if not block.holds(n_lines, length):
            what = "the matrix" if layer is None else layer
            raise DamagedStore(f"{self._store.uri}: {what} refers to cells that do not exist; the files are damaged.")

    def _check_layer(self, layer: str | None) -> None:
        if layer is not None and layer not in self._store.layers:
            raise UnknownName(not_found("layer", layer, self._store.layers, self._store.title))


def _checked(given: ArrayLike | None, n: int, what: str) -> NDArray[np.int64] | None:
    """Return ascending distinct positions as int64; None = all."""
    if given is None:
        return None
    found = np.asarray(given)
    if found.size == 0 and found.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InvalidValue(f"{what} are of type {found.dtype} and shape {found.shape}; they must be integers (k,).")
    found = found.astype(np.int64, copy=False)
    if (found[1:] <= found[:-1]).any():
        raise InvalidValue(f"{what} must ascend without duplicates; numpy.unique(...) sorts them so.")
    if found[0] < 0 or found[-1] >= n:
        wrong = found[0] if found[0] < 0 else found[-1]
        raise InvalidValue(f"{what} name {wrong:,}, but there are {n:,}.")
    return found
