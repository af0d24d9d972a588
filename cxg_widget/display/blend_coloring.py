"""A colouring by two or three genes at once, a hue each: steps of each gene between limits, mixed, as codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.blend import LEVELS_OF, blend_codes, blend_colors, corner_code
from cxg_widget.color.limits import ColorRule
from cxg_widget.color.scale import ColorScale, scale_of
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.display.blend_fields import Fields
from cxg_widget.display.coloring import CategoryColoring
from cxg_widget.display.hover import text_of
from cxg_widget.display.target import Target
from cxg_widget.rules.forms import Rule
from cxg_widget.text.numbers import short_number
from cxg_widget.wire.encoding import Numbers, describe

_OUTLIERS = 0.005
"""Share of the values above the least that lie beyond the upper limit where nobody set one."""


@dataclass(frozen=True)
class BlendColoring(CategoryColoring):
    """A colouring by two or three genes.

    Attributes
    ----------
    data : codes into the mixes of `color.blend`
    numbers_of : the numbers of each gene, of all cells in row order
    scales : how the steps of each gene are laid over its numbers
    """

    numbers_of: tuple[Numbers, ...] = ()
    scales: tuple[ColorScale, ...] = ()

    @classmethod
    def of_vectors(cls, target: Target, vectors: Iterable[Vector], n_obs: int, rule: ColorRule) -> BlendColoring:
        """Return the colouring by what was read of each gene, each with limits of its own by one rule."""
        numbers = tuple(describe(one, n_obs) for one in vectors)
        scales = tuple(scale_of(rule._replace(center=None), one.measures, _suiting(one)) for one in numbers)
        places = [_places(one, scale) for one, scale in zip(numbers, scales, strict=True)]
        codes = Codes(blend_codes(places), tuple(range(LEVELS_OF[len(numbers)] ** len(numbers))))
        return cls(target, codes, numbers_of=numbers, scales=scales)

    @property
    def labels(self) -> list[str]:
        """None: mixes have no names."""
        return []

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.data.nbytes + sum(one.nbytes for one in self.numbers_of)

    def counts(self) -> tuple[list[int], int]:
        """Return no category, and how many cells lack the number of any gene."""
        return [], int(np.count_nonzero(self.data.codes < 0))

    def value_at(self, row: int) -> str:
        """Return the numbers of a cell, in the order of the genes."""
        return ", ".join(text_of(one.vector.value_at(row)) for one in self.numbers_of)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the cells of a mask that lack a number."""
        return np.array([np.count_nonzero(self.data.codes[mask] < 0)], dtype=np.int64)

    @cached_property
    def fields(self) -> Fields:
        """In which part of the limits of each gene every cell lies."""
        values = [one.vector.dense(one.n_obs) for one in self.numbers_of]
        return Fields.of(self.scales, values, self.data.codes >= 0)

    @property
    def listed(self) -> Codes:
        """The fields of the map."""
        return Codes(self.fields.codes, tuple(range(self.fields.n)))

    def rule_of(self, code: int, layer: str | None) -> Rule | None:
        """Return the rule of the cells of a field; None of those without a number."""
        return None if code < 0 else self.fields.rule(code, self.target.genes, layer)

    def colors_on(self, *, dark: bool) -> list[str]:
        """Return the colour of each mix on light or dark paper, "#rrggbb"."""
        return list(blend_colors(len(self.scales), dark=dark))

    def corners(self, names: list[str]) -> list[tuple[str, str, int]]:
        """Return what the legend lists: each gene with its limits, mixes of high ones, none; and their codes."""
        k = len(names)
        alone = [
            (name, f"{short_number(scale.low)} to {short_number(scale.high)}", corner_code(k, 1 << i))
            for i, (name, scale) in enumerate(zip(names, self.scales, strict=True))
        ]
        mixed = [bits for bits in range(1, 2**k) if bits.bit_count() > 1]
        described = [" + ".join(name for i, name in enumerate(names) if bits >> i & 1) for bits in mixed]
        mixes = [(name, "", corner_code(k, bits)) for name, bits in zip(described, mixed, strict=True)]
        return [*alone, *mixes, ("none", "", corner_code(k, 0))]


def _places(numbers: Numbers, scale: ColorScale) -> NDArray[np.float64]:
    """Return where each cell lies on a scale, float64 (n_obs,); what has no logarithm is low."""
    values = numbers.dense()
    return np.where(np.isfinite(values), np.nan_to_num(scale.places(values)), np.nan)


def _suiting(numbers: Numbers) -> tuple[float, float]:
    """Return limits that a few very high values do not move."""
    above = 1 - np.searchsorted(numbers.quantiles, numbers.lo, side="right") / numbers.quantiles.size
    high = numbers.quantile(f"p{100 * (1 - _OUTLIERS * above)}")
    return numbers.lo, high if high > numbers.lo else numbers.hi
