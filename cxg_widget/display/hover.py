"""The tooltip: the cell under the pointer and its description."""
# Changes with js/src/file/texts.js: what the tooltip says.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.hover_fields import Fields, genes_of
from cxg_widget.display.several_genes import mean_value
from cxg_widget.errors import CxgWidgetError
from cxg_widget.text.names import missing_label, shortened
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.color_target import Target
    from cxg_widget.display.coloring import Coloring
    from cxg_widget.display.settings import Settings

_EXACT = 2.0**53
_BELOW = np.float32(-np.inf)


FARTHEST = 1e38


def circle_of(radius_x: float, radius_y: float) -> tuple[float, float]:
    """Return an ellipse as a circle: its radius in units of x, and the length of a unit of y in these units."""
    if not (radius_x > 0 and radius_y > 0):
        return min(radius_x, radius_y), 1.0
    # Coordinates are float32: beyond this every cell is inside, and the square of a larger radius overflows.
    radius_x, radius_y = min(radius_x, FARTHEST), min(radius_y, FARTHEST)
    return radius_x, 1.0 if radius_x == radius_y else radius_x / radius_y


def nearest_row(
    xy: NDArray[np.float32],
    x: float,
    y: float,
    radius: float,
    visible: NDArray[np.bool_] | None = None,
    *,
    stretch: float = 1.0,
) -> int | None:
    """Return the row of the visible point nearest to (x, y) within a radius; None if there is none.

    xy, x, y : data units
    radius : units of x
    stretch : length of a unit of y in units of x
    """
    near = np.flatnonzero(_between(xy[:, 0], x, radius))
    near = near[_between(xy[near, 1], y, radius / stretch)]
    if visible is not None:
        near = near[visible[near]]
    if near.size == 0:
        return None
    distance = np.hypot(xy[near, 0].astype(np.float64) - x, (xy[near, 1].astype(np.float64) - y) * stretch)
    best = int(np.argmin(distance))
    return int(near[best]) if distance[best] <= radius else None


def _between(values: NDArray[np.float32], middle: float, radius: float) -> NDArray[np.bool_]:
    """Return which values lie within the radius, or within rounding of it; the exact distance decides later."""
    low, high = np.float32(middle - radius), np.float32(middle + radius)
    found: NDArray[np.bool_] = (values >= np.nextafter(low, _BELOW)) & (values <= np.nextafter(high, -_BELOW))
    return found


class Describer:
    """Describes a cell: its name, its colored value and some obs fields; reads one row at a time."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._fields = Fields(dataset)
        self._held: set[Any] = set()

    def hold(self, settings: Settings) -> None:
        """Read the fields of all cells once, if they are small and local."""
        key = settings.hover, settings.layer
        if key not in self._held:
            self._held.add(key)
            self._fields.hold(*key, settings.own_gene_sets)

    def name(self, row: int) -> str:
        """Return the obs index label of a row, or its number if the index cannot be read."""
        try:
            return shortened(str(self._dataset.obs_names(np.array([row]))[0]))
        except CxgWidgetError:
            return f"row {row:,}"

    def value(self, row: int, coloring: Coloring, layer: str | None) -> str:
        """Format the colored value of a row with its unit; it is read from the store if only a sample is in memory."""
        return self._with_unit(self._value(row, coloring, layer), coloring.target.spec)

    def _value(self, row: int, coloring: Coloring, layer: str | None) -> str:
        if coloring.is_sample:
            return self._read_value(row, coloring.target, layer)
        value = coloring.value_at(row)
        if value is None:
            return missing_label(coloring.target.spec)
        if isinstance(value, float) and self._is_int(coloring.target):
            return self._whole(row, value, coloring.target)
        return text_of(value)

    def _is_int(self, target: Target) -> bool:
        return target.source == "obs" and self._dataset.obs_columns[target.name].kind == "int"

    def _whole(self, row: int, value: float, target: Target) -> str:
        """Format an integer with all digits; floats above 2**53 lack some."""
        if not abs(value) < _EXACT:
            return self._read_value(row, target, None)
        return text_of(int(value))

    def _read_value(self, row: int, target: Target, layer: str | None) -> str:
        if target.source == "obs":
            return text_of(self._dataset.obs_record(row, [target.name])[target.name])
        return text_of(mean_value(self._fields.numbers(genes_of(target), row, layer)))

    def fields(self, row: int, settings: Settings, without: str = "") -> list[list[str]]:
        """Return [heading, value] pairs of a row as text, in order; nothing if they cannot be read.

        without : obs column that is already shown
        """
        try:
            found = self._fields.of(row, settings.hover, settings.layer, settings.own_gene_sets, without=without)
        except CxgWidgetError:
            return []
        return [[name, self._with_unit(text_of(value), spec)] for name, spec, value in found]

    def _with_unit(self, text: str, spec: str) -> str:
        """Append the unit of an obs column to its value."""
        column = self._dataset.obs_columns.get(spec.removeprefix("obs:")) if spec.startswith("obs:") else None
        return f"{text} {column.unit}" if column is not None and column.unit and text != MISSING_LABEL else text


def text_of(value: Any) -> str:
    """Format a value: five significant digits, all digits of thousands, missing values by name, long text shortened."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return MISSING_LABEL
    if isinstance(value, float):
        value += 0.0  # turns -0.0 into 0.0
        return f"{value:.5g}" if abs(value) < 1e5 else f"{value:,.0f}"
    return shortened(str(value))
