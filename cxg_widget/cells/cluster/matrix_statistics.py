"""Statistics of a matrix by Dask workers: each sums up its own rows, and the sums are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster.partition import Rows
from cxg_widget.cells.cluster.partitions import Partitions
from cxg_widget.compare.compared_groups import Grouped, Grouping, Tell
from cxg_widget.compare.donors.sums import Sums, sum_counts
from cxg_widget.compare.matrix_statistics import Gathered, MatrixStats, ValueKind, gather, judge
from cxg_widget.compare.question import Question
from cxg_widget.compare.sketch import STEP_BYTES as SKETCH_STEP_BYTES
from cxg_widget.compare.sketch import Parts, Sketch
from cxg_widget.compute.bits import pack_mask, unpack_mask
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.color_target import Target
from cxg_widget.errors import InvalidOption

ROWS_PER_TASK = 2**18
"""Few enough for a smooth progress bar, and for workers to be free soon after a comparison was cancelled."""
_WASTE = 2
"""Tasks of this size are used unless workers would read more than this many times as much."""

Found = TypeVar("Found", Gathered, Sums, Sketch)
_Bits = tuple[NDArray[np.uint8], ...]


class ClusterMatrixStats(MatrixStats):
    """Statistics of a matrix by Dask workers; this process reads none of it.

    Masks are sent as bits; each worker returns some numbers per gene and group.

    Every method may also raise `ClusterLost`.
    """

    def __init__(
        self, dataset: Dataset, parts: Partitions, tell: Tell = lambda _, __: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        super().__init__(dataset, tell, cancelled)
        self._parts = parts

    def check(self, question: Question) -> None:
        """Raise as `Question.check`; ranks are refused."""
        super().check(question)
        if question.needs_ranks:
            many = self.dataset.obs_noun.many
            raise InvalidOption(
                f"method={question.method!r} ranks all {many} together, and each of Dask's workers has some of them: "
                "method='t-test' adds up there, and a widget without dask= ranks in this process."
            )

    def category_counts(
        self, column: str, masks: Sequence[NDArray[np.bool_] | None]
    ) -> tuple[tuple[Any, ...], list[NDArray[np.int64]]]:
        """Return the categories of an obs column, and the number of cells of each in each mask, None = all cells."""
        parts, found = self._parts, []
        for mask in masks:
            packed = None if mask is None else parts.packed(mask)
            task = partial(worker.category_counts, target=Target("obs", column))
            found.append(parts.map("categories", task, parts.rows(column), packed))
        counted = [parts.gathered(futures) for futures in found]
        return counted[0][0][0], [np.sum([counts for _, counts in one], axis=0) for one in counted]

    def kind(self, grouping: Grouping, layer: str | None) -> ValueKind:
        """Return the kind of the values of a layer, judged by one worker."""
        kind: ValueKind = self._by_one("judge", _judged, sample=self.sample_of(grouping), layer=layer)
        return kind

    def gather(self, grouping: Grouping, question: Question, *, linear: bool) -> Gathered:
        """Gather the sums that a question needs of each group."""
        positions, normalized = question.positions(self.dataset), question.normalize is not None
        return self._added(grouping, _Look(question.layer, positions, normalized, linear), _gathered)

    def sum_counts(self, grouping: Grouping, question: Question, *, are_counts: bool = True) -> Sums:
        """Sum up the counts, or other values, of each group over all genes, whatever genes the question names."""
        return self._added(grouping, _Look(question.layer, are_counts=are_counts), _summed)

    def sketch(self, grouping: Grouping, layer: str | None, kind: ValueKind, *, normalized: bool) -> Sketch:
        """Return the sums of a sketch; each worker returns one, so there is one task per partition."""
        look = _Look(layer, normalized=normalized)
        return self._added(grouping, look, partial(_sketched, kind=kind), self._parts.rows())

    def _added(
        self, grouping: Grouping, look: _Look, function: Callable[..., Found], tasks: list[Rows] | None = None
    ) -> Found:
        """Have each task sum up some rows, and add the results; tasks None = see `_tasks`."""
        parts, ready = self._parts, grouping.codes
        tasks = self._tasks(grouping.column, look) if tasks is None else tasks
        if ready is not None:
            # The rest of a lasso lies in few partitions; one task remains if there are no cells at all.
            tasks = [task for task in tasks if (ready[task.start : task.stop] >= 0).any()] or tasks[:1]
        bits = [tuple(pack_mask(mask[task.start : task.stop]) for mask in grouping.sides) for task in tasks]
        own = None if ready is None else [ready[task.start : task.stop] for task in tasks]
        arguments = {"look": look, "table": grouping.table, "column": grouping.column}
        ended: list[None] = []

        def submit() -> Any:
            futures = parts.map("compare", function, tasks, bits, own, **arguments)
            for future in futures:
                # Called in a thread of the client; `list.append` needs no lock.
                future.add_done_callback(lambda _: ended.append(None))
            return parts.reduced(futures, _merged)

        def look_after() -> None:
            self.give_up()
            self.tell(len(ended) / len(tasks), f"Reading parts {len(ended):,} of {len(tasks):,}")

        # Only the final result is requested, so that workers release what they have added.
        found: Found = parts.waiting.result(parts.waiting.submitted(submit), look_after)
        return found

    def _tasks(self, column: str | None, look: _Look) -> list[Rows]:
        """Return the rows of each task: parts of partitions, unless each part would read the store again."""
        partitions = self._parts.rows(*([] if column is None else [column]))
        if all(rows.stop - rows.start <= ROWS_PER_TASK for rows in partitions):
            return partitions
        if not self._by_one("plan", _is_cut_well, look=look, n=ROWS_PER_TASK):
            return partitions
        return [part for rows in partitions for part in rows.parts(ROWS_PER_TASK)]

    def _by_one(self, what: str, function: Callable[..., Any], **arguments: Any) -> Any:
        """Have one worker do work that is not split by rows."""
        parts = self._parts
        future = parts.waiting.submitted(lambda: parts.submit(what, function, parts.rows()[0], **arguments))
        return parts.waiting.result(future, self.give_up)


@dataclass(frozen=True)
class _Look:
    """Parameters of a task: layer, positions of genes (None = all), normalization, kind of sums."""

    layer: str | None
    positions: NDArray[np.int64] | None = None
    normalized: bool = False
    linear: bool = False
    are_counts: bool = True


# On a worker.


def _judged(rows: Rows, sample: NDArray[np.int64], layer: str | None) -> ValueKind:
    return judge(rows.dataset(), sample, layer)


def _is_cut_well(rows: Rows, look: _Look, n: int) -> bool:
    dataset = rows.dataset()
    part, whole = (dataset.plan(some, look.positions, look.layer) for some in (np.arange(n), None))
    return part.n_bytes * dataset.n_obs <= _WASTE * whole.n_bytes * n


def _grouped(
    rows: Rows, bits: _Bits, own: NDArray[np.int32] | None, look: _Look, *, table: NDArray[np.int32], column: str | None
) -> Grouped:
    dataset, n = rows.dataset(), rows.stop - rows.start
    grouping = Grouping(table, tuple(unpack_mask(one, n) for one in bits), column, codes=own)
    codes = None if column is None else dataset.codes_block(column, rows.start, rows.stop)
    return Grouped.of(
        dataset, grouping.groups(codes, n), grouping.n_groups, look.layer, look.positions, look.normalized,
        first=rows.start,
    )  # fmt: skip


def _gathered(rows: Rows, bits: _Bits, own: NDArray[np.int32] | None, look: _Look, **grouping: Any) -> Gathered:
    return gather(_grouped(rows, bits, own, look, **grouping), linear=look.linear)


def _summed(rows: Rows, bits: _Bits, own: NDArray[np.int32] | None, look: _Look, **grouping: Any) -> Sums:
    return sum_counts(_grouped(rows, bits, own, look, **grouping), are_counts=look.are_counts)


def _sketched(
    rows: Rows, bits: _Bits, own: NDArray[np.int32] | None, look: _Look, *, kind: ValueKind, **grouping: Any
) -> Sketch:
    cells = replace(_grouped(rows, bits, own, look, **grouping), step_bytes=SKETCH_STEP_BYTES)
    return Parts(cells).gather().as_sketch(kind)


def _merged(*found: Found) -> Found:
    return reduce(lambda one, other: one.with_(other), found)
