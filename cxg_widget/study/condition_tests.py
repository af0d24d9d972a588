"""Tests between conditions with samples as the unit: Welch's t-test, or a paired t-test where samples are paired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import Tested, benjamini_hochberg, paired_t, welch
from cxg_widget.compare.moments import Floats, Summary

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.study.samples import StudySamples

LEAST_PAIRS = 2


@dataclass(frozen=True)
class ConditionTests:
    """Tests of rows, such as cell types, between pairs of conditions; arrays are float64 (n_rows, n_pairs).

    conditions : labels; pairs : indices of two, the first minus the second
    effect : difference of the means; statistic : t, NaN with fewer than two samples of a condition
    p_adj : adjusted over the rows of a pair (Benjamini and Hochberg)
    n_a, n_b : samples of either condition in the test
    is_paired : bool (n_pairs,)
    """

    conditions: tuple[str, ...]
    pairs: list[tuple[int, int]]
    effect: Floats
    statistic: Floats
    p: Floats
    p_adj: Floats
    n_a: Floats
    n_b: Floats
    is_paired: NDArray[np.bool_]

    @classmethod
    def of(cls, compared_of: Callable[[Floats], Floats], samples: StudySamples) -> ConditionTests:
        """Test values between all pairs of conditions; NaN is excluded.

        Samples with the same value of the column `pair` are pairs. If two conditions have two or more pairs, their
        differences are tested (`scipy.stats.ttest_rel`), and all other samples are excluded. Otherwise the test is
        `scipy.stats.ttest_ind(equal_var=False)`. Several samples of one condition with the same value of `pair` are
        tested as one sample.

        compared_of : returns the values of samples that are combined, as `Measured.compared_of`
        """
        pairs, values = samples.condition_pairs, compared_of(np.eye(len(samples)))
        by_pair = _units(samples)
        together = compared_of(by_pair.members) if any(by_pair.labels) else values
        found = np.full((6, len(values), len(pairs)), np.nan)
        is_paired = np.zeros(len(pairs), dtype=np.bool_)
        for at, pair in enumerate(pairs):
            sides = [values[:, samples.condition == one] for one in pair]
            matched = _matched(together, by_pair, pair)
            is_paired[at] = matched is not None
            found[:, :, at] = _unpaired(*sides) if matched is None else _paired(*matched)
        effect, statistic, p, p_adj, n_a, n_b = found
        return cls(samples.conditions, pairs, effect, statistic, p, p_adj, n_a, n_b, is_paired)

    def order(self) -> NDArray[np.int64]:
        """Return the rows by decreasing |effect| of the first pair; rows without an effect are last."""
        if not self.pairs:
            return np.arange(len(self.effect))
        return np.argsort(-np.nan_to_num(np.abs(self.effect[:, 0]), nan=-1.0), kind="stable")

    def array(self) -> NDArray[np.float32]:
        """Return all numbers, float32 (6, n_rows, n_pairs), as `study_part` sends them."""
        parts = (self.effect, self.statistic, self.p, self.p_adj, self.n_a, self.n_b)
        with np.errstate(over="ignore"):
            return np.stack(parts).astype(np.float32)

    def frame(self, rows: pd.Index) -> pd.DataFrame:
        """Return a row per row of values and pair of conditions."""
        import pandas as pd

        parts = []
        for at, (a, b) in enumerate(self.pairs):
            columns = {name: getattr(self, name)[:, at] for name in ("effect", "statistic", "p", "p_adj", "n_a", "n_b")}
            part = pd.DataFrame(columns, index=rows).astype({"n_a": np.int64, "n_b": np.int64})
            part.insert(0, "a", self.conditions[a])
            part.insert(1, "b", self.conditions[b])
            parts.append(part.set_index(["a", "b"], append=True))
        return pd.concat(parts) if parts else pd.DataFrame(columns=["effect", "statistic", "p", "p_adj", "n_a", "n_b"])


class _Units(NamedTuple):
    """Samples of one condition with one value of the column `pair`, taken together.

    members : float64 (n_samples, n_units) of 0 and 1
    condition : (n_units,); labels : value of each unit, "" = a sample without a value
    """

    members: Floats
    condition: NDArray[np.int64]
    labels: tuple[str, ...]


def _units(samples: StudySamples) -> _Units:
    each = zip(samples.condition.tolist(), samples.pairs, strict=True)
    keys = [(at, label, -1 if label else row) for row, (at, label) in enumerate(each)]
    units = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    members = np.zeros((len(keys), len(units)))
    members[np.arange(len(keys)), [units[key] for key in keys]] = 1
    return _Units(members, np.array([at for at, _, _ in units], dtype=np.int64), tuple(label for _, label, _ in units))


def _matched(values: Floats, units: _Units, pair: tuple[int, int]) -> tuple[Floats, Floats] | None:
    """Return the values of paired samples of two conditions, in one order; None if there are too few pairs."""
    has_value = ~np.isnan(values).all(axis=0) & (np.array(units.labels, dtype=object) != "")
    sides = [
        {units.labels[at]: at for at in np.flatnonzero(has_value & (units.condition == one)).tolist()} for one in pair
    ]
    both = sorted(sides[0].keys() & sides[1].keys())
    if len(both) < LEAST_PAIRS:
        return None
    a, b = (values[:, [side[one] for one in both]] for side in sides)
    return a, b


def _unpaired(a: Floats, b: Floats) -> Floats:
    of_a, of_b = _summary(a), _summary(b)
    return _numbers(of_a.mean - of_b.mean, welch(of_a, of_b), of_a.n, of_b.n)


def _paired(a: Floats, b: Floats) -> Floats:
    found = _summary(a - b)
    return _numbers(found.mean, paired_t(found), found.n, found.n)


def _numbers(effect: Floats, tested: Tested, n_a: Floats, n_b: Floats) -> Floats:
    return np.stack([effect, tested.statistic, tested.p, benjamini_hochberg(tested.p), n_a, n_b])


def _summary(values: Floats) -> Summary:
    """Return the summary of each row, without NaN."""
    is_known = ~np.isnan(values)
    n = is_known.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(is_known, values, 0.0).sum(axis=1) / n
    squares = np.where(is_known, (values - mean[:, np.newaxis]) ** 2, 0.0).sum(axis=1)
    return Summary(n, mean, squares, np.zeros_like(n), np.zeros_like(n))
