"""Sums of counts, or of other values, in groups of cells, in one pass over blocks of the matrix."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouped
from cxg_widget.compare.moments import entries_of
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.text.names import describe_layer

if TYPE_CHECKING:
    from cxg_widget.compare.compared_groups import Grouping
    from cxg_widget.compare.matrix_statistics import MatrixStats
    from cxg_widget.compare.question import Question

_MAY_BE = ("counts", "zeros")
Kind = type[np.int64] | type[np.float64]
_DENSE_BYTES = 2**29
"""Most bytes of sums that are dense while rows are added; of more, the sums of each block are sparse, and merged."""
_ENTRY_BYTES = 8
_BAND = 2**21
"""Number of dense sums of columns that are made sparse at once."""
_LIMIT = 2**32
_FEW_BYTES = 2**25
"""Size of a block of rows whose sums are merged as sparse ones."""


class Sums(NamedTuple):
    """Sums of some cells.

    sums : csr_array (n_groups, n_var), int64 of counts, of which NaN counts as 0; float64 of other values
    n_other : number of values that are no counts, and not added to counts: fractions, negative or infinite
    """

    sums: Any
    n_other: int

    def with_(self, other: Sums) -> Sums:
        """Return the sums over the cells of both, which are disjoint."""
        return Sums(self.sums + other.sums, self.n_other + other.n_other)


def sums_of_counts(matrix: MatrixStats, grouping: Grouping, question: Question) -> Any:
    """Return the sums of each group, a csr_array int64 (n_groups, n_var); NaN counts as 0."""
    # A sample refuses early; the pass over the whole matrix checks every value, but late (decision 60).
    kind = matrix.kind(grouping, question.layer)
    if kind.kind not in _MAY_BE:
        raise InvalidValue(_refusal(matrix, grouping, question, kind.reason))
    found = matrix.sum_counts(grouping, question)
    if found.n_other:
        reason = f"{found.n_other:,} values that are no counts, being fractions, infinite or below 0"
        raise InvalidValue(_refusal(matrix, grouping, question, reason))
    return found.sums


def sums_of_values(matrix: MatrixStats, grouping: Grouping, question: Question) -> Any:
    """Return the sums of each group: of counts as `sums_of_counts`, else a csr_array float64 (n_groups, n_var)."""
    if matrix.kind(grouping, question.layer).kind in _MAY_BE:
        return sums_of_counts(matrix, grouping, question)
    return matrix.sum_counts(grouping, question, are_counts=False).sums


def sum_counts(cells: Grouped, *, are_counts: bool = True) -> Sums:
    """Return the sums of all groups; are_counts : whether they are integers, and other values are not added."""
    from scipy.sparse import csr_array

    shape, present = (cells.n_groups, cells.n_var), np.flatnonzero(cells.n_cells)
    whole = np.int64 if are_counts else np.float64
    if not present.size:
        return Sums(csr_array(shape, dtype=whole), 0)
    # Groups without cells take no memory: often few cells are read, of some of thousands of groups.
    place = np.zeros(cells.n_groups, dtype=np.int32)
    place[present] = np.arange(present.size)
    some = replace(cells, codes=place[cells.codes], n_groups=present.size)
    sums, n_other = (_add_rows if cells.by_rows else _add_columns)(some, whole)
    starts = np.zeros(cells.n_groups + 1, dtype=np.int64)
    starts[present + 1] = np.diff(sums.indptr)
    kind = np.int32 if sums.nnz < 2**31 else np.int64
    positions = sums.indices.astype(kind, copy=False), np.cumsum(starts).astype(kind)
    return Sums(csr_array((sums.data, *positions), shape=shape), n_other)


def _add_rows(cells: Grouped, kind: Kind) -> Sums:
    shape = cells.n_groups, cells.n_var
    n_sums, n_entries = cells.n_groups * cells.n_var, cells.n_bytes // _ENTRY_BYTES
    small = np.dtype(np.uint32 if kind is np.int64 else kind)
    if n_sums * small.itemsize > _DENSE_BYTES or n_sums > n_entries:
        return _merge_rows(cells, kind)
    from cxg_widget.compare.loops.sum_loops import sum_rows, sum_values_of_rows
    from cxg_widget.compute.compiled import frozen

    n_other, most = 0, int(cells.n_cells.max())
    sums: NDArray[Any] = np.zeros(shape, dtype=small)
    for block, codes, _ in cells.row_blocks():
        whole = block.written_out(cells.n_var)
        if kind is np.float64:
            sum_values_of_rows(entries_of(whole), frozen(codes), sums)
            continue
        # Also if the highest value is NaN. Four bytes miss the cache half as often as eight (decision 96).
        if sums.dtype == np.uint32 and not whole.values.max(initial=0) * most < _LIMIT:
            sums = sums.astype(np.int64)
        n_other += sum_rows(entries_of(whole), frozen(codes), sums)
    return Sums(_sparse(sums, kind), n_other)


def _merge_rows(cells: Grouped, kind: Kind) -> Sums:
    """Add the sums of blocks as sparse ones, two of about the same size at a time, so that each is copied few times."""
    n_other, parts = 0, list[Any]()
    for block, codes, _ in replace(cells, step_bytes=_FEW_BYTES).row_blocks():
        lines, n = _counts_of(block, cells.n_var) if kind is np.int64 else (block.csr(cells.n_var), 0)
        found = (_members(codes, cells.n_groups) @ lines).astype(kind)
        found.sort_indices()
        while parts and parts[-1].nnz <= 2 * found.nnz:
            found = parts.pop() + found
        parts.append(found)
        n_other += n
    return Sums(reduce(lambda one, other: other + one, reversed(parts)), n_other)


def _add_columns(cells: Grouped, kind: Kind) -> Sums:
    from scipy.sparse import hstack

    from cxg_widget.compare.loops.sum_loops import sum_columns, sum_values_of_columns
    from cxg_widget.compute.compiled import frozen

    n_other, parts, codes = 0, list[Any](), frozen(cells.codes)
    step = max(_BAND // cells.n_groups, 1)
    for _, block in cells.column_blocks():
        starts, *entries = entries_of(block.written_out(len(cells.rows)))
        for first in range(0, len(starts) - 1, step):
            some = frozen(starts[first : first + step + 1])
            sums = np.zeros((len(some) - 1, cells.n_groups), dtype=kind)
            if kind is np.int64:
                n_other += sum_columns((some, *entries), codes, sums)
            else:
                sum_values_of_columns((some, *entries), codes, sums)
            parts.append(_sparse(sums, kind).T)
    return Sums(hstack(parts, format="csr"), n_other)


def _sparse(sums: NDArray[Any], kind: Kind) -> Any:
    """Return dense sums as a csr_array of a kind."""
    from scipy.sparse import csr_array

    from cxg_widget.compare.loops.sum_loops import put_sparse

    starts = np.zeros(len(sums) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(sums, axis=1), out=starts[1:])
    positions, values = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=kind)
    put_sparse(sums, starts, positions, values)
    return csr_array((values, positions, starts.astype(np.int32) if starts[-1] < 2**31 else starts), shape=sums.shape)


def _counts_of(block: MatrixBlock, length: int) -> tuple[Any, int]:
    """Return a block as a csr_array float64 of its counts, and the number of its values that are no counts."""
    lines = block.csr(length).astype(np.float64)
    is_count = (lines.data >= 0) & (lines.data == np.floor(lines.data)) & (lines.data < np.inf)
    n_other = int(np.count_nonzero(~is_count & ~np.isnan(lines.data)))
    if not is_count.all():
        lines.data[~is_count] = 0
    return lines, n_other


def _members(codes: NDArray[np.int32], n_groups: int) -> Any:
    """Return the membership matrix, a csr_array float64 (n_groups, n_cells) of ones."""
    from scipy.sparse import csr_array

    cells = np.arange(len(codes))
    return csr_array((np.ones(len(cells)), (codes, cells)), shape=(n_groups, len(codes)))


def _refusal(matrix: MatrixStats, grouping: Grouping, question: Question, reason: str) -> str:
    where = describe_layer(question.layer)
    held = _layers_of_counts(matrix, grouping, question.layer)
    other = f"{' or '.join(held)} holds counts" if held else f"no layer of {matrix.dataset.title} holds counts"
    return f"{question.method} sums counts, and {where} holds {reason}; {other}."


def _layers_of_counts(matrix: MatrixStats, grouping: Grouping, wanted: str | None) -> list[str]:
    found = []
    for layer in (None, *matrix.dataset.layers):
        with suppress(CxgWidgetError):  # a layer that cannot be read is not suggested
            if layer != wanted and matrix.kind(grouping, layer).kind == "counts":
                found.append(f"layer={layer!r}" + (" (X)" if layer is None else ""))
    return found
