"""Levels: the numbers of the codes 0..65534, even over a range or finest around one number.

js/src/style/levels.js does the same; tests/levels.json holds both to it.
"""
# Changes with js/src/style/levels.js: the number that a code stands for.

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.wire.protocol import MISSING_U16
from cxg_widget.wire.quantise import LEVELS, between, quantise, shares, zero_code

_BLOCK = 1 << 17
_FAR = 20
"""Above this, sinh and exp / 2 are equal to the last bit."""


@dataclass(frozen=True)
class Levels:
    """The map between numbers and codes.

    Without a width, codes are even over lo..hi. With a width, they are even in asinh((value - center) / width): steps
    grow with the distance from the center, so that an outlier does not make them coarse there. Source: the magnitudes
    of Lupton, Gunn and Szalay 1999, doi:10.1086/301004.

    lo, hi : numbers of the first and the last code, which all numbers beyond share
    center, width : where codes are finest, and the distance within which they are nearly even; width 0 = even codes
    """

    lo: float
    hi: float
    center: float = 0.0
    width: float = 0.0

    @property
    def is_bent(self) -> bool:
        """Whether codes are finer around the center."""
        return self.width > 0

    @property
    def has_distinct_ends(self) -> bool:
        """Whether both ends have different codes: far from the center all may be the same."""
        low, high = self._ends if self.is_bent else (0.0, 1.0)
        return low < high

    @cached_property
    def as_numbers(self) -> list[float]:
        """The levels on the wire: lo and hi, and center and width if codes are not even."""
        return [self.lo, self.hi, self.center, self.width] if self.is_bent else [self.lo, self.hi]

    @cached_property
    def zero(self) -> int:
        """The code that only 0 has; -1 if 0 is outside."""
        return zero_code(self.lo, self.hi, float(self.places_of(0.0)) / LEVELS if self.is_bent else None)

    @property
    def table(self) -> NDArray[np.float64]:
        """The number of each code, float64 (65536,), 0 exactly; NaN = missing."""
        return _table(self)

    def places_of(self, values: Any) -> NDArray[np.float64]:
        """Return the fractional codes of numbers, clipped to the ends."""
        if not self.is_bent:
            with np.errstate(over="ignore"):
                return np.asarray(LEVELS * shares(np.asarray(values), self.lo, self.hi))
        low, high = self._ends
        return np.asarray(np.clip((self._way(values) - low) / (high - low), 0, 1) * LEVELS)

    def numbers_at(self, codes: Any) -> NDArray[np.float64]:
        """Return the numbers of fractional codes."""
        share = np.asarray(codes) / LEVELS
        if not self.is_bent:
            return between(self.lo, self.hi, share)
        low, high = self._ends
        way = low + share * (high - low)
        with np.errstate(over="ignore"):  # sinh(way) may be infinite where width * sinh(way) is not
            far = np.copysign(np.exp(np.abs(way) + (math.log(self.width) - math.log(2))), way)
            away = np.where(np.abs(way) > _FAR, far, self.width * np.sinh(np.clip(way, -_FAR, _FAR)))
            numbers = np.clip(self.center + away, self.lo, self.hi)
        return np.asarray(np.where(share <= 0, self.lo, np.where(share >= 1, self.hi, numbers)))

    def shown_at(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the fractional codes of means, as `places_of`; only 0 itself gets the code of 0."""
        places, zero = self.places_of(numbers), self.zero
        if zero < 0:
            return places
        off_zero = np.where(numbers > 0, np.maximum(places, zero + 1), np.minimum(places, zero - 1))
        return np.where(numbers == 0, zero, off_zero)

    def ends_at(self, codes: tuple[float, float]) -> tuple[float, float]:
        """Return the numbers of the two ends of colors, given as fractional codes."""
        low, high = self.numbers_at(np.array(codes)).tolist()
        return low, high

    def encode(self, values: NDArray[Any]) -> NDArray[np.uint16]:
        """Turn numbers into codes, 65535 if not finite; only 0 gets the code of 0."""
        # "Is it expressed at all" must survive rounding: 0 has its own code, and a tiny number gets the next one.
        codes, zero = self._nearest(values), self.zero
        if zero < 0 or self.lo == self.hi:
            return codes
        if int(self._nearest(np.zeros(1))[0]) != zero:
            codes[values == 0] = zero
        near = (codes >= max(zero - 1, 0)) & (codes <= min(zero + 1, LEVELS)) & (values != 0)
        if near.any():
            found = codes[near].astype(np.int32)
            codes[near] = np.where(values[near] > 0, np.maximum(found, zero + 1), np.minimum(found, zero - 1))
        return codes

    def decode(self, codes: NDArray[Any]) -> NDArray[np.float64]:
        """Turn codes back into numbers, 0 exactly; NaN if missing."""
        numbers: NDArray[np.float64] = self.table[codes]
        return numbers

    def _nearest(self, values: NDArray[Any]) -> NDArray[np.uint16]:
        if not self.is_bent:
            return quantise(values, self.lo, self.hi)
        # Blocks limit the temporary float64 copies. Uneven codes take 120 ms for 1 M cells, even ones 3 ms (decision
        # 68).
        codes = np.empty(values.shape, dtype=np.uint16)
        for start in range(0, values.size, _BLOCK):
            block = values[start : start + _BLOCK]
            is_known = np.isfinite(block)
            codes[start : start + _BLOCK] = np.rint(np.where(is_known, self.places_of(block), MISSING_U16))
        return codes

    @cached_property
    def _ends(self) -> tuple[float, float]:
        low, high = self._way(np.array([self.lo, self.hi])).tolist()
        return low, high

    def _way(self, values: Any) -> NDArray[np.float64]:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            away = np.asarray(values, dtype=np.float64) - self.center
            way = np.arcsinh(away / self.width)
            is_far = np.abs(way) > _FAR
            if not is_far.any():
                return way
            far = np.log(np.abs(away)) + (math.log(2) - math.log(self.width))  # where the ratio may be infinite
            return np.where(is_far, np.copysign(far, away), way)


@lru_cache(maxsize=8)
def _table(levels: Levels) -> NDArray[np.float64]:
    numbers = np.append(levels.numbers_at(np.arange(MISSING_U16)), np.nan)
    if levels.zero >= 0:
        numbers[levels.zero] = 0
    # All users of these levels share one table.
    numbers.flags.writeable = False
    return numbers
