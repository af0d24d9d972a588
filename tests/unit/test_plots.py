"""Laws of plots of groups: what scanpy, pandas, numpy and scipy say of the same cells."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gaussian_kde

from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from tests.memory import MemoryDataset
from tests.unit.test_early_lassos import recorded
from tools.scanpy_plots import DONORS, GENES, GROUPS, PLOTS

GOLDEN = Path(__file__).parents[1] / "golden" / "plots"


class Shifted(MemoryDataset):
    """Genes whose values are moved away from 0, so that what they do not list is 2."""

    def _read_vector(self, position, layer):
        vector = super()._read_vector(position, layer)
        return type(vector)(vector.values + 2, vector.rows, 2.0)


def obs_of(widget):
    return widget.dataset.obs(), pd.DataFrame({name: widget.dataset.values(name) for name in widget.dataset.var_names})


@pytest.mark.parametrize("asked", list(PLOTS))
def test_dots_have_the_colors_sizes_and_order_of_scanpy(asked, monkeypatch):
    cells = np.load(GOLDEN / "cells.npz")
    obs = {"group": Codes(cells["group"], GROUPS), "donor": Codes(cells["donor"], DONORS)}
    widget = recorded(MemoryDataset(obs, cells["values"], GENES, {}), monkeypatch)
    by, scale = PLOTS[asked]
    frame = widget.dotplot(list(GENES), *by[:1], by2=by[1] if len(by) > 1 else None, standard_scale=scale).frame()
    for part, name in (("scaled" if scale else "mean", "color"), ("share", "size")):
        expected = pd.read_csv(GOLDEN / f"{asked}.{name}.csv", index_col=0)
        found = frame[part]
        rows = ["_".join(row) if isinstance(row, tuple) else row for row in found.index]
        assert rows == list(expected.index)
        assert list(found.columns) == list(expected.columns)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    widget.close()


@pytest.mark.parametrize("by", ["cell_type", "is_doublet", "donor name"])
def test_counts_sums_and_means_are_those_of_pandas_and_nan_is_left_out(by, widget):
    obs, genes = obs_of(widget)
    names = ["CD3E", "DENSE", "n_counts"]
    frame = widget.dotplot(names, by).frame()
    table = genes[["CD3E", "DENSE"]].assign(n_counts=obs["n_counts"].to_numpy()).astype(float)
    key = pd.Series(obs[by].array)
    grouped = table.groupby(key, observed=True)
    assert list(frame.index) == list(grouped.mean().index)
    expected = {"mean": grouped.mean(), "sum": grouped.sum(), "n": grouped.count()}
    expected["n_missing"] = grouped.size().to_numpy()[:, None] - expected["n"]
    expected["share"] = (table > 0).groupby(key, observed=True).sum() / expected["n"]
    for name, values in expected.items():
        np.testing.assert_allclose(frame[name], values, rtol=1e-6, err_msg=name)
    assert frame["n_missing"]["n_counts"].sum() > 0


def test_cells_that_a_gene_does_not_list_have_its_fill(monkeypatch):
    rng = np.random.default_rng(1)
    x = np.where(rng.random((400, 1)) < 0.2, rng.normal(size=(400, 1)), 0).astype(np.float32)
    codes = rng.integers(-1, 3, 400).astype(np.int8)
    widget = recorded(Shifted({"g": Codes(codes, ("a", "b", "c"))}, x, ["moved"], {}), monkeypatch)
    values, plot = x[:, 0] + np.float32(2), widget.violin("moved", "g")
    frame, bins = plot.frame(), plot.bins()
    edges = [*bins.columns.left, bins.columns.right[-1]]
    for group, label in enumerate("abc"):
        own = values[codes == group].astype(float)
        row = frame.loc[label].droplevel("gene")
        expected = [own.mean(), (own > 0).mean(), own.min(), own.max(), own.size]
        np.testing.assert_allclose(row[["mean", "share", "min", "max", "n"]], expected, rtol=1e-6)
        assert bins.loc[label].tolist() == np.histogram(own, edges)[0].tolist()
        assert row["median"] == np.median(own)
    widget.close()


def test_bins_are_those_of_numpy_and_the_density_is_that_of_scipy(widget):
    obs, genes = obs_of(widget)
    plot = widget.violin(["DENSE", "n_counts"], "cell_type")
    for at, values in enumerate((genes["DENSE"].to_numpy(float), obs["n_counts"].to_numpy(float))):
        found = plot.binned[at]
        for group, label in enumerate(plot.frame().index):
            own = values[(obs["cell_type"] == label).to_numpy()]
            own = own[np.isfinite(own)]
            assert found.counts[group].tolist() == np.histogram(own, found.edges)[0].tolist()
            density = found.density(group)
            inside = density > 0
            expected = gaussian_kde(own)(found.centres)[inside]
            assert np.abs(density[inside] - expected).max() < 0.02 * expected.max()


def test_clusters_that_are_whole_numbers_are_groups_in_their_order(monkeypatch):
    rng = np.random.default_rng(3)
    leiden, values = rng.choice([10, 2, 0, 7], 500), rng.random((500, 1), dtype=np.float32)
    obs = {"leiden": leiden, "g": Codes(rng.integers(0, 2, 500).astype(np.int8), ("a", "b"))}
    widget = recorded(MemoryDataset(obs, values, ["x"], {}), monkeypatch)
    expected = pd.Series(values[:, 0].astype(float)).groupby(leiden).mean()
    found = widget.violin("x", "leiden").frame()["mean"]["x"]
    assert found.index.tolist() == expected.index.tolist() == [0, 2, 7, 10]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    crosstab = pd.crosstab(leiden, np.array(["a", "b"])[obs["g"].codes])
    assert widget.bars("g", "leiden").frame().to_numpy().tolist() == crosstab.to_numpy().tolist()
    assert widget.bars("leiden", "g").frame().to_numpy().tolist() == crosstab.to_numpy().T.tolist()
    widget.close()


def test_infinite_values_lie_in_no_bin_and_one_value_has_bins_around_it(monkeypatch):
    values = np.array([[1, 5], [np.inf, 5], [3, 5], [np.nan, 5], [-np.inf, 5]], dtype=np.float32)
    obs = {"g": Codes(np.array([0, 0, 0, 0, 1], np.int8), ("a", "b"))}
    widget = recorded(MemoryDataset(obs, values, ["far", "same"], {}, sparse=False), monkeypatch)
    plot = widget.violin(["far", "same"], "g")
    assert plot.bins("far").sum(axis=1).tolist() == [2, 0]
    assert plot.bins("same").sum(axis=1).tolist() == [4, 1]
    assert plot.frame()["n_missing"]["far"].tolist() == [1, 0]
    assert len(plot.figure().axes) == 2
    widget.close()


def test_bars_count_as_pandas_crosstab_does_and_missing_values_come_last(widget):
    obs, _ = obs_of(widget)
    found = widget.bars("cell_type", "donor name").frame()
    expected = pd.crosstab(obs["donor name"], obs["cell_type"])
    assert list(found.index) == list(expected.index)
    assert found.iloc[:, :-1].to_numpy().tolist() == expected.to_numpy().tolist()
    missing = obs["cell_type"].isna().groupby(obs["donor name"]).sum()
    assert found.iloc[:, -1].tolist() == missing.tolist()
    assert pd.isna(found.columns[-1])
    turned = widget.bars("donor name", "cell_type").frame()
    assert turned.to_numpy().tolist() == expected.to_numpy().T.tolist()


def test_cells_are_those_that_pass_the_filters_or_are_selected(widget):
    obs, genes = obs_of(widget)
    widget.filters["n_genes"] = (1000, None)
    widget.select({"is_doublet": True})
    passing, selected = (obs["n_genes"] >= 1000).to_numpy(), obs["is_doublet"].to_numpy()
    for within, mask in ((None, passing), ("filter", passing), ("selection", selected)):
        expected = genes["CD3E"][mask].groupby(obs["cell_type"][mask].array, observed=True).agg(["size", "mean"])
        found = widget.heatmap("CD3E", "cell_type", within=within).frame()
        assert found["n"]["CD3E"].tolist() == expected["size"].tolist()
        np.testing.assert_allclose(found["mean"]["CD3E"], expected["mean"], rtol=1e-6)
        crosstab = pd.crosstab(obs["donor name"][mask], obs["is_doublet"][mask])
        bars = widget.bars("is_doublet", "donor name", within=within).frame()
        assert bars.to_numpy().tolist() == crosstab.to_numpy().tolist()
    widget.filters["cell_type"] = ["B cell"]
    assert list(widget.dotplot("CD3E", "cell_type").frame().index) == ["B cell"]


def test_gene_sets_are_groups_of_genes_in_their_order_and_the_figure_says_so(widget):
    plot = widget.dotplot({"one": ["DENSE", "CD3E"], "$two$": "set:pair"}, "cell_type", swap_axes=True)
    assert list(plot.frame()["mean"].columns) == ["DENSE", "CD3E", "CD3E", "MS4A1"]
    assert plot.heads == (("one", 0, 2), ("$two$", 2, 4))
    told = [text.get_text() for text in plot.figure().texts]
    assert {"one", "$two$", "T cell", "<img src=x onerror=alert(1)>", "DENSE"} <= set(told)
    assert told.index("DENSE") < told.index("MS4A1")
    assert list(widget.dotplot("pair", "cell_type").frame()["mean"].columns) == ["CD3E", "MS4A1"]


def test_colors_are_those_of_the_legend_and_areas_are_in_proportion_to_shares(widget):
    widget.palette = {"T cell": "#ff0000"}
    assert widget.dotplot("CD3E", "cell_type").look.colors[:2] == ("#ff0000", "#123456")
    violins = widget.violin("DENSE", "donor name", by2="cell_type")
    assert violins.look.colors[:2] == ("#ff0000", "#123456")
    plot = widget.dotplot(["DENSE", "MS4A1"], "cell_type")
    areas = plot.figure().axes[0].collections[0].get_sizes()
    shares = plot.frame()["share"].to_numpy().ravel()
    np.testing.assert_allclose(areas / areas[0], shares[shares > 0] / shares[0], rtol=1e-6)


def test_a_plot_keeps_nothing_of_each_cell_and_shows_itself_as_a_picture(monkeypatch):
    import pickle

    rng = np.random.default_rng(0)
    n = 200_000
    obs = {"g": Codes(rng.integers(0, 4, n).astype(np.int8), ("a", "b", "c", "d"))}
    widget = recorded(MemoryDataset(obs, rng.random((n, 2), dtype=np.float32), ["x", "y"], {}), monkeypatch)
    for plot in (widget.dotplot(["x", "y"], "g"), widget.violin(["x", "y"], "g")):
        assert len(pickle.dumps(plot)) < 20_000
    widget.background = "dark"
    assert widget.heatmap(["x"], "g")._repr_png_().startswith(b"\x89PNG")
    widget.close()


@pytest.mark.parametrize(
    ("act", "error", "said"),
    [
        (lambda w: w.dotplot(["CD3E", "CD3", "MS4"], "cell_type"), UnknownName, "'CD3'.*'CD3E'.*'MS4'"),
        (lambda w: w.dotplot("CD3E", "cell_typ"), UnknownName, "cell_type"),
        (lambda w: w.violin("CD3E", "n_counts"), InvalidValue, "'n_counts' has fractions"),
        (lambda w: w.violin("cell_type", "cell_type"), InvalidValue, "'cell_type' is an obs column without numbers"),
        (lambda w: w.heatmap([], "cell_type"), InvalidValue, "found 0"),
        (lambda w: w.heatmap(7, "cell_type"), InvalidValue, "found 7"),
        (lambda w: w.heatmap("CD3E", "cell_type", standard_scale="obs"), InvalidValue, "found 'obs'"),
        (lambda w: w.heatmap("CD3E", "cell_type", by2="cell_type"), InvalidValue, "another column"),
        (lambda w: w.bars("cell_type", "cell_type"), InvalidValue, "twice"),
        (lambda w: w.bars("cell_type", "donor name", within="all"), SelectionError, "'all' does not name cells"),
        (lambda w: w.dotplot("CD3E", "cell_type", within="selection"), SelectionError, "none is selected"),
        (lambda w: w.dotplot("CD3E", "cell_type", layer="raw"), UnknownName, "raw"),
    ],
)
def test_what_cannot_be_plotted_is_refused_in_one_sentence(act, error, said, widget):
    with pytest.raises(error, match=said):
        act(widget)


def test_where_filters_leave_no_cell_that_is_the_reason_that_is_told(widget):
    widget.filters["n_counts"] = (1e12, None)
    for act in (lambda: widget.violin("CD3E", "cell_type"), lambda: widget.bars("cell_type", "donor name")):
        with pytest.raises(SelectionError, match="none passes the filters"):
            act()
    widget.filters.clear()


@pytest.mark.parametrize("plot", ["dotplot", "heatmap"])
def test_the_names_of_scanpy_are_refused_with_the_call_that_works(plot, widget):
    with pytest.raises(TypeError, match=r"takes genes=\['CD3E'\], by='cell_type'; found var_names=, groupby="):
        getattr(widget, plot)(var_names=["CD3E"], groupby="cell_type")
    with pytest.raises(TypeError, match="violin\\(\\) takes gene='CD3E', by='cell_type'"):
        widget.violin(keys="CD3E", groupby="cell_type")
    assert list(getattr(widget, plot)(genes=["CD3E"], by="cell_type").frame()["mean"]) == ["CD3E"]
