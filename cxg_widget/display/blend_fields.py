"""Fields of a map of two or three genes, by the part of its limits in which each lies: counts and rules of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.scale import ColorScale
from cxg_widget.rules.combining import NOTHING
from cxg_widget.rules.forms import Rule

if TYPE_CHECKING:
    import pandas as pd

PARTS = {2: ("low", "middle", "high"), 3: ("low", "high")}
"""Equal parts of the limits of each of two or three genes; on a log scale equal by logarithm."""
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Fields:
    """Fields of a map, numbered with the parts of the first gene slowest.

    Attributes
    ----------
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
