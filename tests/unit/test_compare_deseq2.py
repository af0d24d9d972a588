"""DESeq2 of sums of donors, and genes of studies, against PyDESeq2 and statsmodels on the same sums."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.errors import MissingDependency
from tests.memory import MemoryDataset

N_OBS, N_VAR = 160, 60


@pytest.fixture
def widget():
    rng = np.random.default_rng(4)
    donor, side = np.repeat(np.arange(8), 20), np.repeat([0, 1], 80)
    # Donors differ, some genes differ between sides, and every donor has cells of two kinds.
    mean = rng.gamma(1.0, 4.0, N_VAR) * rng.lognormal(0, 0.3, (8, N_VAR))
    mean[4:, :12] *= 4
    mean[:, 59] = 0
    kind = np.arange(N_OBS) % 2
    x = rng.poisson(mean[donor] * (1 + kind[:, None] * (np.arange(N_VAR) % 5 == 0))).astype(np.float32)
    obs = {"donor": donor, "side": side, "kind": kind}
    made = CxgWidget(MemoryDataset(obs, x, [f"gene {at}" for at in range(N_VAR)], {"umap": np.zeros((N_OBS, 2))}))
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(("column", "design"), [("side", "~side"), ("kind", "~donor + side")])
def test_deseq2_is_that_of_pydeseq2_on_the_same_sums(widget, column, design):
    pytest.importorskip("pydeseq2", reason="PyDESeq2 is not installed (`make test-peers` has it)")
    from pydeseq2.dds import DeseqDataSet
    from pydeseq2.ds import DeseqStats

    obs = widget.dataset.obs([column, "donor"])
    is_a = (obs[column] == 1).to_numpy()
    found = widget.compare(is_a, ~is_a, method="deseq2", by="donor")
    x = widget.dataset._x
    keys = [np.where(is_a, "a", "b"), [f"D{at}" for at in obs["donor"]]]
    sums = pd.DataFrame(x, columns=[f"gene {at}" for at in range(N_VAR)]).groupby(keys).sum().astype(int)
    samples = pd.DataFrame({"side": sums.index.get_level_values(0), "donor": sums.index.get_level_values(1)})
    samples.index = sums.index = [f"s{at}" for at in range(len(sums))]
    np.testing.assert_array_equal(found.sums, sums)
    theirs = DeseqDataSet(counts=sums, metadata=samples, design=design, quiet=True, n_cpus=1)
    theirs.deseq2()
    told = DeseqStats(theirs, contrast=["side", "a", "b"], quiet=True, n_cpus=1)
    told.summary()
    ours = found.frame().loc[told.results_df.index]
    assert 5 < (told.results_df["padj"] < 0.05).sum() < 50
    for name, own in {"log2FoldChange": "log2fc", "stat": "statistic", "pvalue": "p", "padj": "p_adj"}.items():
        np.testing.assert_allclose(ours[own], told.results_df[name], rtol=1e-9, err_msg=name)
    assert np.isnan(ours.loc["gene 59", "p"])
    normalized = np.asarray(theirs.layers["normed_counts"])
    np.testing.assert_allclose(ours["mean_a"], normalized[(samples["side"] == "a").to_numpy()].mean(axis=0))
    np.testing.assert_allclose(found.log10_p.loc[ours.index], np.log10(ours["p"]), rtol=1e-6)
    few = widget.compare(is_a, ~is_a, method="deseq2", by="donor", genes=["gene 3"])
    assert few.frame().loc["gene 3", ["p", "p_adj"]].tolist() == ours.loc["gene 3", ["p", "p_adj"]].tolist()


def test_without_pydeseq2_one_sentence_tells_what_to_install(widget, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydeseq2", None)
    with pytest.raises(MissingDependency, match=r"needs PyDESeq2: pip install 'cxg-widget\[deseq2\]'"):
        widget.compare({"side": 1}, method="deseq2", by="donor")
    assert not [one for one in widget.dataset.reads if one.startswith("X/")]


N_GENES, TYPES = 400, ["T", "B"]


def study_of(n_donors, seed, *, is_paired, effect=6.0):
    """Return a widget of counts by negative binomial samples; 40 genes differ in T cells, and none in B cells."""
    rng = np.random.default_rng(seed)
    n = sum(n_donors)
    side = np.repeat([0, 1], n_donors)
    subject = np.concatenate([np.arange(k) for k in n_donors])
    base, of_subject = rng.gamma(1.0, 3.0, N_GENES), rng.lognormal(0, 0.3, (max(n_donors), N_GENES))
    mean = base * of_subject[subject] if is_paired else base * rng.lognormal(0, 0.3, (n, N_GENES))
    mean = mean * rng.lognormal(0, 0.15, (n, N_GENES))
    planted = np.exp2(rng.choice([-1, 1], 40) * rng.uniform(0.5, np.log2(effect), 40))
    sample, kind = np.repeat(np.arange(n), 40), np.tile(np.repeat([0, 1], 20), n)
    own = mean[sample]
    own[:, :40] *= np.where((side[sample] == 1) & (kind == 0), 1.0, 0.0)[:, None] * (planted - 1) + 1
    columns = {
        "sample": [f"s{at}" for at in sample], "condition": np.array(["normal", "lupus"])[side[sample]],
        "type": np.array(TYPES)[kind], "subject": [f"d{at}" for at in subject[sample]],
    }  # fmt: skip
    obs = {name: np.array(values, dtype=object) for name, values in columns.items()}
    x = rng.poisson(own).astype(np.float32)
    names = [f"gene {at}" for at in range(N_GENES)]
    return CxgWidget(MemoryDataset(obs, x, names, {"umap": np.zeros((len(x), 2))}))


DESIGNS = {"4 and 4": ((4, 4), False), "3 and 6": ((3, 6), False), "5 pairs": ((5, 5), True)}


def declared(design, seed):
    """Return a widget, its study of a design, and whether samples are paired."""
    n_donors, is_paired = DESIGNS[design]
    w = study_of(n_donors, seed, is_paired=is_paired)
    return w, w.study(sample="sample", condition="condition", pair="subject" if is_paired else None), is_paired


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("design", DESIGNS)
def test_genes_of_a_study_agree_with_pydeseq2_on_the_same_sums(design):
    """Two models of the same sums: fold changes in one order, and the same calls for nearly all genes."""
    pytest.importorskip("pydeseq2", reason="PyDESeq2 is not installed (`make test-peers` has it)")
    from pydeseq2.dds import DeseqDataSet
    from pydeseq2.ds import DeseqStats
    from scipy.stats import spearmanr

    w, study, is_paired = declared(design, 7)
    differences = study.differences("type")
    for kind in TYPES:
        found = differences.compare(kind, "lupus", "normal")
        samples = found.donors.astype({"donor": str}).set_axis([f"s{at}" for at in range(len(found.donors))])
        sums = found.sums.set_axis(samples.index)
        model = "~donor + side" if is_paired else "~side"
        theirs = DeseqDataSet(counts=sums, metadata=samples[["donor", "side"]], design=model, quiet=True, n_cpus=1)
        theirs.deseq2()
        tested = DeseqStats(theirs, contrast=["side", "a", "b"], quiet=True, n_cpus=1)
        tested.summary()
        table = tested.results_df
        ours = found.frame().loc[table.index]
        is_high = (sums.mean() >= 10).to_numpy()
        rank = spearmanr(ours["log2fc"][is_high], table["log2FoldChange"][is_high]).statistic
        calls, their_calls = ours["p_adj"] < 0.05, table["padj"] < 0.05
        share = float((calls == their_calls).mean())
        assert rank > 0.95
        assert share > 0.9
        assert calls.iloc[40:].sum() <= 3
    w.close()


@pytest.mark.parametrize("design", DESIGNS)
def test_genes_of_a_study_are_tested_as_statsmodels_tests_their_log_cpm(design):
    weightstats = pytest.importorskip(
        "statsmodels.stats.weightstats", reason="statsmodels is not installed (`make test-peers` has it)"
    )
    from statsmodels.stats.multitest import multipletests

    w, study, is_paired = declared(design, 8)
    differences = study.differences("type")
    for kind in TYPES:
        found = differences.compare(kind, "lupus", "normal")
        sums = found.sums.to_numpy().astype(float)
        totals = sums.sum(axis=1, keepdims=True)
        prior = 2 * totals / totals.mean()
        values = np.log2((sums + prior) / (totals + 2 * prior) * 1e6)
        is_a = (found.donors["side"] == "a").to_numpy()
        if is_paired:
            t, p, _ = weightstats.DescrStatsW(values[is_a] - values[~is_a]).ttest_mean()
        else:
            t, p, _ = weightstats.ttest_ind(values[is_a], values[~is_a], usevar="unequal")
        has_counts = sums.any(axis=0)
        ours = found.frame().loc[found.sums.columns]
        np.testing.assert_allclose(ours["statistic"][has_counts], t[has_counts], rtol=1e-9)
        np.testing.assert_allclose(ours["p"][has_counts], p[has_counts], rtol=1e-9)
        p_adj = multipletests(np.where(has_counts, p, 1.0), method="fdr_bh")[1]
        np.testing.assert_allclose(ours["p_adj"][has_counts], p_adj[has_counts], rtol=1e-9)
        n_genes = differences.frame().xs(kind, level="type")["n_genes"].iloc[0]
        assert n_genes == (p_adj[has_counts] < 0.05).sum()
    shares = study.composition("type").measured.compared
    found = study.composition("type").test()["p"]
    is_a = np.array(study.samples["condition"] == "lupus")
    assert study.composition("type").measured.tests.conditions == ("lupus", "normal")
    if not is_paired:
        p = weightstats.ttest_ind(shares[:, is_a].T, shares[:, ~is_a].T, usevar="unequal")[1]
        np.testing.assert_allclose(np.nan_to_num(np.sort(found)), np.nan_to_num(np.sort(p)), rtol=1e-9)
    w.close()
