"""A coloring by two or three genes at once, a hue each: steps of each gene, mixed, as codes; its fields."""
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
"""Share of the values above the least that lie beyond the upper limit where nobody set one."""
PARTS = {2: ("low", "middle", "high"), 3: ("low", "high")}
"""Equal parts of the limits of each of two or three genes; on a log scale equal by logarithm."""
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class BlendColoring(CategoryColoring):
    """A coloring by two or three genes.

    data : codes into the mixes of `color.blend`
    numbers_of : the numbers of each gene, of all cells in row order
    scales : how the steps of each gene are laid over its numbers
    """

    numbers_of: tuple[Numbers, ...] = ()
    scales: tuple[ColorScale, ...] = ()

    @classmethod
    def of_vectors(cls, target: Target, vectors: Iterable[Vector], n_obs: int, rule: ColorRule) -> BlendColoring:
        """Return the coloring by what was read of each gene, each with limits of its own by one rule."""
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
        """Return the color of each mix on light or dark paper, "#rrggbb"."""
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


@dataclass(frozen=True)
class Fields:
    """Fields of a map, numbered with the parts of the first gene slowest.

    bounds : of each gene the highest number of each of its parts but the last, float32
    codes : the field of each cell, int8 (n_obs,); -1 where a gene has no number
    """

    bounds: tuple[tuple[np.float32, ...], ...]
    codes: NDArray[np.int8]

    @classmethod
    def of(
        cls, scales: Sequence[ColorScale], values: Sequence[NDArray[np.float32]], known: NDArray[np.bool_]
    ) -> Fields:
        """Return the fields of cells by the scale and the numbers, (n_obs,), of each gene; `known` : all have one."""
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
        """What the parts of each gene are called."""
        return PARTS[len(self.bounds)]

    @property
    def n(self) -> int:
        """How many fields there are."""
        n: int = len(self.words) ** len(self.bounds)
        return n

    def count(self, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Count the cells of a mask, bool (n_obs,), None = all, by field, those of none last, int64 (n + 1,)."""
        counts = np.bincount((self.codes if mask is None else self.codes[mask]) + 1, minlength=self.n + 1)
        return np.roll(counts, -1)

    def rule(self, code: int, genes: Sequence[str], layer: str | None) -> Rule:
        """Return the rule of the cells of a field: a range of each gene."""
        parts = np.unravel_index(code, (len(self.words),) * len(genes))
        rules = [self._range(i, int(part)) for i, part in enumerate(parts)]
        if any(low is not None and high is not None and low > high for low, high in rules):
            return NOTHING
        of_layer = {"layer": layer} if layer else {}
        return {"and": [{"var": gene, "range": ends, **of_layer} for gene, ends in zip(genes, rules, strict=True)]}

    def _range(self, gene: int, part: int) -> list[float | None]:
        """Return both ends of a part, which belong to it; numbers of genes are float32."""
        below = [*self.bounds[gene], None]
        above = [None, *(np.nextafter(end, np.float32(np.inf)) for end in self.bounds[gene])]
        return [None if end is None else float(end) for end in (above[part], below[part])]

    def frame(self, genes: Sequence[str], masks: dict[str, NDArray[np.bool_] | None]) -> pd.DataFrame:
        """Return the counts of masks by field, int64, cells of none last where there are any."""
        import pandas as pd

        counts = {name: self.count(mask) for name, mask in masks.items()}
        n_rows = self.n + (self.codes < 0).any()
        steps = np.unravel_index(np.arange(self.n), (len(self.words),) * len(genes))
        words = pd.CategoricalDtype(list(self.words), ordered=True)
        index = pd.MultiIndex.from_arrays(
            [pd.Categorical.from_codes([*part, -1][:n_rows], dtype=words) for part in steps], names=list(genes)
        )
        return pd.DataFrame({name: of[:n_rows] for name, of in counts.items()}, index=index, dtype=np.int64)
