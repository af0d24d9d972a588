"""Code in plain scanpy gives the masks and numbers of the widget; run by `make test-peers`."""

import numpy as np
import pandas as pd
import pytest

sc = pytest.importorskip("scanpy")
ad = pytest.importorskip("anndata")
import matplotlib as mpl  # noqa: E402

from cxg_widget import CxgWidget  # noqa: E402

NAMES = {"scores": "statistic", "pvals": "p", "pvals_adj": "p_adj", "logfoldchanges": "log2fc"}
N = 400


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, N)
    counts = rng.poisson(1 + 3 * (np.arange(30) % 3 == kinds[:, None]))
    obs = pd.DataFrame(
        {
            "cell type": pd.Categorical.from_codes(np.where(rng.random(N) < 0.1, -1, kinds), ["B", "T's", 'N"K']),
            "n_genes": rng.integers(200, 5000, N), "score": rng.normal(size=N), "is_doublet": rng.random(N) < 0.2,
            "donor": pd.Categorical([f"d{i % 4}" for i in range(N)]),
        },
        index=[f"cell {i}" for i in range(N)],
    )  # fmt: skip
    adata = ad.AnnData(np.log1p(counts).astype(np.float32), obs, pd.DataFrame(index=[f"G{i}" for i in range(30)]))
    adata.layers["counts"] = counts.astype(np.float32)
    adata.obsm["X_umap"] = (rng.normal(size=(N, 2)) + 4 * kinds[:, None]).astype(np.float32)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


def test_code_in_scanpy_gives_equal_masks_and_numbers(path):
    mpl.use("Agg")
    w = CxgWidget(path, restore=False)
    angle = np.linspace(0, 6, 30)
    w.sets.add("drawn", np.c_[3 * np.cos(angle) + 1, 2 * np.sin(angle)])
    w.sets.add("typed", {"cell type": ["T's", None]})
    w.sets.add("asked", "n_genes > 900 and G3 > 0 and not is_doublet")
    w.sets.add("rows", np.random.default_rng(1).random(N) < 0.3)
    w.sets.add("few", ["cell 3", "cell 9"])
    w.sets.add("rest of it", ~w.sets["drawn"] - w.sets["typed"])
    w.filters["n_genes"] = (500, 4500)
    w.filters["var:G1"] = (0.1, None)
    w.annotations.new("mine", of="cell type")
    w.annotations["mine"].assign("x", "asked")
    w.annotations["mine"].merge(["B", "T's"], "y")
    w.select("score < 0.2")
    results = [
        w.compare("drawn", within="filter"),
        w.compare({"donor": "d1"}, {"donor": ["d2", "d3"]}, method="wilcoxon"),
        w.compare({"donor": "d1"}, layer="counts", normalize="log1p_10k", genes=["G4", "G7", "G9"]),
    ]  # fmt: skip
    markers = w.markers(by="cell type")
    composition = w.composition("cell type")
    w.dotplot(["G1", "G2"], "donor")
    w.violin("G1", "donor")
    w.compare({"donor": "d1"}, method="explorer")
    code = w.code("scanpy")
    space = {}
    exec(code, space)
    for name, cells in w.sets.items():
        assert np.array_equal(space["sets"][name], cells.mask), name
    assert np.array_equal(space["passes"], w.filters.mask)
    assert np.array_equal(space["selected"], w.selection.mask)
    labels = w.annotations["mine"].series()
    pd.testing.assert_series_equal(space["adata"].obs["mine"], labels, check_names=False)
    for name, found in zip(("compared", "compared_2", "compared_3"), results, strict=True):
        same_numbers(found.frame(), space[name].set_index("names"))
    for group, theirs in space["markers"].groupby("group", observed=True):
        same_numbers(markers[group].frame(), theirs.set_index("names"))
    theirs = space["found"]
    for column in ("n", "share", "expected", "odds_ratio", "p", "p_adj"):
        np.testing.assert_allclose(theirs[column], composition[column], rtol=1e-9, err_msg=column)
    assert "# Not possible in scanpy: " in code
    w.close()


