"""Some cells and genes of a dataset as a dataset of its own, whose matrix is read once into files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.prefetch import Prefetch
from cxg_widget.convert.choice import Choice
from cxg_widget.convert.kept_lines import KeptLines
from cxg_widget.datasets.base.contract import Table
from cxg_widget.datasets.base.dataset import Column, Dataset
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock, stack
from cxg_widget.datasets.base.values import Codes, Values, as_plain, take_rows
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.errors import DamagedStore

_WINDOW = 1 << 20
"""Rows of the source read at a time."""
_STEP_BYTES = 2**26
"""Approximate bytes of the matrix read at a time."""


class Slice(Dataset):
    """The selection of a dataset, for writers, with only the used categories.

    Parameters
    ----------
    source : stays open as long as this is read
    folder : folder for values of the matrix
    """

    format: ClassVar[str] = "slice"

    def __init__(self, source: Dataset, choice: Choice, folder: Path) -> None:
        super().__init__(source.uri, cache_bytes=source._lifetime.cache.limit_bytes)
        self._source, self._choice, self._folder = source, choice, folder
        self.title = source.title
        self.obs_noun, self.var_noun, self.set_noun = source.obs_noun, source.var_noun, source.set_noun
        self.n_obs, self.n_var = len(choice.rows), len(choice.positions)
        self.obs_columns = {name: Column(name, one.kind, unit=one.unit) for name, one in source.obs_columns.items()}
        self.var_columns = source.var_columns
        self.obs_index, self.var_index = source.obs_index, source.var_index
        self.layers, self.modalities = source.layers, source.modalities
        self.embeddings = {**source.embeddings, **{name: xy.shape[1] for name, xy in choice.embeddings.items()}}
        self.default_embedding = source.default_embedding or next(iter(choice.embeddings), None)
        self._kept: dict[str | None, KeptLines] = {}
        # Tiles are read in bands of rows; columns stored separately are read as columns.
        with source._reading():
            grain = source._read_grain(None) if self.n_var else None
        if grain is not None and grain.cuts:
            self.major_axis = "obs" if grain.rows is not None and grain.rows < source.n_obs else "var"
        elif grain is not None:
            self.major_axis = source.plan(choice.rows, choice.positions).axis

    def fetch(self, layer: str | None, tell: Callable[[float], None]) -> KeptLines:
        """Read a layer into files, continuing an earlier run; does nothing if all is there.

        Raises
        ------
        InvalidStore, DamagedStore
            If the source has no such matrix, or it cannot be read.
        StorageError
            If the storage fails; values read before are kept.
        """
        by_row = self.major_axis == "obs"
        n, length = (self.n_obs, self.n_var) if by_row else (self.n_var, self.n_obs)
        # One folder per layer, whose name may be any text.
        number = 0 if layer is None else 1 + self.layers.index(layer)
        kept = KeptLines(self._folder / f"{self.major_axis}-{number}", n, length)
        tell(kept.n_done / max(n, 1))
        read = partial(self._by_row if by_row else self._by_var, layer, kept.n_done)
        # For remote stores the next lines are requested while the last ones are written.
        for block in Prefetch(read) if self._source.is_remote else read():
            if not block.holds(len(block.starts) - 1, length):
                raise DamagedStore(f"{self.uri}: the matrix refers to cells that do not exist; the files are damaged.")
            kept.add(block)
            tell(kept.n_done / n)
        self._kept[layer] = kept
        return kept

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index in the source."""
        return self._source.index_name(table)

    # --- the matrix ---------------------------------------------------------------------------------------------------

    def names_in(self, layer: str | None) -> VarNames:
        """Return the index of the vars of a layer; a layer with its own, such as raw, has that of the source."""
        return self._source.names_in(layer) if self._has_own_vars(layer) else self._var_part

    def _has_own_vars(self, layer: str | None) -> bool:
        return self._source.names_in(layer) is not self._source.names_in(None)

    def _by_row(self, layer: str | None, n_done: int) -> Iterator[MatrixBlock]:
        """Yield the rows that are not in files yet, restricted to the vars."""
        source, positions = self._source, self._choice.positions
        rows = self._choice.rows[n_done:]
        with source._reading():
            grain = source._read_grain(layer)
        whole = len(positions) == source.n_var
        if self._has_own_vars(layer):
            # Vars of a layer with its own, restricted to those of X.
            for start in range(0, len(rows), 1024):
                some = rows[start : start + 1024]
                block = source.matrix_block(int(some[0]), int(some[-1]) + 1, layer).take(some - some[0])
                yield block if whole else block.cut(positions, source.n_var)
        elif grain.cuts and not whole:
            for some in grain.steps(rows, _STEP_BYTES * source.n_var // max(len(positions), 1)):
                with source._reading():
                    block = source._read_columns(positions, some, layer)
                yield block.across(len(some))
        else:
            for block in source.rows_of(rows, layer, step_bytes=_STEP_BYTES):
                yield block if whole else block.written_out(source.n_var).cut(positions, source.n_var)

    def _by_var(self, layer: str | None, n_done: int) -> Iterator[MatrixBlock]:
        rows = None if self.n_obs == self._source.n_obs else self._choice.rows
        positions = self._choice.positions[n_done:]
        if self._has_own_vars(layer):
            return self._own_by_var(layer, positions, rows)
        return self._source.columns_of(positions, rows, layer, step_bytes=_STEP_BYTES)

    def _own_by_var(
        self, layer: str | None, positions: NDArray[np.int64], rows: NDArray[np.int64] | None
    ) -> Iterator[MatrixBlock]:
        """Yield vars of a layer with its own: those with the names of vars of X; NaN if there is none."""
        source, names, n = self._source, self._source.names_in(layer), self.n_obs
        source.matrix_block(0, 0, layer)  # raises if the layer cannot be written with X
        for position in positions.tolist():
            label = source.var_labels[position]
            if names.has_var(label):
                vector = source.vector(label, layer)
                yield stack([vector if rows is None else vector.take(rows)], n)
            else:
                yield DenseBlock(np.full((1, n), np.nan, dtype=np.float32))

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        kept = self._kept.get(layer) or self.fetch(layer, self._tell_progress)
        return kept.block(start, stop)

    # --- tables and embeddings ----------------------------------------------------------------------------------------

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        if name in self.obs_columns and self.obs_columns[name].kind == "categorical":
            codes: Codes = self._cached(("slice", name), lambda: _used(self._read(name, self._choice.rows)))
            return take_rows(codes, rows)
        return self._read(name, self._choice.rows if rows is None else self._choice.rows[rows])

    def _read(self, name: str, rows: NDArray[np.int64]) -> Values:
        """Read rows of a column of the source, ascending, a window at a time."""
        parts = [
            take_rows(self._source.values_block(name, start, stop), some - start)
            for start, stop, some in _windows(rows, self._source.n_obs)
        ]
        if not parts:
            return take_rows(self._source.values_block(name, 0, 0), np.empty(0, np.int64))
        first = parts[0]
        if isinstance(first, Codes):
            return first.holding(np.concatenate([one.codes for one in parts if isinstance(one, Codes)]))
        return first if len(parts) == 1 else np.concatenate([as_plain(one) for one in parts])

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._read_obs(name, np.arange(start, stop))

    def _read_var(self, name: str) -> Values:
        with self._source._reading():
            found = take_rows(self._source._read_var(name), self._choice.positions)
        return _used(found) if isinstance(found, Codes) else found

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        if name in self._choice.embeddings:
            return self._choice.embeddings[name][start:stop][:, list(axes)]
        parts = [
            self._source.embedding_block(name, axes, first, last)[some - first]
            for first, last, some in _windows(self._choice.rows[start:stop], self._source.n_obs)
        ]
        return np.concatenate([np.empty((0, 2), np.float32), *parts])

    def _category_colors(self, column: str) -> Mapping[str, str]:
        return self._source.category_colors(column)

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        known = {*self.var_labels, *(self.var_aliases or ())}
        left = {name: tuple(gene for gene in genes if gene in known) for name, genes in self._source.gene_sets.items()}
        return {name: genes for name, genes in left.items() if genes or not self._source.gene_sets[name]}

    def _read_details(self) -> dict[str, Any]:
        return dict(self._source.details)


def _windows(rows: NDArray[np.int64], n: int) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield start and stop of windows of n rows that contain some, ascending, and which."""
    for start in range(0, n, _WINDOW):
        first, last = np.searchsorted(rows, (start, start + _WINDOW))
        if last > first:
            some = rows[first:last]
            # From the first to the last of them: a rare type may be in a small part of its window.
            yield int(some[0]), int(some[-1]) + 1, some


def _used(values: Values) -> Codes:
    """Return codes of only the categories that occur, in their order."""
    assert isinstance(values, Codes)
    n = len(values.categories)
    counts = np.bincount(values.codes[values.codes >= 0], minlength=n)
    left = np.flatnonzero(counts)
    if len(left) == n:
        return values
    target = np.full(n + 1, -1, dtype=values.codes.dtype)
    target[left] = np.arange(len(left))
    return Codes(target[values.codes], tuple(values.categories[code] for code in left.tolist()), values.ordered)
