"""All cells of an embedding on a Dask cluster, in partitions of rows, with the methods of `IndexedCells`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock, Thread
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster import summary as counting
from cxg_widget.cells.cluster.partition import Rows
from cxg_widget.cells.cluster.source import Source, leave
from cxg_widget.cells.cluster.waiting import Waiting, must_be_anew
from cxg_widget.datasets import Codes
from cxg_widget.display.coloring import CategoryColoring, Coloring, NumberColoring
from cxg_widget.display.target import Target
from cxg_widget.draw.aggregate import Aggregator, PixelNumbers, Planes, Statistic
from cxg_widget.draw.aggregate.by_rows import Wanted
from cxg_widget.draw.aggregate.reductions import Sums
from cxg_widget.errors import InvalidValue, Overtaken
from cxg_widget.spatial.view import View
from cxg_widget.wire.encoding import Numbers
from cxg_widget.wire.protocol import MISSING_U16

_LARGEST_PARTITION = 8_000_000
_TILE = 65_536
_FAN_IN = 8
_LEAVE_S = 3.0
"""Letting go waits no longer for workers; one that hangs hears of it when it comes back."""


@dataclass(frozen=True)
class _Column:
    """A column on the workers: one future for each partition."""

    key: tuple[Target, str | None]
    futures: list[Any]
    summary: Coloring


class ClusterCells:
    """The cells of one embedding, held and searched where the workers are.

    Each partition is a range of rows that a worker reads by itself and keeps under a `SpatialIndex`. Only planes,
    packed masks, counts and samples travel. A partition that is lost with its worker is made again by Dask.

    Parameters
    ----------
    client : a `distributed.Client`, see `find_client`
    source : what the workers open
    n_obs : rows of the dataset
    embedding, axes : as in `Dataset.embedding`
    rows_per_partition : None = so that every thread of the cluster has one, and none more than 8 million rows
    patience_s : how long the cluster may be without any worker before `ClusterLost`

    Raises
    ------
    ClusterLost
        If the client is closed, or there are no workers; every method may raise it.
    CxgWidgetError
        What opening or reading the store raises, on the workers as here.
    """

    def __init__(
        self,
        client: Any,
        source: Source,
        n_obs: int,
        embedding: str | None = None,
        axes: tuple[int, int] = (0, 1),
        *,
        rows_per_partition: int | None = None,
        patience_s: float = 30.0,
    ) -> None:
        self.n_obs = n_obs
        self._client = client
        self._source = source
        self._user = uuid4().hex
        self._waiting = Waiting(client, patience_s)
        self._lock = RLock()
        self._column: _Column | None = None
        self._selection: tuple[NDArray[np.bool_], list[Any]] | None = None
        self._is_closed = False
        self._place = embedding, axes
        self._parts: list[Any] = []
        self._parts_lock = RLock()
        self._blocks = self._waiting.submitted(lambda: _cut(n_obs, rows_per_partition, client))
        try:
            self._parts = self._load_parts(self._rows())
            found = self._gathered(self._map("bounds", worker.bounds, self._parts))
        except BaseException:
            self.close()
            raise
        extents = np.array([extent for extent, _ in found if extent is not None]).reshape(-1, 4)
        self.n_missing = sum(n_missing for _, n_missing in found)
        self.extent: View = _union(extents)

    # Columns.

    def summary(self, target: Target, layer: str | None = None) -> Coloring:
        """Load a column on the workers, if it is not the one they have; return the colouring by it, without values.

        Raises
        ------
        InvalidValue
            If it has more categories than can be told apart.
        """
        self._whole()
        return self._loaded(target, layer).summary

    def category_mask(self, target: Target, code: int) -> NDArray[np.bool_]:
        """Return which rows have a category, those without a place too, bool (n_obs,); code -1 = those without one."""
        parts = self._map("category", worker.category_bits, self._rows(), target=target, code=code)
        return self._mask_of(parts)

    def count_selected(
        self, target: Target, mask: NDArray[np.bool_], limits: tuple[float, float], *, layer: str | None = None
    ) -> NDArray[np.int64]:
        """Count selected rows, those without a place too; parameters and answer as `encoding.count_selected`."""
        packed = self._packed(mask)
        same = {"target": target, "layer": layer, "limits": limits}
        counts = self._gathered(self._map("selected", worker.count_selected_rows, self._rows(), packed, **same))
        total: NDArray[np.int64] = np.sum(counts, axis=0)
        return total

    def planes(
        self,
        target: Target | None,
        view: View,
        size: tuple[int, int],
        *,
        layer: str | None = None,
        colors: NDArray[np.uint8] | None = None,
        visible: NDArray[np.bool_] | None = None,
        selected: NDArray[np.bool_] | None = None,
        highlighted: int = -1,
        spread: int = 1,
        statistic: Statistic = "mean",
        aggregator: Aggregator = "auto",
    ) -> Planes:
        """Aggregate a view on the workers and add up what they return; parameters as `aggregate.aggregate`.

        Parameters
        ----------
        target : what to colour by; None or a target of nothing = only count
        selected : bool (n_obs,) in row order; sent once for each array, n_obs / 8 bytes
        highlighted : code of the category that lies above the others in place of what is selected; -1 = none

        Raises
        ------
        Overtaken
            If a newer view was asked for meanwhile.
        """
        parts = self._whole()
        column = self._futures_of(target, layer)
        bits = None if highlighted >= 0 else self._bits(selected)
        options = {
            "colors": colors, "visible": visible, "spread": spread, "statistic": statistic, "aggregator": aggregator,
        }  # fmt: skip

        def submit() -> Any:
            found = self._map(
                "planes", worker.planes_of, parts, column, bits,
                view=view, size=size, highlighted=highlighted, options=options,
            )  # fmt: skip
            return self._reduced(found, worker.add_planes)

        planes: Planes = self._waiting.newest("planes", submit)
        return planes

    def numbers(
        self,
        columns: Mapping[str, Target],
        reduction: Any,
        view: View,
        size: tuple[int, int],
        *,
        layer: str | None = None,
        selected: NDArray[np.bool_] | None = None,
        spread: int = 1,
    ) -> PixelNumbers:
        """Reduce the cells of a view on the workers, in the order of their rows; parameters as `reduce_pixels`.

        Raises
        ------
        Overtaken
            If a newer view was asked for meanwhile.
        """
        parts = self._whole()
        found = [self._futures_of(target, layer) for target in columns.values()]
        bits = self._bits(selected)
        same = {"names": tuple(columns), "reduction": reduction, "view": view, "size": size, "spread": spread}

        def submit() -> Any:
            return self._reduced(self._map("planes", worker.numbers_of, parts, bits, *found, **same), worker.add_planes)

        numbers: PixelNumbers = self._waiting.newest("planes", submit)
        return numbers

    def sums(
        self, wanted: Wanted, view: View, size: tuple[int, int], selected: NDArray[np.bool_] | None = None
    ) -> Sums:
        """Reduce all cells, or those of a mask in row order, bool (n_obs,), on the workers; the sums merge there."""
        packed = None if selected is None else self._packed(selected)
        parts, asked = self._whole(), {"wanted": wanted, "view": view, "size": size}
        found = self._map("reduce", worker.sums_of_rows, self._rows(), parts, packed, **asked)
        sums: Sums = self._waiting.result(self._waiting.submitted(lambda: self._reduced(found, worker.add_planes)))
        return sums

    def sample(
        self, k: int, seed: int = 0, target: Target | None = None, layer: str | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[Any] | None]:
        """Return k random rows, the same for the same seed, as `take` returns them.

        Returns
        -------
        rows : int64 (k,), distinct, in random order
        xy, values : as `take`
        """
        rows = np.random.default_rng(seed).choice(self.n_obs, min(k, self.n_obs), replace=False)
        return rows, *self.take(rows, target, layer)

    def take(
        self, rows: NDArray[np.integer[Any]], target: Target | None = None, layer: str | None = None
    ) -> tuple[NDArray[np.float32], NDArray[Any] | None]:
        """Return coordinates and values of some rows, in their order.

        Returns
        -------
        xy : float32 (k, 2), NaN where a row is not drawn
        values : int32 (k,), codes, -1 = missing; or float32 (k,), float64 where float32 is too coarse, exact to
            (hi - lo) / 65534, NaN = missing; missing too where a row is not drawn; None without a target
        """
        parts = self._whole()
        column = self._futures_of(target, layer)
        order = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[order], [stop for _, stop in self._blocks])
        local = [rows[own] - start for own, (start, _) in zip(np.split(order, ends[:-1]), self._blocks, strict=True)]
        found = self._gathered(self._map("take", worker.take, parts, column, local))
        back = np.empty(rows.size, dtype=np.int64)
        back[order] = np.arange(rows.size)
        xy = np.concatenate([one for one, _ in found])[back]
        values = [one for _, one in found if one is not None]
        return xy, np.concatenate(values)[back] if values else None

    # Places.

    def count(self, view: Sequence[float]) -> int:
        """Count the cells of a view exactly, x0 <= x <= x1 and y0 <= y <= y1."""
        return sum(self._gathered(self._map("count", worker.count, self._whole(), view=tuple(view))))

    def rows_in(self, view: Sequence[float]) -> NDArray[np.int64]:
        """Return the rows of a view, in no order."""
        return np.concatenate(self._gathered(self._map("rows", worker.rows_in, self._whole(), view=tuple(view))))

    def polygon_mask(
        self,
        polygon: NDArray[np.float64],
        *,
        target: Target | None = None,
        layer: str | None = None,
        visible: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Return which cells lie in a polygon (k, 2), bool (n_obs,); the workers send one bit for each cell.

        Parameters
        ----------
        visible : bool (k + 1,), which categories of the target count, missing last; None = all
        """
        parts = self._whole()
        column = self._futures_of(target, layer) if visible is not None else None
        asked = {"polygon": polygon, "visible": visible}
        return self._mask_of(self._map("polygon", worker.polygon_bits, parts, column, **asked))

    def _packed(self, mask: NDArray[np.bool_]) -> list[NDArray[np.uint8]]:
        """Cut a mask, bool (n_obs,), into packed bits for each partition."""
        return [np.packbits(mask[start:stop], bitorder="little") for start, stop in self._blocks]

    def _mask_of(self, bits: list[Any]) -> NDArray[np.bool_]:
        """Put the packed bits of the partitions together, bool (n_obs,)."""
        mask = np.zeros(self.n_obs, dtype=np.bool_)
        for (start, stop), packed in zip(self._blocks, self._gathered(bits), strict=True):
            mask[start:stop] = np.unpackbits(packed, count=stop - start, bitorder="little").view(np.bool_)
        return mask

    def nearest(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        stretch: float = 1.0,
        target: Target | None = None,
        layer: str | None = None,
        visible: NDArray[np.bool_] | None = None,
    ) -> int | None:
        """Return the row of the cell nearest to (x, y) within a radius; None if there is none.

        Parameters
        ----------
        x, y, radius, stretch : as in `SpatialIndex.nearest`
        visible : bool (k + 1,), which categories of the target count, missing last; None = all

        Raises
        ------
        Overtaken
            If a newer point was asked about meanwhile.
        """
        parts = self._whole()
        column = self._futures_of(target, layer) if visible is not None else None
        submit = partial(self._nearest, parts, column, circle=(x, y, radius, stretch), visible=visible)
        found: tuple[float, int] | None = self._waiting.newest("nearest", submit)
        return None if found is None else found[1]

    def _nearest(self, parts: list[Any], column: list[Any] | None, **asked: Any) -> Any:
        return self._reduced(self._map("nearest", worker.nearest, parts, column, **asked), _closest)

    def close(self) -> None:
        """Let go of everything on the workers; a client that is closed already has done so."""
        self._is_closed = True
        self._parts, self._column, self._selection = [], None, None
        if self._client.status == "running":
            leaving = Thread(target=self._tell_workers, name="cxg-widget-leave", daemon=True)
            leaving.start()
            leaving.join(_LEAVE_S)

    def _tell_workers(self) -> None:
        with suppress(Exception):  # the client may be closed meanwhile
            self._client.run(leave, self._source.token, self._user, on_error="ignore")

    # Steps.

    def _load_parts(self, rows: list[Rows]) -> list[Any]:
        embedding, axes = self._place
        return self._map("load", worker.load_partition, rows, embedding=embedding, axes=axes)

    def _whole(self) -> list[Any]:
        """Return the partitions; those thrown away by `client.restart()`, or that failed, are loaded anew.

        Once for each question: a partition that workers die over is not to take them all.
        """
        with self._parts_lock:
            are_gone = [must_be_anew(part) for part in self._parts]
            if any(are_gone):
                self._column = self._selection = None
                anew = iter(self._load_parts([rows for rows, gone in zip(self._rows(), are_gone, strict=True) if gone]))
                self._parts = [next(anew) if gone else part for part, gone in zip(self._parts, are_gone, strict=True)]
            return self._parts

    def _rows(self) -> list[Rows]:
        return [Rows(self._source, self._user, start, stop) for start, stop in self._blocks]

    def _map(self, what: str, function: Callable[..., Any], *lists: Sequence[Any] | None, **same: Any) -> list[Any]:
        """Submit one task for each partition, or each entry of the lists, with its entries (None: with None)."""

        def submit() -> list[Any]:
            if self._is_closed:
                raise Overtaken("these cells are no longer on show.")
            n_tasks = len(next(one for one in lists if one is not None))
            tasks = zip(*(one if one is not None else [None] * n_tasks for one in lists), strict=True)
            return [self._submit(what, function, *own, **same) for own in tasks]

        futures: list[Any] = self._waiting.submitted(submit)
        return futures

    def _submit(self, what: str, function: Callable[..., Any], *args: Any, **same: Any) -> Any:
        # A key of our own: one made of the arguments would be a hash of secrets, and take time.
        return self._client.submit(function, *args, **same, key=f"cxg-{what}-{uuid4().hex}", pure=False)

    def _reduced(self, futures: list[Any], merge: Callable[..., Any]) -> Any:
        """Merge results where they are, a few at a time."""
        while len(futures) > 1:
            groups = [futures[first : first + _FAN_IN] for first in range(0, len(futures), _FAN_IN)]
            futures = [self._submit("merge", merge, *group) if len(group) > 1 else group[0] for group in groups]
        return futures[0]

    def _gathered(self, futures: list[Any]) -> list[Any]:
        return [self._waiting.result(future) for future in futures]

    def _futures_of(self, target: Target | None, layer: str | None) -> list[Any] | None:
        return None if target is None or target.source == "none" else self._loaded(target, layer).futures

    def _loaded(self, target: Target, layer: str | None) -> _Column:
        with self._lock:
            held = self._column
            if held is None or held.key != (target, layer) or any(map(must_be_anew, held.futures)):
                held = self._column = self._load(target, layer)
            return held

    def _load(self, target: Target, layer: str | None) -> _Column:
        data = self._map("read", worker.read_column, self._rows(), target=target, layer=layer)
        if self._waiting.result(self._submit("kind", _holds_codes, data[0])):
            summary: Coloring = self._count_codes(target, data)
            arranged = self._map("arrange", worker.arrange_categories, self._parts, data)
        else:
            summary = self._count_numbers(target, data)
            arranged = self._map("arrange", worker.arrange_numbers, self._parts, data, limits=summary.limits)
        return _Column((target, layer), arranged, summary)

    def _count_codes(self, target: Target, data: list[Any]) -> Coloring:
        found = self._gathered(self._map("codes", counting.count_codes, data))
        categories, total = found[0][0], np.sum([counts for _, counts in found], axis=0)
        if len(categories) >= MISSING_U16:
            raise InvalidValue(f"{len(categories):,} categories; at most {MISSING_U16 - 1:,} can be told apart")
        counted = total[1:].tolist(), int(total[0])
        return CategoryColoring(target, Codes(np.empty(0, np.int32), categories), is_sample=True, counted=counted)

    def _count_numbers(self, target: Target, data: list[Any]) -> Coloring:
        sizes = [stop - start for start, stop in self._blocks]
        found = self._gathered(self._map("limits", counting.limits_of, data, sizes))
        lo, hi = min(one[0] for one in found), max(one[1] for one in found)
        lo, hi = (lo, hi) if lo <= hi else (0.0, 0.0)
        tallies = self._gathered(self._map("tally", counting.tally, data, sizes, lo=lo, hi=hi))
        bins, codes = (np.sum(parts, axis=0) for parts in zip(*tallies, strict=True))
        numbers = replace(
            Numbers.stated(lo, hi),
            n_missing=sum(one[2] for one in found),
            histogram=bins.astype(np.uint32),
            quantiles=counting.quantiles_of(codes, lo, hi),
        )
        return NumberColoring(target, numbers, is_sample=True)

    def _bits(self, selected: NDArray[np.bool_] | None) -> list[Any] | None:
        if selected is None or not selected.any():
            return None
        with self._lock:
            held = self._selection
            if held is None or held[0] is not selected or any(map(must_be_anew, held[1])):
                held = selected, self._map("select", worker.arrange_bits, self._parts, self._packed(selected))
                self._selection = held
            return held[1]


def _cut(n_obs: int, rows_per_partition: int | None, client: Any) -> list[tuple[int, int]]:
    """Cut the rows into partitions on whole tiles, where they are large enough to have some."""
    if rows_per_partition is None:
        n_threads = max(1, sum(client.ncores().values()))
        rows_per_partition = min(_LARGEST_PARTITION, -(-n_obs // n_threads))
        if rows_per_partition > _TILE:
            rows_per_partition = -(-rows_per_partition // _TILE) * _TILE
    size = max(1, rows_per_partition)
    return [(start, min(start + size, n_obs)) for start in range(0, max(n_obs, 1), size)]


def _union(extents: NDArray[np.float64]) -> View:
    if not len(extents):
        return 0.0, 0.0, 0.0, 0.0
    (x0, _, y0, _), (_, x1, _, y1) = extents.min(axis=0).tolist(), extents.max(axis=0).tolist()
    return x0, x1, y0, y1


def _holds_codes(data: Any) -> bool:
    return isinstance(data, Codes)


def _closest(*found: tuple[float, int] | None) -> tuple[float, int] | None:
    return min((one for one in found if one is not None), default=None)
