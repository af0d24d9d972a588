"""Reads the matrix of one feature space by feature: some features over all cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.groups import ZarrGroups
from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.datasets.atlas.layouts import Layouts
from cxg_widget.datasets.atlas.pointers import PointerColumn, Positions, RowRuns, read_runs, read_spans
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.values import Vector
from cxg_widget.datasets.base.vectors import together
from cxg_widget.errors import InvalidStore

Floats = NDArray[np.float32]
PlaceIn = Callable[[str], int | None]
"""Returns the position of a feature in a group; None if the group did not measure it."""
Wanted = tuple[Floats, int]
"""Output array of a feature, float32 (n_obs,), and its position in the group."""
_NO_CSC = (
    "some Zarr groups are stored by cell only (no csc), so each feature reads all of their entries; "
    "homeobox's add_csc() adds them by feature."
)


class SpaceMatrix:
    """One feature space of one obs table.

    Cells without a pointer into the space are NaN, and so are cells whose dataset did not measure a feature.

    pointer : its column of pointers
    layouts : positions of the features in each dataset
    life : of the dataset; caches what it reads and receives a note per group without the layer
    """

    def __init__(
        self, obs: LanceTable, pointer: PointerColumn, layouts: Layouts, groups: ZarrGroups, life: Lifetime
    ) -> None:
        self.obs, self.pointer, self.layouts, self.groups, self.life = obs, pointer, layouts, groups, life
        self._uri = obs.uri

    @property
    def runs(self) -> Mapping[str, RowRuns]:
        """Positions of the cells by Zarr group, cached."""
        return self.life.once(f"runs of {self.pointer.name}", lambda: read_runs(self.obs, self.pointer))

    @property
    def known_layouts(self) -> Mapping[str, str]:
        """The layout of each group of this space, from the table of datasets, cached."""
        return self.life.once(f"layouts of {self.pointer.space}", self.layouts.by_group)

    def columns(self, features: Sequence[str], layer: str) -> Iterator[Vector]:
        """Yield distinct features over all cells; searches a group once for several features."""
        for some in together(features, 4 * self.obs.n_rows):
            found = self._columns([self._place_of(feature) for feature in some], layer)
            while found:
                values = found.pop(0)
                yield Vector.of(values) if self.pointer.kind == "sparse" else Vector(values)

    def axis(self, feature: str | None, place: int, layer: str) -> Floats:
        """Return one feature of a dense space, float32 (n_obs,); by its position if `feature` is None."""
        places = None if feature is None else self.layouts.places_of(feature)
        (found,) = self._columns([lambda group: place if places is None else places.get(self.layout_of(group))], layer)
        return found

    def _place_of(self, feature: str) -> PlaceIn:
        places = self.layouts.places_of(feature)
        if not places:
            raise InvalidStore(
                f"{self._uri}: feature {feature!r} is in no layout of this snapshot, so no dataset measured it."
            )
        return lambda group: places.get(self.layout_of(group))

    def layout_of(self, group: str) -> str:
        """Return the layout of a group's features."""
        if group not in self.known_layouts:
            raise InvalidStore(f"{self._uri}: cells refer to '{group}', which belongs to no dataset of this snapshot.")
        return self.known_layouts[group]

    def path_of(self, group: str, layer: str) -> str | None:
        """Return the path of a layer in a group; None if it is missing, which adds a note."""
        layers: Mapping[str, str] = self.life.once(f"layers of {group}", lambda: self.groups.layers(group))
        if layer not in layers:
            self.life.note(
                f"layer {layer!r} is not in '{group}', so its cells count as not measured; "
                f"available: {', '.join(layers) or 'none'}."
            )
        return layers.get(layer)

    def spans(self, group: str, runs: RowRuns, n_entries: int) -> NDArray[np.int64]:
        """Return first and last entry (exclusive) of each cell of a group, int64 (2, n), in the order of the runs."""
        found: NDArray[np.int64] = self.life.cached(("spans", group), lambda: read_spans(self.obs, self.pointer, runs))
        self.check_spans(group, found, n_entries)
        return found

    def check_spans(self, group: str, spans: NDArray[np.int64], n_entries: int) -> None:
        """Raise `InvalidStore` for pointers beyond the entries of a group."""
        wrong = np.flatnonzero((spans[0] < 0) | (spans[1] < spans[0]) | (spans[1] > n_entries))
        if len(wrong):
            start, end = spans[:, wrong[0]].tolist()
            raise InvalidStore(
                f"{self._uri}: a cell refers to entries {start:,} to {end:,} of '{group}/csr', which has {n_entries:,}."
            )

    def _columns(self, places_in: Sequence[PlaceIn], layer: str) -> list[Floats]:
        outs = [np.full(self.obs.n_rows, np.nan, dtype=np.float32) for _ in places_in]
        for group, runs in self.runs.items():
            places = [place_in(group) for place_in in places_in]
            known = [(out, place) for out, place in zip(outs, places, strict=True) if place is not None]
            below = self.path_of(group, layer) if known else None
            if below is not None:
                read = self._dense if self.pointer.kind == "dense" else self._sparse
                read(known, group, below, runs)
        return outs

    def _dense(self, wanted: Sequence[Wanted], group: str, below: str, runs: RowRuns) -> None:
        ordered = runs.by_line()
        for begin, end in segments(runs.lines, runs.lengths):
            these = ordered.between(begin, end)
            for out, place in wanted:
                values = self.groups.dense_column(f"{group}/{below}", place, begin, end)
                out[these.all_rows()] = values[these.all_lines() - begin]

    def _sparse(self, wanted: Sequence[Wanted], group: str, below: str, runs: RowRuns) -> None:
        rows = runs.all_rows()
        for out, _ in wanted:
            out[rows] = 0
        if self.groups.has_csc(group, below):
            for out, place in wanted:
                self._by_feature(out, group, below, place, runs)
        else:
            self._by_cell(wanted, group, below, runs, rows)

    def _by_feature(self, out: Floats, group: str, below: str, place: int, runs: RowRuns) -> None:
        for lines, values in self.groups.column_in_csc(group, below, place):
            self._check_lines(group, below, lines, runs)
            run, entry = self._members(group, lines, runs.lines, runs.lines + runs.lengths, int(runs.lengths.sum()))
            found = lines[entry]
            _add(out, runs.rows[run] + found - runs.lines[run], values[entry])

    def _by_cell(self, wanted: Sequence[Wanted], group: str, below: str, runs: RowRuns, rows: Positions) -> None:
        self.life.note(_NO_CSC)
        spans = self.spans(group, runs, self.groups.n_entries(group, below))
        begin, end = int(spans[0].min(initial=2**62)), int(spans[1].max(initial=0))
        places = list(dict.fromkeys(place for _, place in wanted))
        for entries, number, values in self.groups.columns_in_csr(group, below, places, begin, end):
            cell, entry = self._members(group, entries, spans[0], spans[1], len(rows), n_features=len(places))
            which = number[entry]
            order = np.argsort(which, kind="stable")
            cuts = np.searchsorted(which[order], np.arange(len(places) + 1))
            for out, place in wanted:
                at = places.index(place)
                these = order[cuts[at] : cuts[at + 1]]
                _add(out, rows[cell[these]], values[entry[these]])

    def _check_lines(self, group: str, below: str, lines: Positions, runs: RowRuns) -> None:
        """Raise `InvalidStore` for lines after the last cell, unless they belong to cells deleted from the obs table.

        They can belong to deleted cells only if the group has entries after those of the last cell.
        """
        last = int(lines.max(initial=-1))
        if last < runs.n_lines and lines.min(initial=0) >= 0:
            return
        n_entries = self.groups.n_entries(group, below)
        if int(self.spans(group, runs, n_entries)[1].max(initial=0)) >= n_entries:
            raise InvalidStore(
                f"{self._uri}: '{group}/csc/indices' names line {last:,}, but the group has {runs.n_lines:,} cells."
            )

    def _members(
        self, group: str, ids: Positions, begins: Positions, ends: Positions, n_cells: int, *, n_features: int = 1
    ) -> tuple[Positions, Positions]:
        """Match ids to the spans begin <= id < end that contain them; return the positions of both per match.

        A cell has one entry per feature, so a feature matches about as many entries as there are cells at most. Many
        more raise `InvalidStore`.
        """
        order = None if (ids[1:] >= ids[:-1]).all() else np.argsort(ids, kind="stable")
        ascending = ids if order is None else ids[order]
        first, last = np.searchsorted(ascending, begins), np.searchsorted(ascending, ends)
        counts = np.maximum(last - first, 0)
        if counts.sum() > (2 * n_cells + 1024) * n_features:
            raise InvalidStore(f"{self._uri}: '{group}' gives its {n_cells:,} cells more than one value of a feature.")
        span = np.repeat(np.arange(len(begins)), counts)
        entry = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
        return span, entry if order is None else order[entry]


def segments(begins: Positions, lengths: Positions) -> Iterator[tuple[int, int]]:
    """Merge spans into few ranges (begin, end), ascending, that contain little else."""
    if not len(begins):
        return
    low, high = int(begins.min()), int((begins + lengths).max())
    if high - low <= 4 * int(lengths.sum()) + (1 << 16):
        yield low, high
        return
    order = np.argsort(begins, kind="stable")
    start, stop = low, low
    for begin, length in zip(begins[order].tolist(), lengths[order].tolist(), strict=True):
        if begin > stop + 1024:
            yield start, stop
            start = begin
        stop = max(stop, begin + length)
    yield start, stop


def _add(out: Floats, rows: Positions, values: Floats) -> None:
    """Add entries to their rows; duplicate entries are summed, as scipy does."""
    if len(np.unique(rows)) == len(rows):
        out[rows] += values
    else:
        np.add.at(out, rows, values)
