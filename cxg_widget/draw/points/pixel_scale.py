"""The range of numbers that belong to pixels, not cells, measured as the legend measures cells."""

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
    """The range of the pixels of an image, and between which of them the colors lie.

    data : the numbers of the pixels that have one
    low, high : where nobody sets limits
    """

    data: Numbers
    low: float
    high: float

    @classmethod
    def of(cls, numbers: NDArray[np.float64]) -> PixelScale:
        """Measure numbers of any shape, NaN where there is none."""
        known: NDArray[Any] = numbers[np.isfinite(numbers)]
        low, high = ends_of(known) if known.size else (0.0, 0.0)
        return cls(describe(Vector(known), known.size), low, high)

    @property
    def limits(self) -> tuple[float, float]:
        """Low and high as codes."""
        low, high = self.data.levels.places_of(np.array([self.low, self.high])).tolist()
        return low, high

    def holding(self, other: PixelScale) -> PixelScale:
        """Return the scale of another image with these limits, and wide enough for both."""
        lo, hi = min(self.data.lo, other.data.lo), max(self.data.hi, other.data.hi)
        data = other.data
        if (lo, hi) != (data.lo, data.hi):
            values, least = data.vector.values, min(filter(None, (data.least, self.data.least)), default=0.0)
            bins, logs = (one.astype(np.uint32) for one in (bin_values(values, lo, hi), bin_logs(values, least, hi)))
            data = replace(data, lo=lo, hi=hi, histogram=bins, log_histogram=logs, least=least)
        return PixelScale(data, self.low, self.high)

    def at(self, rule: ColorRule) -> PixelScale:
        """Return the scale with codes that resolve the limits in force."""
        return replace(self, data=replace(self.data, coded=levels_for(self.data.measures, rule)))

    @property
    def as_numbers(self) -> list[float]:
        """The scale as the wire has it: range, limits, the least number above 0."""
        return [self.data.lo, self.data.hi, self.low, self.high, self.data.least]

    @property
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Histograms and quantiles as the wire has them."""
        quantiles = self.data.quantile_shares
        logs = self.data.log_histogram
        return {"histogram": self.data.histogram, "quantiles": quantiles, "log_histogram": logs}
