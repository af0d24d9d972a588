"""What actions read of a store is what the store saw: counted by a server of objects, and below zarr."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest
import zarr.storage

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.datasets.base.thread_reads import is_told
from cxg_widget.datasets.base.traffic import Traffic
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.memory import small
from tests.unit.test_widget import Recorder

EXACT = {"vfs.read_ahead_size": "0"}
"""Else TileDB may serve several of its reads by one request, and asks for more than it needs."""


@pytest.fixture(scope="module")
def uri(tmp_path_factory, object_store):
    path = make_cxg(tmp_path_factory.mktemp("cxg") / "costs.cxg", make_truth(), "columns")
    return object_store.put(path, "costs.cxg")


@pytest.fixture
def seen(object_store):
    """Return what the object store has sent since the last call."""

    def take():
        sizes = [one.n_bytes for one in object_store.requests() if one.verb == "GET"]
        return Traffic(sum(sizes), len(sizes))

    take()
    return take


@pytest.fixture
def widget(uri, object_store, seen, monkeypatch):
    w = CxgWidget(uri, config={**object_store.config, **EXACT}, color=None)
    w.front = Recorder(w, monkeypatch)
    w.front.settle()
    w._dataset.read_names()
    seen()
    yield w
    w.close()


def cost_of(w):
    w.front.settle()
    return Traffic(w.cost.n_bytes, w.cost.n_reads)


def test_what_each_action_costs_is_what_the_store_saw(widget, seen):
    w = widget
    first, second, third, *_ = w.dataset.obs_columns
    columns = {"kind": "columns", "panel": 0, "columns": [f"obs:{second}"], "known": [], "filters": []}
    for of, act in [
        ("color", lambda: setattr(w, "color", first)),
        ("color", lambda: setattr(w, "color", f"var:{w.dataset.var_labels[1]}")),
        ("columns", lambda: w.front.ask(**columns)),
        ("counts", lambda: w.counts(third)),
    ]:
        act()
        assert cost_of(w) == seen() != Traffic()
        assert w.cost.of == of
        assert not w.cost.from_memory


def test_what_is_in_memory_costs_nothing_and_both_are_told(widget, seen):
    w = widget
    gene = f"var:{w.dataset.var_labels[0]}"
    w.color = gene
    read = cost_of(w)
    w.color = None
    w.front.settle()
    seen()
    w.color = gene
    assert cost_of(w) == seen() == Traffic()
    assert w.cost.from_memory
    assert str(w.cost) == "from memory"
    told = [Traffic(one["n_bytes"], one["n_reads"]) for one, _ in w.front.sent if one["kind"] == "cost"]
    assert [one for one in told if one == read] == [read]
    assert told[-1] == Traffic()


def test_a_context_that_was_renewed_still_counts(uri, object_store, seen, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.tiledb_access.arrays._READS_IN_A_CONTEXT", 3)
    with open_dataset(uri, config={**object_store.config, **EXACT}, cache_bytes=0) as dataset:
        before, _ = dataset.traffic, seen()
        for position in range(8):
            dataset.vector(dataset.var_labels[position % dataset.n_var])
        arrays = dataset._arrays
        array, column = arrays.array("obs"), next(iter(dataset.obs_columns))
        for _ in range(4):
            arrays.column("obs", column)
        assert arrays.array("obs").ctx is not array.ctx
        arrays.read(array, "obs", lambda: array.query(attrs=[column])[:])  # begun in the former context
        assert dataset.traffic.since(before) == seen()


@pytest.mark.filterwarnings("ignore:Consolidated")
@pytest.mark.parametrize("container", ["zarr3", "zip"])
def test_chunks_of_zarr_are_counted_as_the_store_gives_them(tmp_path, monkeypatch, container):
    path = make_anndata(tmp_path, container=container)
    given = []
    if container == "zarr3":
        get = zarr.storage.LocalStore.get

        async def noted(*args):
            found = await get(*args)
            given.append(0 if found is None else len(found))
            return found

        monkeypatch.setattr(zarr.storage.LocalStore, "get", noted)
    else:
        get_member = zarr.storage.ZipStore._get

        def noted_member(*args):
            found = get_member(*args)
            given.append(0 if found is None else len(found))
            return found

        monkeypatch.setattr(zarr.storage.ZipStore, "_get", noted_member)
    with open_dataset(str(path)) as dataset:
        dataset.obs()
        dataset.vector(dataset.var_labels[0])
        n = np.array(given)
        assert dataset.traffic == Traffic(int(n.sum()), int((n > 0).sum()))


needs_proc = pytest.mark.skipif(not is_told(), reason="the system does not tell what a thread reads")


@pytest.fixture
def large(tmp_path):
    """A dataset of an h5ad, and an array of 2,000,000 numbers in it, uncompressed."""
    path = make_anndata(tmp_path, make_truth(), name="made")
    with h5py.File(path, "a") as file:
        file["large"] = np.arange(2_000_000, dtype=np.float64)
    with open_dataset(path) as dataset:
        yield dataset, dataset._store.root.get("large")


@needs_proc
def test_what_is_read_of_an_h5ad_is_what_the_file_gives(large):
    dataset, array = large
    before = dataset.traffic
    read = array.read(slice(0, 1_000_000))
    one = dataset.traffic.since(before)
    assert 0 <= one.n_bytes - read.nbytes < 100_000  # and what tells where it lies
    before = dataset.traffic
    array.read(slice(0, 10))
    assert dataset.traffic.since(before).n_bytes < 100_000


@needs_proc
def test_of_many_threads_each_read_is_counted_once(large):
    dataset, array = large
    before = dataset.traffic
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda i: array.read(slice(i * 100_000, (i + 1) * 100_000)), range(10)))
    found = dataset.traffic.since(before)
    total = sum(part.nbytes for part in parts)
    assert total == 8_000_000
    assert 0 <= found.n_bytes - total < 200_000


def test_where_nothing_counts_there_is_no_cost(monkeypatch):
    w = CxgWidget(small())
    w.front = Recorder(w, monkeypatch)
    w.color = "cell_type"
    assert "cost" not in w.front.kinds
    assert w.cost is None
    w.close()
