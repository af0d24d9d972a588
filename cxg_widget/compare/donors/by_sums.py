"""Compares two sets of cells by sums of counts per donor: log2 counts per million, or DESeq2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.donors.deseq2 import PAIRED, UNPAIRED, check_deseq2, deseq2
from cxg_widget.compare.donors.samples import DONOR, Samples, samples_of
from cxg_widget.compare.donors.sums import sums_of_counts
from cxg_widget.compare.gene_tests import Tested, paired_t, welch
from cxg_widget.compare.matrix_statistics import MatrixStats, ValueKind
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.result import Comparison, describe_fold, fold_of, scaled_genes
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import describe_layer

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.compare.question import Question

PRIOR = 2.0
"""Prior count for a donor with an average total."""


def log_cpm(sums: Floats) -> Floats:
    """Return log2 counts per million, as edgeR's `cpm(y, log=TRUE, prior.count=2)` without normalization factors.

    log2((count + prior) / (total + 2 prior) * 1e6) with prior = 2 * total / (mean of all totals): a gene without counts
    has the same value in all donors, whatever their totals. With one prior for all, as in voom, it would follow the
    totals, and seem to differ wherever they do.

    sums : float64 (n_samples, n_var), no row of zeros alone

    Source: Robinson, McCarthy and Smyth, "edgeR", Bioinformatics 26 (2010), and the manual of its `cpm`.
    """
    return log_cpm_of(sums.T, sums.sum(axis=1)).T


def log_cpm_of(sums: Floats, totals: Floats) -> Floats:
    """Return log2 counts per million of some genes, as `log_cpm` of all genes.

    sums : float64 (n_genes, n_samples)
    totals : float64 (n_samples,) or (n_genes, n_samples), of all genes, NaN = left out
    """
    n = np.count_nonzero(~np.isnan(totals), axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        prior = PRIOR * totals / (np.nansum(totals, axis=-1, keepdims=True) / n)
        found: Floats = np.log2((sums + prior) / (totals + 2 * prior) * 1e6)
    return found


def summary_of(values: Floats, sums: Floats) -> Summary:
    """Return the summary of each gene in some samples, (n_samples, n_var) each; `n_above` counts those above 0."""
    n = np.full(values.shape[1], float(len(values)))
    mean = values.mean(axis=0)
    squares = ((values - mean) ** 2).sum(axis=0)
    return Summary(n, mean, squares, (sums > 0).sum(axis=0).astype(np.float64), np.zeros_like(n))


def tested_by_donors(a: Floats, b: Floats, *, is_paired: bool) -> Tested:
    """Test whether donors have the same mean on both sides, two-sided: Welch's t-test, or a paired t-test.

    They are `scipy.stats.ttest_ind(a, b, equal_var=False)` and `scipy.stats.ttest_rel(a, b)` of (n_donors, n_var) each.
    """
    if not is_paired:
        return welch(summary_of(a, a), summary_of(b, b))
    return paired_t(summary_of(a - b, a))


def tested_sums(
    sums: Floats, in_a: NDArray[np.bool_], *, is_paired: bool, n_cells: NDArray[np.int64] | None
) -> tuple[Floats, Tested]:
    """Return log2 counts per million of samples, and the test of each gene; NaN for genes without counts.

    sums : float64 (n_samples, n_var); in_a : bool (n_samples,); paired samples are in one order on both sides
    n_cells : cells of each sample, for values that are no counts: their means are tested; None = counts
    """
    values = log_cpm(sums) if n_cells is None else sums / n_cells[:, np.newaxis]
    tested = tested_by_donors(values[in_a], values[~in_a], is_paired=is_paired)
    # Values of a gene without counts may differ in the last bits, which is no difference to test.
    has_counts = sums.any(axis=0)
    return values, Tested(*(np.where(has_counts, one, np.nan) for one in tested))


_CPM = (
    "Tested, and in mean_a and mean_b: log2 of counts per million, 2 counts added to a donor of mean total, as edgeR's "
    "cpm(log=TRUE). log2fc is the difference of these means. n_a and n_b count donors, share_a and share_b are of "
    "those with any count."
)
_MEANS = (
    "Tested, and in mean_a and mean_b: the mean over the {many} of each donor. {where} holds {reason}, so no counts "
    "are summed. n_a and n_b count donors, share_a and share_b are of those with any value but 0."
)
_DESEQ2 = (
    "Tested: sums of counts, as PyDESeq2 does with design {design!r}; log2fc, statistic (Wald's), p and p_adj are its "
    "own. mean_a and mean_b are of counts over size factors. n_a and n_b count donors, share_a and share_b are of "
    "those with any count."
)


@dataclass(frozen=True, repr=False, kw_only=True)
class DonorComparison(Comparison):
    """Two sets of cells compared by sums of counts per donor.

    Attributes
    ----------
    donors : DataFrame, a row per sum: donor, side ("a" or "b"), n_cells, total (of its counts)
    sums : int64, a row for each of `donors`, a column for each gene of the table; float64 if values are no counts,
        which a study takes

    Examples
    --------
    >>> counts = np.random.default_rng(0).poisson(3, (120, 2))
    >>> cells = {"x": np.arange(120.0), "y": np.arange(120.0), "gene_a": counts[:, 0], "gene_b": counts[:, 1]}
    >>> cells["donor"] = np.repeat(["D1", "D2", "D3", "D4", "D5", "D6"], 20)
    >>> cells["disease"] = np.repeat(["lupus", "normal"], 60)
    >>> w = CxgWidget(cells, var="gene_")
    >>> found = w.compare({"disease": "lupus"}, {"disease": "normal"}, method="pseudobulk", by="donor")
    >>> found.donors.columns.tolist()
    ['donor', 'side', 'n_cells', 'total']
    """

    donors: pd.DataFrame
    sums: pd.DataFrame


class _Found(NamedTuple):
    a: Summary
    b: Summary
    log2fc: Floats
    tested: Tested
    p_adj: Floats | None
    notes: tuple[str, ...]
    untested: str = "no donor has a count"


def compare_donors(
    matrix: MatrixStats, a: NDArray[np.bool_], b: NDArray[np.bool_], question: Question, set_names: tuple[str, str]
) -> DonorComparison:  # fmt: skip
    """Compare two sets of cells gene by gene, with donors as samples; `question.compare` has checked the question.

    All genes are summed, even if `question` names few: totals are those of the donor.
    """
    if question.method == "deseq2":
        check_deseq2()
    dataset = matrix.dataset
    genes = question.positions(dataset)
    samples = samples_of(matrix, (a, b), question, set_names)
    try:
        sums = sums_of_counts(matrix, samples.grouping, question).toarray().astype(np.float64)
    finally:
        matrix.tell(1.0, "")
    _check_totals(samples, sums, question)
    return result_of(dataset, samples, sums, slice(None) if genes is None else genes, question)


def _check_totals(samples: Samples, sums: Floats, question: Question) -> None:
    empty = np.flatnonzero(~sums.any(axis=1))
    if empty.size:
        where = describe_layer(question.layer)
        donor, side = samples.donors[empty[0]], "ab"[samples.sides[empty[0]]]
        raise InvalidValue(
            f"{DONOR.counted(int(empty.size))} without any count in {where}, such as {donor!r} on side {side}: leave "
            "them out of the sets, or name a layer that holds counts."
        )


def result_of(
    dataset: Dataset, samples: Samples, sums: Floats, genes: slice | NDArray[np.int64], question: Question, *,
    kind: ValueKind | None = None,
) -> DonorComparison:  # fmt: skip
    """Return the comparison of samples by their sums, float64 (n_samples, n_var), none without counts.

    kind : of values that are no counts, whose means are compared; None = counts
    """
    import pandas as pd

    names = question.names(dataset)
    table = sums.astype(np.int64) if kind is None else sums
    donors = samples.frame(table.sum(axis=1))
    if kind is None:
        found = _tested(samples, donors, sums, genes, question)
    else:
        found = _tested_means(samples, sums, genes, question, (dataset, kind))
    n = np.bincount(samples.sides, minlength=2)
    sides = " compared with ".join(
        f"{name} ({DONOR.counted(int(k))}, {dataset.obs_noun.counted(int(samples.n_cells[samples.sides == at].sum()))})"
        for at, (name, k) in enumerate(zip(samples.set_names, n, strict=True))
    )
    title = question.title if kind is None else f"means of {describe_layer(question.layer)} per donor, a t-test"
    sentence = f"{sides} by {dataset.var_noun.counted(len(names))}: {title}"
    none = np.full(len(names), np.nan)
    notes = (*found.notes, *samples.notes, *_describe_untested(found, dataset))
    return DonorComparison(
        sentence, notes, names, found.a, found.b, found.log2fc, found.tested, none, none, found.p_adj,
        sets=samples.set_names, donors=donors, sums=pd.DataFrame(table[:, genes], columns=names),
    )  # fmt: skip


def _tested(
    samples: Samples, donors: pd.DataFrame, sums: Floats, genes: slice | NDArray[np.int64], question: Question
) -> _Found:
    """Test all genes, and return the results of some."""
    in_a = samples.sides == 0
    if question.method == "deseq2":
        own = deseq2(sums, donors, is_paired=samples.is_paired)
        tested, log2fc, p_adj = _at(own.tested, genes), own.log2fc[genes], own.p_adj[genes]
        values, note = own.normalized, _DESEQ2.format(design=PAIRED if samples.is_paired else UNPAIRED)
    else:
        has_counts = sums.any(axis=0)
        values, tested = tested_sums(sums, in_a, is_paired=samples.is_paired, n_cells=None)
        tested = _at(tested, genes)
        difference = values[in_a].mean(axis=0) - values[~in_a].mean(axis=0)
        log2fc, p_adj, note = np.where(has_counts, difference, 0.0)[genes], None, _CPM
    a, b = (summary_of(values[which][:, genes], sums[which][:, genes]) for which in (in_a, ~in_a))
    return _Found(a, b, log2fc, tested, p_adj, (note,))


def _tested_means(
    samples: Samples, sums: Floats, genes: slice | NDArray[np.int64], question: Question,
    of: tuple[Dataset, ValueKind],
) -> _Found:  # fmt: skip
    """Test the means of all genes, and return the results of some; of : the values."""
    (dataset, kind), in_a = of, samples.sides == 0
    values, tested = tested_sums(sums, in_a, is_paired=samples.is_paired, n_cells=samples.n_cells)
    a, b = (summary_of(values[which][:, genes], sums[which][:, genes]) for which in (in_a, ~in_a))
    where = describe_layer(question.layer)
    note = _MEANS.format(many=dataset.obs_noun.many, where=where[0].upper() + where[1:], reason=kind.reason)
    return _Found(
        a, b, fold_of(a, b, kind, question, scaled_genes(kind, question, dataset)), _at(tested, genes), None,
        (note, *describe_fold(dataset, question, kind)), "all values are 0, or one is missing",
    )  # fmt: skip


def _at(tested: Tested, genes: slice | NDArray[np.int64]) -> Tested:
    return Tested(*(one[genes] for one in tested))


def _describe_untested(found: _Found, dataset: Dataset) -> list[str]:
    n = int(np.count_nonzero(np.isnan(found.tested.p)))
    n_left_out = 0 if found.p_adj is None else int(np.count_nonzero(np.isnan(found.p_adj))) - n
    notes = []
    if n:
        why = found.untested if found.p_adj is None else f"{found.untested}, or one is an outlier"
        notes.append(f"{dataset.var_noun.counted(n)} without p (NaN): {why}.")
    if n_left_out:
        notes.append(
            f"{dataset.var_noun.counted(n_left_out)} without p_adj (NaN): removed by its filter for low means."
        )
    return notes
