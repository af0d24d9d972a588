"""Results in an AnnData, read by scanpy itself: its plots and `sc.get` have our numbers, which are its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from tests.unit.test_compare_scanpy import FLOAT32, FOLDER

sc = pytest.importorskip("scanpy", reason="scanpy is not installed (`make test-peers` has it)")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def adata():
    from anndata import AnnData

    held = np.load(FOLDER / "matrix.npz")
    found = AnnData(held["log1p"].copy())
    found.var_names = [f"gene {at}" for at in range(found.n_vars)]
    found.obs["group"] = pd.Categorical.from_codes(held["groups"], ["a", "b", "c"])
    found.obsm["X_umap"] = np.random.default_rng(1).normal(size=(found.n_obs, 2))
    return found


@pytest.fixture(scope="module")
def widget(adata):
    shown = CxgWidget(adata)
    yield shown
    shown.close()


@pytest.mark.parametrize("reference", [None, "b"])
@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_scanpy_reads_from_our_markers_the_table_that_it_makes_itself(method, reference, adata, widget):
    exact = {"tie_correct": True} if method == "wilcoxon" else {}
    sc.tl.rank_genes_groups(
        adata, "group", method=method, reference=reference or "rest", pts=True, key_added="theirs", **exact
    )
    widget.markers(by="group", method=method, reference=reference).to_scanpy(adata, key="ours")
    theirs, ours = (sc.get.rank_genes_groups_df(adata, None, key=key) for key in ("theirs", "ours"))
    assert list(ours.columns) == list(theirs.columns)
    theirs, ours = (one.set_index(["group", "names"]).sort_index() for one in (theirs, ours))
    pd.testing.assert_frame_equal(ours, theirs, rtol=2 * FLOAT32, check_dtype=True)
    assert adata.uns["ours"]["params"] == adata.uns["theirs"]["params"]


def test_every_plot_of_ranked_genes_takes_ours(adata, widget, tmp_path):
    import matplotlib as mpl

    mpl.use("Agg")
    widget.markers(by="group", reference="b").to_scanpy(adata)
    widget.compare({"group": "a"}).to_scanpy(adata, key="two", groupby="compared")
    for key in ("rank_genes_groups", "two"):
        sc.pl.rank_genes_groups(adata, key=key, n_genes=5, show=False)
        for name in ("dotplot", "heatmap", "stacked_violin", "matrixplot", "tracksplot"):
            plot = getattr(sc.pl, f"rank_genes_groups_{name}")
            plot(adata, key=key, n_genes=3, show=False, dendrogram=False)
        sc.pl.rank_genes_groups_violin(adata, key=key, n_genes=3, show=False)
        mpl.pyplot.close("all")
    adata.write_h5ad(tmp_path / "ranked.h5ad")
    again = sc.read_h5ad(tmp_path / "ranked.h5ad")
    group = adata.uns["two"]["names"].dtype.names[0]
    before, after = (sc.get.rank_genes_groups_df(one, group, key="two") for one in (adata, again))
    pd.testing.assert_frame_equal(after, before, check_dtype=False)
