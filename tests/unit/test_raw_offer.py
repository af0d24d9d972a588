"""Where X is scaled, raw is offered: the values by which scanpy colors and ranks genes unless `use_raw=False`."""

from __future__ import annotations

from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.datasets.test_anndata_memory import StandIn

N = 60
RAW_GENES = ["g2", "g1", "only in raw"]


def scaled(raw_genes=RAW_GENES, with_raw=True) -> tuple[StandIn, pd.DataFrame]:
    """Return an object as `adata.raw = adata; sc.pp.scale(adata)` leaves it, and its values of raw."""
    rng = np.random.default_rng(5)
    logs = np.log1p(rng.poisson(2.0, (N, 4))).astype(np.float32)
    frame = pd.DataFrame(logs, columns=["g1", "g2", "g3", "only in raw"])
    values = frame[raw_genes].to_numpy()
    X = ((logs - logs.mean(0)) / logs.std(0, ddof=1))[:, :3]
    obs = pd.DataFrame({"type": pd.Categorical(["a", "b"] * (N // 2))}, index=[f"c{i}" for i in range(N)])
    raw = SimpleNamespace(X=values, var=pd.DataFrame(index=raw_genes)) if with_raw else None
    var = pd.DataFrame(index=["g1", "g2", "g3"])
    return StandIn(X, obs, var, {"X_umap": rng.normal(size=(N, 2)).astype(np.float32)}, raw=raw), frame


def legend_of(adata, **settings) -> p.Color:
    with open_dataset(adata) as dataset:
        message = next(Session(dataset, Settings(embedding="umap", **settings)).streams.color()).message
    assert isinstance(message, p.Color)
    return message


@pytest.mark.parametrize(
    ("color", "blend"), [("g1", "mean"), ("var:g2", "mean"), (["g1", "g2"], "mean"), (["g1", "g2"], "colors")]
)
def test_genes_of_scaled_x_offer_raw_and_say_so(color, blend):
    legend = legend_of(scaled()[0], color=color, blend=blend)
    assert legend.unscaled == "raw"
    assert legend.detail.startswith("X is scaled · ")


@pytest.mark.parametrize(
    ("color", "layer"), [("g3", None), (["g1", "g3"], None), ("g1", "raw"), ("type", None), (None, None)]
)
def test_nothing_is_offered_where_raw_lacks_a_gene_or_is_read_or_no_gene_colors(color, layer):
    legend = legend_of(scaled()[0], color=color, layer=layer)
    assert (legend.unscaled, "scaled" in legend.detail) == ("", False)


def test_nothing_is_offered_without_raw_or_where_x_is_not_scaled():
    assert legend_of(scaled(with_raw=False)[0], color="g1").unscaled == ""
    adata, _ = scaled()
    adata._X = np.abs(adata._X)
    assert legend_of(adata, color="g1").unscaled == ""


def test_the_layer_that_is_offered_holds_what_scanpy_would_color_by():
    adata, truth = scaled()
    with closing(CxgWidget(adata, color="g1", restore=False)) as w:
        w.layer = "raw"
        np.testing.assert_array_equal(w.dataset.values("g1", w.layer), truth["g1"])
        assert w.undo()
        assert w.layer is None


@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_a_comparison_of_scaled_values_names_raw(method):
    adata, _ = scaled()
    with closing(CxgWidget(adata, restore=False)) as w:
        notes = w.compare({"type": "a"}, method=method).notes
        assert any("layer='raw'" in note for note in notes)
        assert any("layer='raw'" in note for note in w.markers(by="type", method=method).notes)
        found = w.compare({"type": "a"}, method=method, layer="raw")
        assert not any("layer='raw', the" in note for note in found.notes)
        assert found.frame()["log2fc"].notna().all()


def test_the_page_can_compare_in_raw_whatever_layer_is_on_show():
    adata, truth = scaled()
    with closing(CxgWidget(adata, restore=False)) as w:
        w.select({"type": "a"})
        session = w._session
        asked = p.Compare("selection", "rest", "t-test", normalize=False)
        assert next(session.answer(asked)).message.unscaled == "raw"
        asked = p.Compare("selection", "rest", "t-test", normalize=False, layer="raw")
        frame = next(session.answer(asked))
        assert (frame.message.unscaled, frame.message.names) == ("", RAW_GENES)
        is_a = w.dataset.obs()["type"].eq("a").to_numpy()
        np.testing.assert_allclose(frame.arrays["values"][0], truth.loc[is_a, RAW_GENES].mean(), rtol=1e-6)
        assert w.layer is None
