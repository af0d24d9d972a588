"""Statistics of groups of cells in a matrix: kind of its values, moments, ranks and sums of counts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouped, Grouping, Tell
from cxg_widget.compare.moments import Floats, Moments, Summaries, Summary
from cxg_widget.compute.prefetch import Prefetch
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.errors import Cancelled
from cxg_widget.text.numbers import short_number

if TYPE_CHECKING:
    from cxg_widget.compare.donors.sums import Sums
    from cxg_widget.compare.question import Question
    from cxg_widget.compare.sketch import Sketch

Kind = Literal["counts", "log1p", "linear", "scaled", "zeros"]
_SAMPLED_ROWS = 64
_SAMPLED_VARS = 32
_HIGHEST_LOG = 20.0
"""log1p of half a billion: higher values cannot be logarithms of counts."""
_REASONS = {
    "counts": "counts: whole numbers from {low} to {high}",
    "log1p": "log1p values (natural logarithms of 1 + x): fractions from {low} to {high}",
    "linear": "values that are neither whole nor logarithms: fractions from {low} to {high}",
    "scaled": "scaled values: some are below 0, from {low} to {high}",
    "zeros": "nothing but zeros",
}


@dataclass(frozen=True)
class ValueKind:
    """Kind of the values of a matrix.

    reason : end of a sentence that explains it
    scaled : for modalities with different kinds, the vars of each that is scaled: start, stop
    """

    kind: Kind
    reason: str
    scaled: tuple[tuple[int, int], ...] = ()

    def is_scaled(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each var whether its values are scaled, in a matrix of several kinds."""
        inside = [(positions >= start) & (positions < stop) for start, stop in self.scaled]
        return np.logical_or.reduce(inside) if inside else np.zeros(positions.shape, dtype=np.bool_)


def judge(
    dataset: Dataset, rows: NDArray[np.int64], layer: str | None, check: Callable[[], None] = lambda: None
) -> ValueKind:
    """Judge the kind of values from some rows, int64 (k,), or from some genes if these take less reading.

    Of several modalities in one matrix each is judged.

    check : as in `Prefetch`
    """
    if layer is None and len(dataset.modalities) > 1:
        return _judge_each(dataset, rows, check)
    if dataset.plan(rows, None, layer).axis == "obs":
        read, sample = partial(dataset.rows_of, rows, layer), dataset.obs_noun.counted(len(rows))
    else:
        n_var = len(dataset.names_in(layer).var_labels)
        genes = np.unique(np.linspace(0, n_var - 1, _SAMPLED_VARS).astype(np.int64))
        read, sample = partial(dataset.columns_of, genes, None, layer), dataset.var_noun.counted(len(genes))
    kind, low, high = kind_of(np.concatenate([_values_in(block) for block in Prefetch(read, check)]))
    text = _REASONS[kind].format(low=short_number(low), high=short_number(high))
    return ValueKind(kind, f"{text}, judged from {sample}")


def _judge_each(dataset: Dataset, rows: NDArray[np.int64], check: Callable[[], None]) -> ValueKind:
    """Return the kind of modalities side by side; never counts, since those of a cell have no common sum."""
    layers = {name: f"{name}:X" for name in dataset.modalities if f"{name}:X" in dataset.layers}
    found = {name: judge(dataset, rows, layer, check) for name, layer in layers.items()}
    kinds = {one.kind for one in found.values()} - {"zeros"}
    ends = np.cumsum([0, *(len(dataset.names_in(layer).var_labels) for layer in layers.values())]).tolist()
    spans = zip(found.values(), pairwise(ends), strict=True)
    scaled = tuple(span for one, span in spans if one.kind == "scaled") if kinds != {"scaled"} else ()
    others = kinds - {"scaled"}
    kind: Kind = "log1p" if others == {"log1p"} else "linear" if others else "scaled"
    reasons = "; ".join(f"in {name} {one.reason}" for name, one in found.items())
    return ValueKind(kind, f"{reasons}; modality={dataset.modalities[0]!r} compares one alone", scaled)


def kind_of(values: NDArray[np.float32]) -> tuple[Kind, float, float]:
    """Return the kind of some values, with or without zeros, and their lowest and highest; NaN is ignored."""
    finite = values[np.isfinite(values)].astype(np.float64)
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    if low < 0:
        return "scaled", low, high
    if high == 0:
        return "zeros", low, high
    if (finite == np.rint(finite)).all():
        return "counts", low, high
    return "log1p" if high <= _HIGHEST_LOG else "linear", low, high


def _values_in(block: MatrixBlock) -> NDArray[np.float32]:
    """Return the values of a block, including its fill value."""
    return block.values if block.fill is None else np.concatenate([block.values, block.fill])


class Gathered(NamedTuple):
    """Sums and ranks of the genes of a question.

    groups : summary of each group, without squares if there are ranks
    rank_sums : float64 (n_groups, k), sums of the mean ranks of each group; None without ranks
    ties : float64 (k,), or (n_groups, k) with a reference, the sum of t^3 - t over ties of t values; None without ranks
    """

    groups: Sequence[Summary]
    rank_sums: Floats | None = None
    ties: Floats | None = None

    def n_of(self, group: int) -> Floats:
        """Return the number of cells of a group in which each gene was measured."""
        return self.groups.n_of(group) if isinstance(self.groups, Summaries) else self.groups[group].n

    def with_(self, other: Gathered) -> Gathered:
        """Return the sums over the cells of both, which are disjoint, without ranks."""
        return Gathered(tuple(one.with_(added) for one, added in zip(self.groups, other.groups, strict=True)))


