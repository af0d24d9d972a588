"""Reproduces the numbers of CELLxGENE Explorer, only to check its lists; see docs/compare.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import Tested, by_t
from cxg_widget.compare.matrix_statistics import ValueKind
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.result import Adjust, Comparison, count_missing, describe_donors, describe_fold, describe_values
from cxg_widget.datasets.base.dataset import Dataset

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.compare.question import Question

LISTED = 15
"""Genes per side that Explorer's page lists."""
LEAST_DIFFERENCE = 0.01
"""Least difference of means of the listed genes."""


@dataclass(frozen=True, repr=False, kw_only=True)
class ExplorerComparison(Comparison):
    """Two sets of cells compared as CELLxGENE Explorer does.

    Examples
    --------
    >>> found = w.compare({"cell_type": "NK cell"}, method="explorer")
    """

    _log_fc: NDArray[np.float32]
    _n_var: int

    def _adjusted_log10(self) -> Floats:
        adjusted: Floats = np.minimum(self._tested.log10_p + np.log10(self._n_var), 0.0)
        return adjusted

    def _table(self, adjust: Adjust | None = None) -> pd.DataFrame:
        """Return the table of `Comparison.frame`, and `log_fc`, float32: Explorer's number, mean_a - mean_b.

        Genes that cannot be tested have `statistic` 0 and `p` 1, as in Explorer.
        """
        frame = super()._table(adjust)
        frame.insert(list(frame).index("log2fc") + 1, "log_fc", self._log_fc[self._order])
        return frame

    def listed(self, n: int = LISTED) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the genes that Explorer lists as high in a, and as high in b, highest |t| first.

        They are the n highest and n lowest t among genes whose means differ by more than 0.01, or among all genes if 2
        n or fewer differ so much. The order of genes with equal t is undefined in Explorer.

        Examples
        --------
        >>> high, low = w.compare({"cell_type": "NK cell"}, method="explorer").listed(3)
        >>> high.index.tolist()
        ['SYNG00000000105', 'SYNG00000000127', 'SYNG00000000207']
        """
        frame = self._table()
        differs = frame["log_fc"].abs() > LEAST_DIFFERENCE
        if int(differs.sum()) > 2 * n:
            frame = frame[differs]
        return frame.iloc[:n], frame.iloc[::-1].iloc[:n]


def as_in_explorer(
    made: Comparison, n_cells: tuple[int, int], dataset: Dataset, question: Question, kind: ValueKind
) -> ExplorerComparison:
    """Return the comparison of sets of some sizes with Explorer's test and notes."""
    n_var = len(dataset.names_in(question.layer).var_labels)
    own = explorer_test(made._a, made._b, n_cells, n_var)
    notes = _notes_of(dataset, question, kind, (made._a, made._b))
    return ExplorerComparison(
        made.description, notes, made._names, made._a, made._b, made._log2fc, own.tested, made._auc, made._u, own.p_adj,
        sets=made.sets, _log_fc=own.log_fc, _n_var=n_var,
    )  # fmt: skip


class ExplorerTested(NamedTuple):
    """Results of Explorer's method for each gene, each (n_var,)."""

    tested: Tested
    p_adj: Floats
    log_fc: NDArray[np.float32]


def explorer_test(a: Summary, b: Summary, n_cells: tuple[int, int], n_var: int) -> ExplorerTested:
    """Compare as CELLxGENE Explorer 0.16 does, in float32 like it.

    t = (mean_a - mean_b) / sqrt(var_a / m + var_b / m), where m is the smaller number of cells. Degrees of freedom by
    Welch and Satterthwaite use these quotients and the true numbers. An undefined t becomes 0; p is multiplied by
    n_var. A gene with NaN in a set has no mean there.

    n_cells : of a and b
    n_var : genes of the matrix, not only those compared

    Source: github.com/chanzuckerberg/single-cell-explorer, server/compute/diffexp_cxg.py at a30a0e0.
    """
    # A bug of Explorer, kept to reproduce its published lists (decisions 56 and 60).
    smaller = min(n_cells)
    (mean_a, of_a), (mean_b, of_b) = (_moments(one, n, smaller) for one, n in zip((a, b), n_cells, strict=True))
    both = of_a + of_b
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = both**2 / (of_a**2 / (n_cells[0] - 1) + of_b**2 / (n_cells[1] - 1))
        t = (mean_a - mean_b) / np.sqrt(both)
    freedom[np.isnan(freedom)] = 1
    # As Explorer does: a gene that cannot be tested has p = 1, and is in the middle of its list.
    t[np.isnan(t)] = 0
    tested = by_t(t.astype(np.float64), freedom.astype(np.float64))
    return ExplorerTested(tested, np.minimum(tested.p * n_var, 1.0), mean_a - mean_b)


def _moments(one: Summary, n: int, smaller: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return means, and variances over the smaller number of cells."""
    mean = np.where(one.n == n, one.mean, np.nan).astype(np.float32)
    variance = np.where(one.n == n, one.squares / max(1, n - 1), np.nan).astype(np.float32)
    return mean, variance / np.float32(smaller)


def _notes_of(dataset: Dataset, question: Question, kind: ValueKind, sets: tuple[Summary, Summary]) -> tuple[str, ...]:
    """Return the notes on CELLxGENE Explorer's numbers."""
    n_missing = count_missing(sets)
    notes = [
        "Use this only to reproduce lists from CELLxGENE Explorer: its t uses the number of "
        f"{dataset.obs_noun.many} of the smaller set for both, p_adj is Bonferroni's over all {dataset.var_noun.many} "
        "of the store, and log_fc is mean_a - mean_b. method='t-test' is Welch's test, and the unit of "
        "method='pseudobulk' is the donor.",
        *describe_values(dataset, question, kind),
        *describe_fold(dataset, question, kind),
    ]
    if n_missing:
        what = dataset.var_noun.counted(n_missing)
        notes.append(f"{what} with NaN in a set: Explorer has no mean there, t = 0 and p = 1.")
    return (*notes, describe_donors(dataset))