def same_numbers(ours, theirs):
    tested = ours["p"].notna()
    assert tested.sum() > 2
    theirs = theirs.loc[ours.index]
    for name, own in NAMES.items():
        rounded = 2e-7 if name in ("scores", "logfoldchanges") else 1e-9  # scanpy rounds these to float32
        np.testing.assert_allclose(theirs.loc[tested, name], ours.loc[tested, own], rtol=rounded, err_msg=name)


def test_donors_samples_and_colors_in_scanpy_are_those_of_the_widget(path, monkeypatch):
    mpl.use("Agg")
    adata = ad.read_h5ad(path)
    rng = np.random.default_rng(4)
    number = rng.integers(0, 8, N)
    adata.obs["donor"] = pd.Categorical([f"d{i}" for i in number])
    adata.obs["sick"] = pd.Categorical(np.where(number < 4, "ill", "well"))
    adata.obs["visit"] = pd.Categorical(rng.choice(["before", "after"], N))
    adata.write_h5ad(path)
    w = CxgWidget(path, restore=False, color="cell type", palette={"B": "#112233"})
    w.panel(color=["G1", "G2"])
    w.panel(color="G3", cmap="magma", vmax="p90")
    w.panel(within={"donor": ["d1", "d2"]})
    w.filters["n_genes"] = (300, None)
    compared = [
        w.compare({"sick": "ill"}, {"sick": "well"}, method="pseudobulk", by="donor", layer="counts"),
        w.compare({"visit": "after"}, method="pseudobulk", by="donor", layer="counts", min_cells=5,
                  genes=["G4", "G7", "G9"], within="filter"),
    ]  # fmt: skip
    study = w.study(sample="donor", condition="sick")
    shares = [study.composition("cell type"), study.composition("cell type", method="clr", within={"visit": "after"})]
    expressed = [study.expression(["G1", "G5"], "cell type", layer="counts"), study.expression("G2")]
    code = w.code("scanpy")
    plotted = []
    monkeypatch.setattr(sc.pl, "embedding", lambda adata, basis, **more: plotted.append((adata.n_obs, basis, more)))
    space = {}
    exec(code, space)
    kept = space["adata"].obs["donor"].isin(["d1", "d2"])
    assert space["adata"].uns["cell type_colors"][0] == "#112233"
    assert plotted[0] == (N, "umap", {"color": ["cell type", "mean of 2 genes"]})
    assert plotted[1] == (N, "umap", {"color": "G3", "color_map": "magma", "vmax": "p90"})
    assert plotted[2] == (kept.sum(), "umap", {"color": "cell type"})
    for name, found in zip(("compared", "compared_2"), compared, strict=True):
        ours = found.frame()[["log2fc", "statistic", "p", "p_adj"]]
        np.testing.assert_allclose(space[name].loc[ours.index, ours.columns], ours, rtol=1e-9, err_msg=name)
    same_tests(shares[0], space["shares_of_samples"])
    same_tests(shares[1], space["shares_of_samples_2"])
    same_tests(expressed[0], space["expression_of_samples"])
    same_tests(expressed[1], space["expression_of_samples_2"], rtol=1e-6)  # float32 values have other sums
    w.study(sample="donor", condition="visit", pair="donor").exclude("d3 (after)")
    paired = w.study().composition("cell type")
    space = {}
    exec(w.code("scanpy"), space)
    same_tests(paired, space["shares_of_samples"])
    w.close()


def same_tests(ours, theirs, rtol=1e-9):
    ours = ours.test().reset_index()
    assert ours["p"].notna().sum() > 0
    for _, row in ours.iterrows():
        rows = [row[name] for name in ours.columns if name in ("cell type", "gene")]
        found = theirs.loc[(row["a"], row["b"])]
        found = found.loc[tuple(rows)] if len(rows) > 1 else found.loc[rows[0]]
        found = found.iloc[0] if isinstance(found, pd.DataFrame) else found
        for name in ("effect", "statistic", "p", "p_adj"):
            np.testing.assert_allclose(found[name], row[name], rtol=rtol, err_msg=f"{rows} {name}")
