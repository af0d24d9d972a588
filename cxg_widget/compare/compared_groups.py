"""Groups of cells to compare, and block-wise reading of their cells from a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.moments import NO_SCALE, Floats, entries_of
from cxg_widget.compute.prefetch import Prefetch
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Plan
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import describe_layer
from cxg_widget.text.nouns import Noun

Mask = NDArray[np.bool_]
_BLOCK = 2**20
_STEP_BYTES = 2**22
"""Size of a block where reading costs little per call; up to seven are in memory at once."""


@dataclass(frozen=True)
class Grouping:
    """Groups of cells, by side and category.

    table : int32 (n_sides + 1, n_categories + 1), group of the cells of a side and a category, -1 = none; the last row
        is for cells on no side, the last column for cells without a category
    sides : bool (n_obs,) each, disjoint
    column : obs column of categories; None = a single category of all cells
    reference : group that each other one is ranked with; None = all groups are ranked together
    codes : int32 (n_obs,), category of each cell, in place of a column of the dataset
    """

    table: NDArray[np.int32]
    sides: tuple[Mask, ...] = ()
    column: str | None = None
    reference: int | None = None
    codes: NDArray[np.int32] | None = None

    @classmethod
    def of_sets(cls, *sides: Mask) -> Grouping:
        """Return sets as groups."""
        return cls(np.array([[at, at] for at in (*range(len(sides)), -1)], dtype=np.int32), sides)

    @classmethod
    def of_codes(cls, codes: NDArray[np.int32], n_groups: int) -> Grouping:
        """Return groups from the group of each cell, int32 (n_obs,), -1 = none."""
        return cls(np.append(np.arange(n_groups), -1).astype(np.int32)[None], codes=codes)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.table.max()) + 1

    def groups(self, codes: Codes | None, n_obs: int) -> NDArray[np.int32]:
        """Return the group of each cell, int32 (n_obs,), -1 = none.

        codes : of the column; None without a column
        """
        if self.codes is not None:
            return self.codes
        side = np.full(n_obs, len(self.sides), dtype=np.int8)
        for at, mask in enumerate(self.sides):
            side[mask] = at
        last = self.table.shape[1] - 1
        place = 0 if codes is None else np.where((codes.codes < 0) | (codes.codes >= last), last, codes.codes)
        found: NDArray[np.int32] = self.table[side, place]
        return found

    def spread(self, n: int, n_obs: int) -> NDArray[np.int64]:
        """Return up to n rows on any side, evenly spread, ascending."""
        if not self.sides:
            return _ranks(n_obs, n)
        ends = np.zeros(1, dtype=np.int64)
        for start in range(0, n_obs, _BLOCK):
            ends = np.append(ends, ends[-1] + np.count_nonzero(self._on_a_side(start)))
        ranks = _ranks(int(ends[-1]), n)
        block = np.searchsorted(ends, ranks, side="right") - 1
        found = [
            at * _BLOCK + np.flatnonzero(self._on_a_side(at * _BLOCK))[ranks[block == at] - ends[at]]
            for at in np.unique(block).tolist()
        ]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def _on_a_side(self, start: int) -> Mask:
        found: Mask = np.logical_or.reduce([mask[start : start + _BLOCK] for mask in self.sides])
        return found


def _ranks(n_all: int, n: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n_all - 1, n).astype(np.int64)) if n_all else np.empty(0, dtype=np.int64)


Tell = Callable[[float, str], object]
"""Called with the finished part of a pass over the matrix, 0 to 1, and a text such as "Reading cells 3 of 8"."""
PER_CELL = 1e4
"""Total to which "log1p_10k" scales the counts of a cell."""
_SUMMING = "Adding up counts of"


@dataclass(frozen=True)
class Grouped:
    """The cells of some groups in a matrix.

    rows : int64, ascending, the rows of all groups
    codes : int32, the group of each of `rows`
    layer : None = the main matrix
    positions : int64, ascending, genes to read; None = all
    normalized : whether values are log1p of counts per 10,000 of all genes of the cell
    ranked : whether cells are ranked by each gene, which needs whole genes
    reference : as in `Grouping`
    step_bytes : size of a block that is read; None = what suits the store
    tell : called with the progress of each pass over the matrix, from any thread
    check : called at least ten times a second during reads; an exception from it ends them
    """

    dataset: Dataset
    rows: NDArray[np.int64]
    codes: NDArray[np.int32]
    n_groups: int
    layer: str | None = None
    positions: NDArray[np.int64] | None = None
    normalized: bool = False
    ranked: bool = False
    reference: int | None = None
    tell: Tell = field(default=lambda _, __: None, repr=False)
    check: Callable[[], None] = field(default=lambda: None, repr=False)
    step_bytes: int | None = None

    @classmethod
    def of(cls, dataset: Dataset, groups: NDArray[np.int32], *args: Any, first: int = 0, **more: Any) -> Grouped:
        """Return the cells from row `first` on, given the group of each, -1 = none; other parameters are attributes."""
        rows = np.flatnonzero(groups >= 0)
        return cls(dataset, rows + first, groups[rows], *args, **more)

    @cached_property
    def n_cells(self) -> NDArray[np.int64]:
        """Cells of each group, int64 (n_groups,)."""
        return np.bincount(self.codes, minlength=self.n_groups)

    @cached_property
    def n_var(self) -> int:
        """Number of genes of the matrix."""
        return len(self.dataset.names_in(self.layer).var_labels)

    @cached_property
    def by_rows(self) -> bool:
        """Whether reading by rows takes fewer bytes; a gene is then read together with all others.

        Reading by genes is also chosen if it takes as many bytes, or up to twice as many when cells are ranked, since
        ranking by rows must keep the entries.
        """
        plan = self._plan
        if plan.axis == "var":
            return False
        # Ranks by columns need no second copy of the entries, which is worth twice the reading (decision 57).
        return not plan.both_ways or plan.other_bytes > plan.n_bytes * (2 if self.ranked else 1)

    @cached_property
    def _plan(self) -> Plan:
        return self.dataset.plan(self._some, self.positions, self.layer)

    @property
    def n_bytes(self) -> int:
        """About how many bytes are decoded to read the cells."""
        return self._plan.n_bytes

    @cached_property
    def cheap_bytes(self) -> int | None:
        """Bytes of a pass over the matrix by rows if it only copies them; None if it decodes or transfers them."""
        plan = self.dataset.plan(self._some, None, self.layer)
        return plan.n_bytes if plan.is_copied and plan.axis == "obs" and not self.dataset.is_remote else None

    @cached_property
    def _step(self) -> dict[str, int]:
        if self.step_bytes is not None:
            return {"step_bytes": self.step_bytes}
        is_cheap = self._plan.is_copied and not self.dataset.is_remote
        return {"step_bytes": _STEP_BYTES} if is_cheap else {}

    @property
    def read(self) -> NDArray[np.int64]:
        """Positions of the genes to read, int64, ascending."""
        return np.arange(self.n_var) if self.by_rows or self.positions is None else self.positions

    def ahead(self, blocks: Callable[[], Iterable[MatrixBlock]]) -> Iterator[MatrixBlock]:
        """Yield blocks that a thread reads one ahead; errors of `check` are raised soon."""
        return iter(Prefetch(blocks, self.check))

    def row_blocks(self) -> Iterator[tuple[MatrixBlock, NDArray[np.int32], Floats]]:
        """Yield all rows in blocks, with the group of each row and its scale as `add_rows` takes them."""
        start = 0
        for block in self.ahead(partial(self.dataset.rows_of, self._some, self.layer, **self._step)):
            rows = slice(start, start + len(block.starts) - 1)
            self.report("Reading", rows.stop, len(self.rows), self.dataset.obs_noun)
            plain = self._plain(block)
            yield plain, self.codes[rows], _scale_of(self._totals_of(plain)) if self.normalized else NO_SCALE
            start = rows.stop

    def column_blocks(self) -> Iterator[tuple[int, MatrixBlock]]:
        """Yield the genes in blocks, each with the index in `read` of its first gene; positions index `rows`.

        Their scale is `scale`.
        """
        start, wanted = 0, self.read
        for block in self.ahead(partial(self.dataset.columns_of, self.positions, self._some, self.layer, **self._step)):
            yield start, block
            start += len(block.starts) - 1
            self.report("Reading", start, len(wanted), self.dataset.var_noun)

    def report(self, doing: str, n: int, total: int, noun: Noun) -> None:
        """Report how many genes or cells of one pass are done."""
        self.tell(n / total, f"{doing} {noun.many} {n:,} of {total:,}")

    @cached_property
    def scale(self) -> Floats:
        """Factor of the values of each of `rows` before log1p, by a pass over all genes; empty if not normalized."""
        if not self.normalized:
            return NO_SCALE
        totals = np.zeros(len(self.rows))
        if self.dataset.plan(self._some, None, self.layer).axis == "obs":
            start = 0
            for block in self.ahead(partial(self.dataset.rows_of, self._some, self.layer, **self._step)):
                stop = start + len(block.starts) - 1
                totals[start:stop] = self._totals_of(self._plain(block))
                start = stop
                self.report(_SUMMING, start, len(self.rows), self.dataset.obs_noun)
        else:
            from cxg_widget.compare.loops.sum_loops import add_totals

            start = 0
            for block in self.ahead(partial(self.dataset.columns_of, None, self._some, self.layer)):
                self._check_counts(add_totals(entries_of(block), totals))
                start += len(block.starts) - 1
                self.report(_SUMMING, start, self.n_var, self.dataset.var_noun)
        return _scale_of(totals)

    def _totals_of(self, block: MatrixBlock) -> Floats:
        """Return the total of each row of a block."""
        from cxg_widget.compare.loops.sum_loops import put_totals

        totals = np.empty(len(block.starts) - 1)
        self._check_counts(put_totals(entries_of(block), totals))
        return totals

    def _check_counts(self, n_wrong: int) -> None:
        """Raise if the pass found values that are no counts, which the sample did not show."""
        if n_wrong:
            where, values = describe_layer(self.layer), "a value" if n_wrong == 1 else f"{n_wrong:,} values"
            raise InvalidValue(f"normalize='log1p_10k' takes counts, and {where} holds {values} below 0 or infinite.")

    @property
    def _some(self) -> NDArray[np.int64] | None:
        return None if len(self.rows) == self.dataset.n_obs else self.rows

    def _plain(self, block: MatrixBlock) -> MatrixBlock:
        """Return rows with all entries listed that scaling a cell changes."""
        if not self.normalized or block.fill is None:
            return block
        # log1p(fill * scale) differs between cells.
        return MatrixBlock.of_dense(block.dense(self.n_var))


def _scale_of(totals: Floats) -> Floats:
    return np.divide(PER_CELL, totals, out=np.zeros_like(totals), where=totals != 0)
