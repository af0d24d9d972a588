"""Color scale of numbers that belong to pixels, not cells, computed as the legend does for cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.limits import ColorRule
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.draw.points.crowding import ends_of
from cxg_widget.wire.encoding import Numbers, bin_logs, bin_values, describe
from cxg_widget.wire.level_choice import levels_for


@dataclass(frozen=True)
class PixelScale:
    """Range of the numbers of an image's pixels, and the default color limits.

    data : numbers of the pixels that have one
    low, high : color limits if the settings have none
    """

    data: Numbers
    low: float
    high: float

    @classmethod
    def of(cls, numbers: NDArray[np.float64]) -> PixelScale:
        """Return the scale of numbers of any shape; NaN = no number."""
        known: NDArray[Any] = numbers[np.isfinite(numbers)]
        low, high = ends_of(known) if known.size else (0.0, 0.0)
        return cls(describe(Vector(known), known.size), low, high)

    @property
    def limits(self) -> tuple[float, float]:
        """Codes of `low` and `high`."""
        low, high = self.data.levels.places_of(np.array([self.low, self.high])).tolist()
        return low, high

    def holding(self, other: PixelScale) -> PixelScale:
        """Return the scale of another image, with the limits of this one and a range that contains both."""
        lo, hi = min(self.data.lo, other.data.lo), max(self.data.hi, other.data.hi)
        data = other.data
        if (lo, hi) != (data.lo, data.hi):
            values, least = data.vector.values, min(filter(None, (data.least, self.data.least)), default=0.0)
            bins, logs = (one.astype(np.uint32) for one in (bin_values(values, lo, hi), bin_logs(values, least, hi)))
            data = replace(data, lo=lo, hi=hi, histogram=bins, log_histogram=logs, least=least)
        return PixelScale(data, self.low, self.high)

    def at(self, rule: ColorRule) -> PixelScale:
        """Return the scale with codes that resolve the limits of a color rule."""
        return replace(self, data=replace(self.data, coded=levels_for(self.data.measures, rule)))

    @property
    def as_numbers(self) -> list[float]:
        """The scale in the format of the wire: range, limits, and the smallest number above 0."""
        return [self.data.lo, self.data.hi, self.low, self.high, self.data.least]

    @property
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Histograms and quantiles in the format of the wire."""
        quantiles = self.data.quantile_shares
        logs = self.data.log_histogram
        return {"histogram": self.data.histogram, "quantiles": quantiles, "log_histogram": logs}
