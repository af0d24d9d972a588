"""Reads which features each dataset of an atlas measured, from its tables of datasets and of feature layouts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.arrays import group_path
from cxg_widget.datasets.atlas.lance_tables import LanceTable, quoted
from cxg_widget.datasets.atlas.pointers import whole
from cxg_widget.errors import InvalidStore

_MAX_FEATURES = 2**31


class Layouts:
    """The feature layouts of one feature space."""

    def __init__(self, datasets: LanceTable, layouts: LanceTable, space: str) -> None:
        self._datasets, self._layouts, self._space, self._uri = datasets, layouts, space, layouts.uri

    def by_group(self) -> dict[str, str]:
        """Return the layout of each Zarr group; "" if the table records none."""
        wanted = ["zarr_group", "layout_uid", "feature_space"]
        missing = [name for name in wanted if name not in self._datasets.schema.names]
        if missing:
            raise InvalidStore(f"{self._uri}: table {self._datasets.name!r} has no column {', '.join(missing)}.")
        found = self._datasets.read(wanted, where=f"feature_space = {quoted(self._space)}")
        groups, layouts = found.column(0).to_pylist(), found.column(1).to_pylist()
        return {group_path(name, self._uri): layout or "" for name, layout in zip(groups, layouts, strict=True) if name}

    def places_of(self, feature: str) -> dict[str, int]:
        """Return the position of a feature in each layout that has it."""
        found = self._layouts.read(["layout_uid", "local_index"], where=f"feature_uid = {quoted(feature)}")
        places = whole(found.column(1), -1).tolist()
        self._check(places, f"feature {feature!r}")
        # If a layout lists a feature twice, the dict keeps the last of this descending order: its first position.
        listed = sorted(zip(places, found.column(0).to_pylist(), strict=True), reverse=True)
        return {layout: place for place, layout in listed}

    def positions_of(self, layout: str, features: Mapping[str, int]) -> NDArray[np.int64]:
        """Return the position in `features` of each feature of a layout, int64 (n,); -1 if it is not among them."""
        found = self._layouts.read(["feature_uid", "local_index"], where=f"layout_uid = {quoted(layout)}")
        places = whole(found.column(1), -1)
        self._check(places.tolist(), f"layout {layout!r}")
        out = np.full(int(places.max(initial=-1)) + 1, -1, dtype=np.int64)
        out[places] = [features.get(name, -1) for name in found.column(0).to_pylist()]
        # If a layout lists a feature twice, its first position counts, as in `places_of`.
        known, first = np.unique(out, return_index=True)
        again = np.setdiff1d(np.arange(len(out)), first[known >= 0])
        out[again] = -1
        return out

    def _check(self, places: list[int], what: str) -> None:
        wrong = [place for place in places if not 0 <= place < min(max(self._layouts.n_rows, 1), _MAX_FEATURES)]
        if wrong:
            raise InvalidStore(
                f"{self._uri}: table {self._layouts.name!r} gives {what} the local_index {wrong[0]}, "
                f"which is out of range for its {self._layouts.n_rows:,} rows."
            )