def _summed(cells: Grouped, moments: Moments) -> Iterator[tuple[MatrixBlock, NDArray[np.int32], Floats]]:
    """Yield the blocks of `Grouped.row_blocks` after adding their moments."""
    for block, codes, scale in cells.row_blocks():
        moments.add_rows(block, codes, scale)
        yield block, codes, scale


def gather(cells: Grouped, *, linear: bool = False) -> Gathered:
    """Pass over the matrix.

    One pass gives everything, except ranks by rows of more values than fit into memory: they need one pass per band of
    genes that fits.

    linear : whether to sum up expm1 of the values too
    """
    read = cells.read
    moments = Moments(
        cells.n_cells, len(read), linear=linear, by_rows=cells.by_rows, squared=not cells.ranked
    )  # fmt: skip
    ranks = None
    if cells.ranked:
        from cxg_widget.compare.ranks import Ranks

        ranks = Ranks(cells)
    if not len(cells.rows):  # a partition, of which Dask's workers gather the rest
        pass
    elif cells.by_rows:
        blocks = _summed(cells, moments)
        if ranks is None:
            deque(blocks, maxlen=0)
        else:
            transposed = ranks.transposed()
            # The thread that reads ahead adds the moments while this one transposes the previous block (decision 57).
            for block, codes, scale in Prefetch(lambda: blocks, cells.check):
                transposed.add_rows(block, codes, scale)
            ranks.add_rows(moments, transposed)
    else:
        scale = cells.scale
        for first, block in cells.column_blocks():
            moments.add_columns(first, block, cells.codes, scale)
            if ranks is not None:
                genes = slice(first, first + len(block.starts) - 1)
                ranks.add_columns(first, block, moments.n_measured(genes))
    wanted = cells.positions if cells.by_rows and cells.positions is not None else slice(None)
    groups = Summaries(moments, cells.n_groups, wanted)
    return Gathered(groups) if ranks is None else Gathered(groups, *ranks.found(wanted))


Mask = NDArray[np.bool_]


class MatrixStats:
    """Statistics of the matrix of a dataset, and of the columns that group its cells.

    tell : called with the finished part of a pass over the matrix, 0 to 1, and a text; with 1 and "" at the end
    cancelled : called at least twice a second during a read; True gives up

    Every method raises `InvalidStore` or `DamagedStore` if the store cannot be read, and `Cancelled` if `cancelled()`
    returned True.
    """

    def __init__(
        self, dataset: Dataset, tell: Tell = lambda _, __: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.dataset, self.tell = dataset, tell
        self._cancelled = cancelled

    def check(self, question: Question) -> None:
        """Raise as `Question.check`, or `InvalidOption` if it cannot be answered here."""
        question.check(self.dataset)

    def category_counts(
        self, column: str, masks: Sequence[Mask | None]
    ) -> tuple[tuple[Any, ...], list[NDArray[np.int64]]]:
        """Return the categories of an obs column, and the number of cells of each in each mask, None = all cells."""
        codes = self.dataset.codes(column)
        k, counts = len(codes.categories), []
        for mask in masks:
            found = codes.codes if mask is None else codes.codes[mask]
            counts.append(np.bincount(found[(found >= 0) & (found < k)], minlength=k).astype(np.int64))
        return codes.categories, counts

    def kind(self, grouping: Grouping, layer: str | None) -> ValueKind:
        """Return the kind of the values of a layer, judged from some rows, or genes if these take less reading."""
        return judge(self.dataset, self.sample_of(grouping), layer, self.give_up)

    def sample_of(self, grouping: Grouping) -> NDArray[np.int64]:
        """Return rows for judging the kind of values."""
        return grouping.spread(_SAMPLED_ROWS, self.dataset.n_obs)

    def gather(self, grouping: Grouping, question: Question, *, linear: bool) -> Gathered:
        """Gather the sums that a question needs of each group."""
        return gather(self._grouped(grouping, question), linear=linear)

    def sum_counts(self, grouping: Grouping, question: Question, *, are_counts: bool = True) -> Sums:
        """Sum up the counts, or other values, of each group over all genes, whatever genes the question names."""
        from cxg_widget.compare.donors.sums import sum_counts

        return sum_counts(self._grouped(grouping, question, every=True), are_counts=are_counts)

    def sketch(self, grouping: Grouping, layer: str | None, kind: ValueKind, *, normalized: bool) -> Sketch:
        """Return the sums of a sketch, whose tiles are the groups; see `ValueKind` for `kind`."""
        from cxg_widget.compare.sketch import STEP_BYTES, Parts

        cells = Grouped.of(
            self.dataset, grouping.groups(None, self.dataset.n_obs), grouping.n_groups, layer, None, normalized,
            tell=self.tell, check=self.give_up, step_bytes=STEP_BYTES,
        )  # fmt: skip
        return Parts(cells).gather().as_sketch(kind)

    def give_up(self) -> None:
        """Raise `Cancelled` if nobody waits for the result."""
        if self._cancelled():
            raise Cancelled("the comparison was cancelled")

    def _grouped(self, grouping: Grouping, question: Question, *, every: bool = False) -> Grouped:
        dataset = self.dataset
        codes = None if grouping.column is None else dataset.codes(grouping.column)
        return Grouped.of(
            dataset, grouping.groups(codes, dataset.n_obs), grouping.n_groups, question.layer,
            None if every else question.positions(dataset), question.normalize is not None,
            question.needs_ranks, grouping.reference, self.tell, self.give_up,
        )  # fmt: skip
