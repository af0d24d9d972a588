"""DESeq2 of sums of donors, against PyDESeq2 itself on sums that pandas makes."""

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
