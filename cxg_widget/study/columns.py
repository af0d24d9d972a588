"""Obs columns as values of samples: covariates, pairs, and columns to choose a design from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown_label

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.study.samples import StudySamples

Floats = NDArray[np.float64]
_MOST_COLUMNS = 60
_MOST_VALUES, _MOST_FAR_VALUES = 1 << 26, 1 << 23
"""Maximum number of columns examined for confounding and proposals, and of values read for it; of a remote store."""
_FEW_CATEGORIES, _MOST_CATEGORIES = 20, 1_000
_FEW_ROWS = 1 << 18
"""Maximum number of cells for which text columns are examined too: their values must be found first."""


@dataclass(frozen=True)
class SampleColumn:
    """An obs column with one value per sample.

    categories : labels; empty for numbers
    values : float64 (k,), a number or the index of a category; NaN = missing, or several in the sample
    varies : bool (k,), samples with several values
    """

    name: str
    kind: Literal["category", "number"]
    categories: tuple[str, ...]
    values: Floats
    varies: NDArray[np.bool_]

    def labels(self, missing: Any = None) -> tuple[Any, ...]:
        """Return the value of each sample, a label or a number."""
        known = self.values.tolist()
        if self.kind == "category":
            return tuple(missing if np.isnan(one) else self.categories[int(one)] for one in known)
        return tuple(missing if np.isnan(one) else one for one in known)

    def series(self) -> Any:
        """Return the values as a column of a DataFrame."""
        import pandas as pd

        if self.kind == "number":
            return self.values
        codes = np.nan_to_num(self.values, nan=-1.0).astype(np.int64)
        return pd.Categorical.from_codes(codes, pd.Index(self.categories))


def column_of(
    dataset: Dataset, name: str, codes: NDArray[np.int32], n_samples: int, *, as_category: bool = False
) -> SampleColumn:
    """Return an obs column by sample; codes : int32 (n_obs,), the sample of each cell, -1 = none."""
    is_number = dataset.obs_columns[name].kind in ("int", "float") and not as_category
    if is_number:
        values, categories = dataset.numbers(name).astype(np.float64), tuple[str, ...]()
        is_known = (codes >= 0) & ~np.isnan(values)
    else:
        found = dataset.codes(name)
        values, categories = found.codes.astype(np.float64), tuple(map(shown_label, found.categories))
        is_known = (codes >= 0) & (values >= 0)
    inside, known = codes[is_known], values[is_known]
    of_sample = np.full(n_samples, np.nan)
    of_sample[inside[::-1]] = known[::-1]  # of repeated indices NumPy keeps the last: the first value of each sample
    varies = np.bincount(inside[known != of_sample[inside]], minlength=n_samples) > 0
    of_sample[varies] = np.nan
    return SampleColumn(name, "number" if is_number else "category", categories, of_sample, varies)


def constant_columns(
    dataset: Dataset, codes: NDArray[np.int32], n_samples: int, *, numbers: bool
) -> list[SampleColumn]:
    """Return the obs columns that have at most one value in each sample, without those of a single value.

    numbers : whether numeric columns are examined too
    """
    few = ("string",) if dataset.n_obs <= _FEW_ROWS else ()
    kinds = ("categorical", "boolean", *few, *(("int", "float") if numbers else ()))
    columns = dataset.obs_columns
    # A column of more categories than samples has several in a sample, or some without cells.
    most = min(max(n_samples, _FEW_CATEGORIES), _MOST_CATEGORIES)
    names = [name for name, one in columns.items() if one.kind in kinds and (one.n_categories or 0) <= most]
    most_values = _MOST_FAR_VALUES if dataset.is_remote else _MOST_VALUES
    n_read = min(_MOST_COLUMNS, max(most_values // max(dataset.n_obs, 1), 1))
    # Of many columns those with few categories, as batches have.
    first = set(sorted(names, key=lambda name: columns[name].n_categories or _MOST_CATEGORIES)[:n_read])
    found = []
    for name in [one for one in names if one in first]:
        try:
            one = column_of(dataset, name, codes, n_samples)
        except InvalidValue:  # text with a value for each cell
            continue
        if not one.varies.any() and np.unique(one.values[~np.isnan(one.values)]).size > 1:
            found.append(one)
    return found


def confounded_columns(dataset: Dataset, samples: StudySamples) -> list[str]:
    """Return columns, such as a batch, that are constant within samples and have each value in one condition only.

    Excludes columns with a different value for each sample, and columns that only rename the conditions, such as an
    `_ontology_term_id`.
    """
    design, found = samples.design, []
    if len(samples.conditions) < 2:
        return []
    for one in constant_columns(dataset, samples.codes, len(samples), numbers=False):
        if one.name in (design.sample, design.condition, design.pair) or one.name.startswith(design.condition):
            continue
        is_known = ~np.isnan(one.values)
        pairs = np.unique(np.column_stack([one.values[is_known], samples.condition[is_known]]), axis=0)
        n_values = np.unique(pairs[:, 0]).size
        if n_values == len(pairs) and n_values < np.count_nonzero(is_known):
            found.append(one.name)
    return found
