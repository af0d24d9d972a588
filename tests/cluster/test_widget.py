"""A widget on a cluster: the same calls; a cluster that is gone is told in one sentence and nothing is lost."""

import gc
import time
import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.errors import ClusterLost, InvalidOption
from cxg_widget.wire.protocol import AskAnnotations
from tests.cluster.conftest import n_open, start_client, stop_client
from tests.datasets.test_traffic import EXACT
from tests.unit.test_html_file import Parsed
from tests.unit.test_widget import Recorder


def group(dataset):
    return next(c.name for c in dataset.obs_columns.values() if c.kind == "categorical")


def test_the_cells_in_a_polygon_are_those_found_without_a_cluster(client, store):
    with open_dataset(store) as dataset:
        xy = dataset.embedding()
        xy = xy[np.isfinite(xy).all(axis=1)]
        polygon = np.quantile(xy, 0.2, axis=0) + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * xy.std(axis=0)
        alone, shared = CxgWidget(dataset, render="points"), CxgWidget(store, dask=client, color=group(dataset))
        for w in (alone, shared):
            w.select(polygon=polygon)
        assert 0 < len(shared.selection) < dataset.n_obs
        np.testing.assert_array_equal(alone.selection.mask, shared.selection.mask)
        assert shared.selection.obs().equals(alone.selection.obs())
        alone.close()
        shared.close()


def test_a_replay_on_a_cluster_counts_the_cells_that_it_counts_without_one(client, store):
    alone, shared = CxgWidget(store, render="points", restore=False), CxgWidget(store, dask=client, restore=False)
    name = group(alone.dataset)
    kind = str(alone.dataset.obs([name])[name].dropna().iloc[0])
    shared.sets.add("some", {name: [kind]})
    shared.filters[name] = [kind]
    shared.annotations.new("mine").assign("x", "some")
    found = shared.replay(shared.state, store)
    assert found.frame().equals(alone.replay(shared.state, store).frame())
    is_kind = (alone.dataset.obs([name])[name] == kind).sum()
    assert found.frame().loc[("set", "some"), ["before", "after"]].tolist() == [is_kind, is_kind]
    before = shared.state
    assert shared.replay(before).summary.startswith("All ")
    assert shared.state == before
    alone.close()
    shared.close()


def test_a_page_holds_the_sample_that_is_here_in_the_colors_that_it_has_without_a_cluster(client, store, tmp_path):
    w = CxgWidget(store, dask=client, max_points=100)
    w.color = group(w.dataset)
    with pytest.warns(UserWarning, match="a random sample of 100 of"):
        w.save(tmp_path / "a.html")
    page = Parsed(tmp_path / "a.html")
    rows = pd.Index(w.dataset.obs_names()).get_indexer(page.names())
    expected = w.dataset.obs([w.color])[w.color].astype(object).iloc[rows]
    legend, _, chunks = page.color(f"obs:{w.color}")
    labels = np.array([*legend["categories"], None], dtype=object)
    codes = np.concatenate([arrays["codes"] for content, arrays in chunks if content["kind"] == "codes"]).astype(int)
    found = labels[np.minimum(codes, len(labels) - 1)]
    assert found.tolist() == [None if pd.isna(one) else str(one) for one in expected]
    assert len(set(found)) > 1
    w.close()


def test_annotations_are_columns_of_the_workers_too_and_change_there(client, store):
    with open_dataset(store) as dataset:
        alone = CxgWidget(dataset, render="raster")
        shared = CxgWidget(store, dask=client, color=None)
        rng = np.random.default_rng(0)
        masks = {label: rng.random(dataset.n_obs) < 0.4 for label in ("one", "two")}
        for w in (alone, shared):
            note = w.annotations.new("mine")
            for label, mask in masks.items():
                note.assign(label, mask)
            w.color = "mine"
            w._session.coloring()
            note.rename("one", "three")
            w.filters["mine"] = ["three"]
            w.select(polygon=[(-9, -9), (9, -9), (9, 9)])
        assert shared._session.coloring().labels == alone._session.coloring().labels == ["three", "two"]
        np.testing.assert_array_equal(shared.filters.mask, alone.filters.mask)
        np.testing.assert_array_equal(shared.selection.mask, alone.selection.mask)
        assert shared.counts("mine").equals(alone.counts("mine"))
        kept = {"view": (-9, 9, -9, 9), "width": 50, "height": 50}
        found, truth = (w.aggregate("count", color="mine", **kept) for w in (shared, alone))
        np.testing.assert_array_equal(found, truth)
        assert truth.sum() > 0
        rows = [one.loader.of(one.settings).category_mask(0) for one in (shared._session, alone._session)]
        np.testing.assert_array_equal(*rows)
        listed = [next(w._session.answer(AskAnnotations())).arrays["counts"] for w in (shared, alone)]
        np.testing.assert_array_equal(*listed)
        alone.close()
        shared.close()


