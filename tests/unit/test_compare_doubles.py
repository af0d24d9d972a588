"""Comparing values that float32 would change: float64 and large whole numbers, against SciPy on what is stored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from cxg_widget import CxgWidget
from cxg_widget.compare import ranks
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.question import Question, compare
from cxg_widget.compare.transposed import places_of
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.matrix_block import exactly
from tests.datasets.make_bare import bare_h5ad

N_OBS, N_VAR = 1_200, 12
FORMS = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "dense": np.asarray}
A = np.arange(N_OBS) % 3 == 0


def values():
    """Return logarithms in double precision, two of which are often one in float32, and below 0 in one gene."""
    rng = np.random.default_rng(3)
    found = np.where(rng.random((N_OBS, N_VAR)) < 0.4, np.log1p(rng.poisson(3, (N_OBS, N_VAR)) * rng.random()), 0.0)
    found[:, 0] = np.where(rng.random(N_OBS) < 0.5, 1 + rng.integers(0, 50, N_OBS) * 1e-9, 0)
    found[:, 1] = rng.normal(size=N_OBS)
    found[:, 2] = 1e5 + rng.normal(size=N_OBS) * 1e-2
    found[found[:, 3] == 0, 3] = np.nan
    return found


@pytest.fixture(params=FORMS)
def dataset(request, tmp_path):
    with open_dataset(bare_h5ad(tmp_path / "x.h5ad", FORMS[request.param](values()))) as found:
        yield found


@pytest.mark.parametrize("genes", [None, ["var0", "var2", "var3"]])
def test_welch_of_doubles_is_that_of_scipy(dataset, genes):
    found = compare(MatrixStats(dataset), A, ~A, Question(genes=genes)).frame()
    matrix = values()
    for gene in genes or dataset.var_labels:
        column = matrix[:, int(gene.removeprefix("var"))]
        true = stats.ttest_ind(column[A], column[~A], equal_var=False, nan_policy="omit")
        wide = (
            1e-6 if gene in ("var0", "var2") else 1e-9
        )  # of values that differ in their last digits SciPy has no more
        assert found.loc[gene, "statistic"] == pytest.approx(true.statistic, rel=wide)
        assert found.loc[gene, "p"] == pytest.approx(true.pvalue, rel=max(wide, 1e-6))


@pytest.mark.parametrize("band_bytes", [ranks.BAND_BYTES, 2**15])
def test_doubles_that_float32_makes_one_do_not_tie(dataset, monkeypatch, band_bytes):
    monkeypatch.setattr(ranks, "BAND_BYTES", band_bytes)
    result = compare(MatrixStats(dataset), A, ~A, Question("wilcoxon"))
    found, u = result.frame(), result.u
    matrix = values()
    for gene in dataset.var_labels:
        column = matrix[:, int(gene.removeprefix("var"))]
        a, b = (column[cells & ~np.isnan(column)] for cells in (A, ~A))
        true = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False)
        assert u[gene] == pytest.approx(true.statistic, rel=1e-12)
        assert found.loc[gene, "p"] == pytest.approx(true.pvalue, rel=1e-9)
    plain = matrix[:, 0].astype(np.float32)
    assert u["var0"] != stats.mannwhitneyu(plain[A], plain[~A]).statistic


@pytest.mark.parametrize("form", FORMS)
def test_sums_of_large_counts_are_exact(tmp_path, form):
    counts = np.random.default_rng(0).integers(2**24, 2**26, (60, 3)) | 1
    path = bare_h5ad(tmp_path / "counts.h5ad", FORMS[form](counts))
    with open_dataset(path) as dataset:
        w = CxgWidget(dataset)
        donors = w.annotations.new("donor")
        for i in range(6):
            donors.assign(f"d{i}", np.arange(60) % 6 == i)
        found = w.compare(np.arange(60) < 36, method="pseudobulk", by="donor", min_cells=2)
        side = np.where(np.arange(60) < 36, 0, 1)
        true = pd.DataFrame(counts).groupby([side, np.arange(60) % 6]).sum().to_numpy()
        assert sorted(found.sums.to_numpy().ravel().tolist()) == sorted(true.ravel().tolist())


def test_numbers_are_doubles_only_where_float32_changes_one():
    whole = np.array([0, 1, 2**24])
    assert exactly(whole).dtype == exactly(whole.astype(float)).dtype == np.float32
    assert exactly(np.array([np.nan, np.inf, 0.5])).dtype == np.float32
    for one in (np.array([2**24 + 1]), np.array([0.1]), np.array([1e300])):
        found = exactly(one)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, one)


def test_places_are_in_the_order_of_values_around_what_is_left_out():
    values = np.array([3.0, -1.0, np.nan, 3.0, 0.5, -2.0, 0.0])
    np.testing.assert_array_equal(places_of(values), [2, -1, np.nan, 2, 1, -2, 0])
    np.testing.assert_array_equal(places_of(values, 1.0), [1, -3, np.nan, 1, -1, -4, -2])
