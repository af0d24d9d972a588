"""Coloring by two or three genes, each with a hue: levels of the genes, mixed, as codes."""
# Changes with cxg_widget/color/blend.py: hues of several genes.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.blend import LEVELS_OF, blend_codes, blend_colors, corner_code
from cxg_widget.color.limits import ColorRule
from cxg_widget.color.scale import ColorScale, scale_of
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import CategoryColoring
from cxg_widget.display.hover import text_of
from cxg_widget.rules.combining import NOTHING
from cxg_widget.rules.forms import Rule
from cxg_widget.text.numbers import short_number
from cxg_widget.wire.encoding import Numbers, describe

if TYPE_CHECKING:
    import pandas as pd


_OUTLIERS = 0.005
"""Share of the positive values above the default upper limit."""
PARTS = {2: ("low", "middle", "high"), 3: ("low", "high")}
"""Parts of the limits of each gene, of equal size (on a log scale, in logarithms), by number of genes."""
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class BlendColoring(CategoryColoring):
    """Coloring by two or three genes.

    data : codes of the mixes of `color.blend`
    numbers_of : values of each gene, for all cells in row order
    scales : scale of each gene, from its values to levels
    """

    numbers_of: tuple[Numbers, ...] = ()
    scales: tuple[ColorScale, ...] = ()

    @classmethod
    def of_vectors(cls, target: Target, vectors: Iterable[Vector], n_obs: int, rule: ColorRule) -> BlendColoring:
        """Return the coloring for the values of each gene, each with its own limits by one rule."""
        numbers = tuple(describe(one, n_obs) for one in vectors)
        scales = tuple(scale_of(rule._replace(center=None), one.measures, _suiting(one)) for one in numbers)
        places = [_places(one, scale) for one, scale in zip(numbers, scales, strict=True)]
        codes = Codes(blend_codes(places), tuple(range(LEVELS_OF[len(numbers)] ** len(numbers))))
        return cls(target, codes, numbers_of=numbers, scales=scales)

    @property
    def labels(self) -> list[str]:
        """Always None: mixes have no names."""
        return []

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self.data.nbytes + sum(one.nbytes for one in self.numbers_of)

    def counts(self) -> tuple[list[int], int]:
        """Return no category, and the number of cells that lack a value of any gene."""
        return [], int(np.count_nonzero(self.data.codes < 0))

    def value_at(self, row: int) -> str:
        """Return the values of a cell, in the order of the genes."""
        return ", ".join(text_of(one.vector.value_at(row)) for one in self.numbers_of)

    def count_selected(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the cells of a mask that lack a value."""
        return np.array([np.count_nonzero(self.data.codes[mask] < 0)], dtype=np.int64)

    @cached_property
    def fields(self) -> Fields:
        """The fields of all cells: the part of the limits of each gene."""
        values = [one.vector.dense(one.n_obs) for one in self.numbers_of]
        return Fields.of(self.scales, values, self.data.codes >= 0)

    @property
    def listed(self) -> Codes:
        """The fields, which the legend lists."""
        return Codes(self.fields.codes, tuple(range(self.fields.n)))

    def rule_of(self, code: int, layer: str | None) -> Rule | None:
        """Return the rule of the cells of a field; None for those without a value."""
        return None if code < 0 else self.fields.rule(code, self.target.genes, layer)

    def colors_on(self, *, dark: bool) -> list[str]:
        """Return the color of each mix on light or dark paper, "#rrggbb"."""
        return list(blend_colors(len(self.scales), dark=dark))

    def corners(self, names: list[str]) -> list[tuple[str, str, int]]:
        """Return the entries of the legend, with their codes: each gene with its limits, mixes of high values, none."""
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
    """Return the position of each cell on a scale, float64 (n_obs,); values without a logarithm are low."""
    values = numbers.dense()
    return np.where(np.isfinite(values), np.nan_to_num(scale.places(values)), np.nan)


def _suiting(numbers: Numbers) -> tuple[float, float]:
    """Return limits that are robust against a few very high values."""
    above = 1 - np.searchsorted(numbers.quantiles, numbers.lo, side="right") / numbers.quantiles.size
    high = numbers.quantile(f"p{100 * (1 - _OUTLIERS * above)}")
    return numbers.lo, high if high > numbers.lo else numbers.hi


@dataclass(frozen=True)
class Fields:
    """Fields: combinations of parts of the genes, numbered with the first gene slowest.

    bounds : of each gene, the highest value of each part except the last, float32
    codes : the field of each cell, int8 (n_obs,); -1 if a gene has no value
    """

    bounds: tuple[tuple[np.float32, ...], ...]
    codes: NDArray[np.int8]

    @classmethod
    def of(
        cls, scales: Sequence[ColorScale], values: Sequence[NDArray[np.float32]], known: NDArray[np.bool_]
    ) -> Fields:
        """Return the fields for the scale and the values, (n_obs,), of each gene; `known` = cells with all values."""
        parts = len(PARTS[len(scales)])
        places = np.arange(1, parts) / parts
        bounds = [np.clip(scale.numbers_at(places), -_LARGEST, _LARGEST).astype(np.float32) for scale in scales]
        codes = np.zeros(known.size, dtype=np.int8)
        for ends, numbers in zip(bounds, values, strict=True):
            codes *= parts
            for end in ends:
                codes += numbers > end
        codes[~known] = -1
        return cls(tuple(map(tuple, bounds)), codes)

    @property
    def words(self) -> tuple[str, ...]:
        """Names of the parts of each gene."""
        return PARTS[len(self.bounds)]

    @property
    def n(self) -> int:
        """Number of fields."""
        n: int = len(self.words) ** len(self.bounds)
        return n

    def count(self, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Count the cells of a mask, bool (n_obs,), None = all, by field, with those of none last, int64 (n + 1,)."""
        counts = np.bincount((self.codes if mask is None else self.codes[mask]) + 1, minlength=self.n + 1)
        return np.roll(counts, -1)

    def rule(self, code: int, genes: Sequence[str], layer: str | None) -> Rule:
        """Return the rule of the cells of a field: a range per gene."""
        parts = np.unravel_index(code, (len(self.words),) * len(genes))
        rules = [self._range(i, int(part)) for i, part in enumerate(parts)]
        if any(low is not None and high is not None and low > high for low, high in rules):
            return NOTHING
        of_layer = {"layer": layer} if layer else {}
        return {"and": [{"var": gene, "range": ends, **of_layer} for gene, ends in zip(genes, rules, strict=True)]}

    def _range(self, gene: int, part: int) -> list[float | None]:
        """Return both ends of a part, inclusive; values of genes are float32."""
        below = [*self.bounds[gene], None]
        above = [None, *(np.nextafter(end, np.float32(np.inf)) for end in self.bounds[gene])]
        return [None if end is None else float(end) for end in (above[part], below[part])]

    def frame(self, genes: Sequence[str], masks: dict[str, NDArray[np.bool_] | None]) -> pd.DataFrame:
        """Return the counts of masks by field, int64, with cells of none last, if there are any."""
        import pandas as pd

        counts = {name: self.count(mask) for name, mask in masks.items()}
        n_rows = self.n + (self.codes < 0).any()
        steps = np.unravel_index(np.arange(self.n), (len(self.words),) * len(genes))
        words = pd.CategoricalDtype(list(self.words), ordered=True)
        index = pd.MultiIndex.from_arrays(
            [pd.Categorical.from_codes([*part, -1][:n_rows], dtype=words) for part in steps], names=list(genes)
        )
        return pd.DataFrame({name: of[:n_rows] for name, of in counts.items()}, index=index, dtype=np.int64)