def test_the_cost_of_an_action_counts_reads_of_workers_and_of_the_kernel(client, store, object_store, monkeypatch):
    uri = object_store.put(Path(store), "shared.cxg")
    object_store.requests()
    seen = Traffic()
    w = CxgWidget(uri, dask=client, color=None, config={**object_store.config, **EXACT})
    w.front = Recorder(w, monkeypatch)
    w.dataset.read_names()
    first, second, *_ = (one.name for one in w.dataset.obs_columns.values() if one.kind == "categorical")
    acts = {
        "opening": w._session.coloring,
        "color": lambda: setattr(w, "color", f"obs:{first}"),
        "a gene": lambda: setattr(w, "color", f"var:{w.dataset.var_labels[1]}"),
        "counts": lambda: w.counts(second),
    }
    for name, act in acts.items():
        act()
        w.front.settle()
        gets = [one.n_bytes for one in object_store.requests() if one.verb == "GET"]
        now, before = w._session.costs.now(), seen
        seen = seen.with_(Traffic(sum(gets), len(gets)))
        assert now == seen, name
        assert name == "opening" or Traffic(w.cost.n_bytes, w.cost.n_reads) == now.since(before) != Traffic()
    w.select(polygon=[(-9, -9), (9, -9), (9, 9)])
    assert w.cost.of == "select"
    assert w.cost.from_memory
    w.close()


def test_closing_the_widget_closes_the_stores_of_the_workers(client, store):
    w = CxgWidget(store, dask=client, color=None)
    w.color = f"var:{w.dataset.var_names[0]}"
    assert sum(client.run(n_open).values()) > 0
    w.close()
    assert sum(client.run(n_open).values()) == 0


def test_nothing_of_a_closed_widget_is_left_here_or_on_the_workers(client, store):
    before = set(client.futures)  # of widgets of other tests too, which may go meanwhile
    w = CxgWidget(store, dask=client, color="cell_type")
    w.select(polygon=[(-9, -9), (9, -9), (9, 9)])
    assert set(client.futures) - before
    held = [weakref.ref(one) for one in (w, w._session, w._session.loader.memo.in_slot("shared"))]
    w.close()
    del w
    for _ in range(400):
        gc.collect()
        if not any(ref() for ref in held):
            break
        time.sleep(0.05)
    assert [ref() for ref in held] == [None] * 3
    assert not set(client.futures) - before
    assert sum(client.run(n_open).values()) == 0


def test_a_hue_for_each_gene_is_refused_in_one_sentence_and_the_display_stays(client, store):
    with open_dataset(store) as dataset:
        genes = list(dataset.var_labels[:2])
    w = CxgWidget(store, dask=client, color=genes)
    with pytest.raises(ValueError, match="blend='colors' is not for cells that Dask's workers hold"):
        w.blend = "colors"
    assert w.blend == "mean"
    w.close()


def test_an_object_that_is_no_client_is_refused(store):
    with pytest.raises(InvalidOption, match="it must be a dask"):
        CxgWidget(store, dask="tcp://scheduler:8786")


def test_a_lost_cluster_is_reported_and_the_selection_stays(store):
    client = start_client(1)
    w = CxgWidget(store, dask=client, color=None)
    w.select([0, 1, 2])
    stop_client(client)
    for ask in (lambda: setattr(w, "color", f"var:{w.dataset.var_names[0]}"), lambda: w.aggregate(width=9, height=7)):
        with pytest.raises(ClusterLost, match="Dask client is closed"):
            ask()
    assert w.color is None
    assert len(w.selection) == 3
    w.close()


@pytest.fixture
def without_workers(store):
    """A widget whose cluster has no workers yet, its client, and what it sends."""
    client = start_client(0)
    w, sent = CxgWidget(store, dask=client, color=None, render="raster"), []
    w._exchange._send = lambda content, _: sent.append(content)
    yield w, client, sent
    w.close()
    stop_client(client)


def ask(widget, request_id, **request):
    widget._handle_custom_msg({"id": request_id, **request}, [])


def test_lassos_wait_for_the_cells_in_their_order_while_hovers_find_nothing(without_workers):
    w, client, sent = without_workers
    with open_dataset(w.dataset.uri) as dataset:
        x, y = dataset.embedding().astype(np.float64).T
    low, high = np.nanquantile(x, [0.2, 0.7])
    for i, (x0, x1, mode) in enumerate([(-99, low, "replace"), (high, 99, "add"), (-99, 0.99 * low, "subtract")]):
        ask(w, i + 1, kind="lasso", polygon=[x0, -99, x1, -99, x1, 99, x0, 99], mode=mode)
    for i in range(8):  # more than there are threads
        ask(w, 10 + i, kind="hover", x=0.0, y=0.0, radius_x=9.0, radius_y=9.0)
        w._exchange.jobs.finish(("hover", 0))
    assert [(one["kind"], one["row"]) for one in sent if one["id"] >= 10] == [("cell", -1)] * 8
    assert w.n_selected == 0
    client.cluster.scale(1)
    w._exchange.jobs.finish("lasso")
    assert [one["id"] for one in sent if one["kind"] == "selection"] == [1, 2, 3]
    expected = ((x < low) | (x > high)) & ~(x < 0.99 * low) & np.isfinite(y)
    assert 0 < expected.sum() < x.size
    np.testing.assert_array_equal(w.selection.mask, expected)
