"""All cells of an embedding on a Dask cluster, with the interface of `IndexedCells`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.all_cells import Shown, SomeCells, rgb_of
from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster.column import LoadedColumn, as_column
from cxg_widget.cells.cluster.counted import ClusterColumn, read_on_workers
from cxg_widget.cells.cluster.partitions import Partitions
from cxg_widget.cells.cluster.rows_of import rule_bits
from cxg_widget.cells.cluster.source import Source
from cxg_widget.cells.cluster.waiting import must_be_anew
from cxg_widget.cells.under_pointer import CellsUnderPointer
from cxg_widget.color.limits import ColorRule
from cxg_widget.counts.on_grid import Grid
from cxg_widget.datasets import Codes, Dataset
from cxg_widget.datasets.base.column_pairs import EmbeddingName
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import Coloring
from cxg_widget.draw.aggregate.by_datashader import PixelNumbers
from cxg_widget.draw.aggregate.by_rows import Wanted
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.reductions import Sums
from cxg_widget.rules.forms import Rule
from cxg_widget.spatial.circle import Circle
from cxg_widget.spatial.view import Extent, View, union

if TYPE_CHECKING:
    from cxg_widget.cells.cluster.matrix_statistics import ClusterMatrixStats
    from cxg_widget.compare.compared_groups import Tell


class ClusterCells:
    """The cells of one embedding on the workers.

    Only planes, packed masks, counts and samples are transferred.

    Parameters
    ----------
    client : a `distributed.Client`, see `find_client`
    embedding, axes : as in `Dataset.embedding`
    own : returns the current obs columns that are not in the store, the annotations
    read : counts the reads of the workers; None = not counted
    rows_per_partition : None = one partition per thread of the cluster, of at most 8 million rows
    patience_s : how long the cluster may have no worker before `ClusterLost`

    Raises
    ------
    ClusterLost
        If the client is closed, or there are no workers; every method may raise it.
    CxgWidgetError
        Errors of opening or reading the store, on the workers as here.
    """

    def __init__(
        self,
        client: Any,
        source: Source,
        n_obs: int,
        embedding: EmbeddingName | None = None,
        axes: tuple[int, int] = (0, 1),
        *,
        own: Callable[[], Mapping[str, Codes]] = dict,
        read: Meter | None = None,
        rows_per_partition: int | None = None,
        patience_s: float = 30.0,
    ) -> None:
        self._lock = RLock()
        self._selection: tuple[NDArray[np.bool_], list[Any]] | None = None
        self._only: tuple[NDArray[np.bool_], ClusterCells] | None = None
        self._of_sets = dict[str, Codes]()
        self._parts = Partitions(
            client, source, n_obs, (embedding, axes), own=lambda: {**own(), **self._of_sets}, read=read or Meter(),
            rows_per_partition=rows_per_partition, patience_s=patience_s,
        )  # fmt: skip
        self._loaded = LoadedColumn(self._parts)
        try:
            self._parts.load()
            found = self._parts.gathered(self._parts.map("bounds", worker.bounds, self._parts.held))
        # Also after Ctrl-C, or futures and open datasets stay on the workers.
        except BaseException:
            self.close()
            raise
        self.n_missing = sum(n_missing for _, n_missing in found)
        self.extent: Extent = union([extent for extent, _ in found if extent is not None])

    def only(self, mask: NDArray[np.bool_] | None) -> ClusterCells:
        """Return the cells of a mask, bool (n_obs,); None = all. Results are cached per mask object."""
        if mask is None:
            return self
        with self._lock:
            if self._only is None or self._only[0] is not mask:
                self._whole()
                # The copy would share the lock, and columns of other rows.
                kept = copy(self)
                kept._lock, kept._selection, kept._only = RLock(), None, None
                kept._parts = self._parts.only(mask)
                kept._loaded = LoadedColumn(kept._parts)
                self._drop_only()
                self._only = mask, kept
            return self._only[1]

    def _drop_only(self) -> None:
        if self._only is not None:
            self._only[1]._parts.drop()
            self._only = None

    # Columns.

    def know_sets(self, target: Target, codes: Codes) -> None:
        """Set the set of each row, (n_obs,); workers get them as they get labels."""
        self._of_sets = {as_column(target).name: codes}

    def summary(self, target: Target, layer: str | None = None, rule: ColorRule | None = None) -> Coloring:
        """Load a column on the workers, if it is not there; return its coloring without values.

        rule : limits that its codes must resolve; None = any
        """
        self._whole()
        return self._loaded.get(target, layer, rule).summary

    def category_mask(self, target: Target, code: int) -> NDArray[np.bool_]:
        """Return the rows of a category, also without coordinates, bool (n_obs,); code -1 = those without one."""
        parts, target = self._parts, as_column(target)
        return parts.mask_of(
            parts.map("category", worker.category_bits, parts.rows(target.name), target=target, code=code)
        )

    def count_selected(
        self, coloring: Coloring, mask: NDArray[np.bool_], layer: str | None = None
    ) -> NDArray[np.int64]:
        """Count selected rows, including those without coordinates, as `Coloring.count_selected`."""
        limits = (*coloring.limits, coloring.numbers.least)
        parts, target = self._parts, as_column(coloring.target)
        same = {"target": target, "layer": layer}
        counts = parts.map(
            "selected",
            worker.count_selected_rows,
            parts.rows(target.name),
            parts.packed(mask),
            **same,
            limits=limits,
        )
        total: NDArray[np.int64] = np.sum(parts.gathered(counts), axis=0)
        return total

    def category_counts(
        self, target: Target, mask: NDArray[np.bool_] | None
    ) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
        """Return the categories of an obs column, and the rows of a mask, bool (n_obs,), in each, int64 (k,)."""
        parts = self._parts
        packed = None if mask is None else parts.packed(mask)
        found = parts.gathered(
            parts.map("categories", worker.category_counts, parts.rows(target.name), packed, target=target)
        )
        total: NDArray[np.int64] = np.sum([counts for _, counts in found], axis=0)
        # A block has the categories of all rows, so those of the first partition are those of all.
        return found[0][0], total

    def category_planes(
        self, target: Target | None, slots: NDArray[np.int32], grid: Grid, mask: NDArray[np.bool_] | None
    ) -> NDArray[np.uint32]:
        """Count cells on a grid on the workers, and add their counts; see `count_on_grid`."""
        parts, loaded = self._parts, self._whole()
        packed = None if mask is None else parts.packed(mask)

        def submit() -> Any:
            arguments = {"target": target, "slots": slots, "grid": grid}
            found = parts.map(
                "grid",
                worker.category_planes,
                parts.rows(*([] if target is None else [target.name])),
                loaded,
                packed,
                **arguments,
            )
            return parts.reduced(found, worker.add_planes)

        planes: NDArray[np.uint32] = parts.waiting.result(parts.waiting.submitted(submit))
        return planes

    def coded(self, column: tuple[str, str, str | None]) -> ClusterColumn:
        """Have the workers read a column, (source, name, layer), as codes to be counted there."""
        return read_on_workers(self._parts, column)

    def rule_mask(self, rule: Rule) -> NDArray[np.bool_]:
        """Return the rows of a rule that can be evaluated by rows, bool (n_obs,); raises as `rule.mask_of`."""
        return self._parts.mask_of(self._parts.map("rule", rule_bits, self._parts.rows(), rule=rule))

    def matrix(self, dataset: Dataset, tell: Tell, cancelled: Callable[[], bool]) -> ClusterMatrixStats:
        """Return the statistics of the matrix on the workers, see `Holder.matrix`."""
        from cxg_widget.cells.cluster.matrix_statistics import ClusterMatrixStats

        return ClusterMatrixStats(dataset, self._parts, tell, cancelled)

    # Pictures.

    def image(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> Planes:
        """Aggregate a view on the workers and add their planes; parameters as in `IndexedCells.image`.

        A selection is sent once per array, n_obs / 8 bytes.

        Raises `Overtaken` if a newer request for a view has arrived.
        """
        loaded, column = (
            self._whole(),
            self._loaded.futures_of(shown.coloring.target, shown.settings.layer, shown.coloring.numbers.levels),
        )
        highlighted = shown.highlighted if shown.colors else -1
        bits = None if highlighted >= 0 else self._bits(shown.mask)
        options = {
            "colors": rgb_of(shown.colors), "visible": shown.visible, "spread": spread,
            "statistic": shown.statistic, "aggregator": shown.aggregator,
        }  # fmt: skip

        def submit() -> Any:
            arguments = {"view": view, "size": size, "highlighted": highlighted, "options": options}
            found = self._parts.map("planes", worker.planes_of, loaded, column, bits, **arguments)
            return self._parts.reduced(found, worker.add_planes)

        planes: Planes = self._parts.waiting.newest("planes", submit)
        return planes

    def numbers(self, shown: Shown, view: View, size: tuple[int, int], spread: int) -> PixelNumbers:
        """Reduce the cells of a view on the workers, in row order; parameters as in `image`.

        Raises `Overtaken` if a newer request for a view has arrived.
        """
        loaded, bits = self._whole(), self._bits(shown.mask)
        found = [self._loaded.futures_of(one.target, shown.settings.layer) for one in shown.columns.values()]
        arguments = {"names": tuple(shown.columns), "reduction": shown.settings.statistic, "view": view, "size": size}

        def submit() -> Any:
            numbers = self._parts.map("planes", worker.numbers_of, loaded, bits, *found, **arguments, spread=spread)
            return self._parts.reduced(numbers, worker.add_planes)

        numbers: PixelNumbers = self._parts.waiting.newest("planes", submit)
        return numbers

    def sums(
        self, wanted: Wanted, view: View, size: tuple[int, int], selected: NDArray[np.bool_] | None = None
    ) -> Sums:
        """Reduce all cells, or those of a mask in row order, bool (n_obs,), on the workers, which merge the sums."""
        parts, arguments = self._parts, {"wanted": wanted, "view": view, "size": size}
        packed = None if selected is None else parts.packed(selected)
        found = parts.map(
            "reduce",
            worker.sums_of_rows,
            parts.rows(*(one.name for one in wanted.columns.values())),
            self._whole(),
            packed,
            **arguments,
        )
        sums: Sums = parts.waiting.result(parts.waiting.submitted(lambda: parts.reduced(found, worker.add_planes)))
        return sums

    # Coordinates.

    def take(
        self, rows: NDArray[np.integer[Any]], coloring: Coloring, layer: str | None = None
    ) -> tuple[NDArray[np.float32], Coloring]:
        """Return coordinates and coloring of some rows, in their order.

        Parameters
        ----------
        coloring : coloring by the column to read; its values are ignored

        Returns
        -------
        xy : float32 (k, 2), NaN if a row is not drawn
        coloring : with codes int32 (k,); or numbers float32 (k,), float64 if float32 is too coarse, exact to (hi - lo)
            / 65534; also missing if a row is not drawn
        """
        loaded, column = self._whole(), self._loaded.futures_of(coloring.target, layer, coloring.numbers.levels)
        local, back = self._parts.local(rows)
        found = self._parts.gathered(self._parts.map("take", worker.take, loaded, column, local))
        xy = np.concatenate([one for one, _ in found])[back]
        values = [one for _, one in found if one is not None]
        return xy, coloring.holding(np.concatenate(values)[back]) if values else coloring

    def coordinates(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Return the coordinates of some rows, float32 (k, 2); NaN if not finite."""
        return self.take(rows, Coloring(Target("none")))[0]

    def cells(self, extent: Extent, shown: Shown) -> SomeCells:
        """Return all cells in x0, x1, y0, y1, in random order."""
        found = self._parts.gathered(self._parts.map("rows", worker.rows_in, self._whole(), view=extent))
        rows = np.random.default_rng(0).permutation(np.concatenate(found))
        return SomeCells.of(*self.take(rows, shown.coloring, shown.settings.layer), rows, shown)

    def count(self, view: Sequence[float]) -> int:
        """Count the cells of a view exactly, x0 <= x <= x1 and y0 <= y <= y1."""
        return sum(self._parts.gathered(self._parts.map("count", worker.count, self._whole(), view=tuple(view))))

    def polygon_mask(self, polygon: NDArray[np.float64], shown: Shown | None = None) -> NDArray[np.bool_]:
        """Return which cells are in a polygon (k, 2), bool (n_obs,), without those that `shown` hides."""
        loaded, visible = self._whole(), None if shown is None else shown.visible
        column = self._loaded.hidden_by(shown)
        arguments = {"polygon": polygon, "visible": visible}
        return self._parts.mask_of(self._parts.map("polygon", worker.polygon_bits, loaded, column, **arguments))

    def nearest(
        self, x: float, y: float, radius: float, shown: Shown, *, stretch: float = 1.0
    ) -> tuple[int, float, float] | None:
        """Return row and position of the visible cell nearest to (x, y); see `SpatialIndex.nearest`.

        Raises `Overtaken` if a newer request for a point has arrived.
        """
        if shown.passing is not None:
            return self.only(shown.passing).nearest(x, y, radius, replace(shown, passing=None), stretch=stretch)
        loaded, column = self._whole(), self._loaded.hidden_by(shown)
        arguments = {"circle": (x, y, radius, stretch), "visible": shown.visible}
        submit = partial(self._nearest, loaded, column, **arguments)
        found: tuple[float, int] | None = self._parts.waiting.newest("nearest", submit)
        if found is None:
            return None
        at_x, at_y = self.coordinates(np.array([found[1]]))[0]
        return found[1], float(at_x), float(at_y)

    def under_pointer(self, circle: Circle, shown: Shown) -> CellsUnderPointer:
        """Summarize the visible cells in a circle that pass the filters.

        Raises `Overtaken` if a newer request for a circle has arrived.
        """
        if shown.passing is not None:
            return self.only(shown.passing).under_pointer(circle, replace(shown, passing=None))
        loaded, column = self._whole(), self._loaded.futures_of(shown.coloring.target, shown.settings.layer)
        submit = partial(self._under_pointer, loaded, column, circle=circle, visible=shown.visible)
        found: CellsUnderPointer = self._parts.waiting.newest("under_pointer", submit)
        return found

    def _under_pointer(self, loaded: list[Any], column: list[Any] | None, **arguments: Any) -> Any:
        found = self._parts.map("under_pointer", worker.under_pointer, loaded, column, **arguments)
        return self._parts.reduced(found, worker.add_planes)

    def _nearest(self, loaded: list[Any], column: list[Any] | None, **arguments: Any) -> Any:
        return self._parts.reduced(self._parts.map("nearest", worker.nearest, loaded, column, **arguments), _closest)

    def close(self) -> None:
        """Release everything on the workers; closing the client does so too."""
        self._forget()
        self._drop_only()
        self._parts.close()

    # Steps.

    def _whole(self) -> list[Any]:
        return self._parts.whole(self._forget)

    def _forget(self) -> None:
        self._loaded.forget()
        self._selection = None

    def _bits(self, selected: NDArray[np.bool_]) -> list[Any] | None:
        if not selected.any():
            return None
        with self._lock:
            held = self._selection
            if held is None or held[0] is not selected or any(map(must_be_anew, held[1])):
                parts = self._parts
                held = selected, parts.map("select", worker.arrange_bits, parts.held, parts.packed(selected))
                self._selection = held
            return held[1]


def _closest(*found: tuple[float, int] | None) -> tuple[float, int] | None:
    # By distance, then by row: the order of answers does not matter.
    return min((one for one in found if one is not None), default=None)
