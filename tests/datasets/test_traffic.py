"""What actions read of a store is what the store saw: counted by a server of objects, below zarr, by the system."""

from __future__ import annotations

import mmap
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import h5py
import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import zarr.storage

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.metered_file import can_count_reads
from cxg_widget.datasets.tables.parquet_table import ParquetTable
from cxg_widget.session import answers
from tests.datasets import make_atlas, make_mzpeak
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.datasets.test_anndata_memory import stand_in
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
        assert not w.cost.is_ahead


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


EVERYWHERE = {"kind": "lasso", "polygon": [-99, -99, 99, -99, 99, 99, -99, 99], "mode": "replace"}


def test_a_gesture_among_cells_in_memory_costs_nothing_whatever_is_read_for_others_meanwhile(widget, seen, monkeypatch):
    w = widget
    w.front.ask(**EVERYWHERE)
    select, gene = answers._cells_of, w.dataset.var_names[2]
    seen()

    def beside(session, request):
        w.dataset.vector(gene)
        return select(session, request)

    monkeypatch.setattr(answers, "_cells_of", beside)
    w.front.ask(**EVERYWHERE)
    assert w.n_selected > 0
    assert seen() != Traffic()
    assert (w.cost.of, str(w.cost)) == ("lasso", "from memory")


def test_what_tiledb_has_read_is_not_asked_for_by_a_hover_or_a_gesture_in_memory(widget, monkeypatch):
    w, hover = widget, {"kind": "hover", "x": 0.0, "y": 0.0, "radius_x": 9.0, "radius_y": 9.0}
    w.front.ask(**EVERYWHERE)
    asked, now = [], w._session.costs.now
    monkeypatch.setattr(w._session.costs, "now", lambda: asked.append(1) or now())
    w.front.ask(**hover)
    w.front.ask(**EVERYWHERE)
    assert w.front.kinds[-1] != "error"
    assert asked == []
    w.color = next(iter(w.dataset.obs_columns))
    w.front.settle()
    assert asked


def test_where_storage_is_read_ahead_requests_are_at_most_those_told_and_it_says_so(
    uri, object_store, seen, monkeypatch
):
    w = CxgWidget(uri, config=object_store.config, color=None)
    w.front = Recorder(w, monkeypatch)
    w.front.settle()
    w.dataset.read_names()
    for gene in w.dataset.var_labels[::10]:  # far enough apart that none comes along with the one before
        seen()
        w.color = f"var:{gene}"
        assert 0 <= seen().n_reads <= cost_of(w).n_reads
        assert w.cost.is_ahead
        assert f"in up to {w.cost.n_reads} requests" in str(w.cost)
    assert [one["is_ahead"] for one, _ in w.front.sent if one["kind"] == "cost"][-1]
    w.close()


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


needs_proc = pytest.mark.skipif(not can_count_reads(), reason="the system does not tell what a thread reads")


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


@needs_proc
def test_where_threads_are_not_told_of_an_h5ad_is_counted_what_the_system_reads(tmp_path, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.anndata.h5.can_count_reads", lambda: False)
    path = make_anndata(tmp_path, make_truth(), name="made")
    with open_dataset(path) as dataset, h5py.File(path):  # beside one who opened it in the usual way
        dataset.vector(dataset.var_labels[0])
        before = dataset.traffic
        with system_reads() as seen:
            dataset.obs()
            dataset.vector(dataset.var_labels[1])
        assert dataset.traffic.since(before) == seen.traffic
        assert seen.traffic.n_bytes > 1_000


@contextmanager
def system_reads():
    """Tell what this process has read meanwhile, by the system's own count."""
    found = SimpleNamespace()

    def look():
        told = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
        return Traffic(int(told["rchar"]), int(told["syscr"]))

    first, second = look(), look()
    yield found
    found.traffic = look().since(second).since(second.since(first))  # without what looking reads


@needs_proc
@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_what_is_read_of_an_atlas_is_what_the_system_reads(tmp_path, layout):
    truth = make_atlas.make_truth(n_obs=6_000, n_var=20)
    path = make_atlas.make_atlas(tmp_path / "a", truth, layout)
    with open_dataset(path) as dataset:  # which imports what it needs
        dataset.obs()
        dataset.vector(dataset.var_labels[0])
        dataset.embedding()
    with system_reads() as opened, open_dataset(path) as dataset:
        pass
    with open_dataset(path) as dataset:
        assert 0 < dataset.traffic.n_bytes <= opened.traffic.n_bytes
        for act in (dataset.obs, lambda: dataset.vector(dataset.var_labels[1]), dataset.embedding):
            before = dataset.traffic
            with system_reads() as seen:
                act()
            read = dataset.traffic.since(before)
            assert 0 <= seen.traffic.n_bytes - read.n_bytes <= 0.01 * read.n_bytes + 500  # which Lance's lists take
            assert 0 < read.n_reads <= seen.traffic.n_reads
        before = dataset.traffic
        dataset.vector(dataset.var_labels[1])
        assert dataset.traffic == before


@needs_proc
def test_what_is_read_of_an_mzpeak_is_what_the_system_reads_where_its_files_are_not_mapped(tmp_path, monkeypatch):
    path = make_mzpeak.make_mzpeak(tmp_path / "a.mzpeak", make_mzpeak.make_run(400), rows_per_group=5_000, folder=True)
    acts = (lambda one: one.codes("ms_level"), lambda one: one.vector(one.var_labels[0]), lambda one: one.obs())
    counted, seen = [], []
    with open_dataset(path) as dataset:
        for act in acts:
            before = dataset.traffic
            act(dataset)
            counted.append(dataset.traffic.since(before).n_bytes)
        before = dataset.traffic
        dataset.vector(dataset.var_labels[0])
        assert dataset.traffic == before
    with ExitStack() as files, monkeypatch.context() as patch:
        patch.setattr(
            ParquetTable, "_file", lambda self: files.enter_context((path / self.name).open("rb", buffering=0))
        )
        dataset = files.enter_context(open_dataset(path))
        for act in acts:
            with system_reads() as system:
                act(dataset)
            seen.append(system.traffic.n_bytes)
    assert counted == seen
    assert min(counted) > 0


def test_what_is_read_of_an_mzpeak_are_the_column_chunks_that_its_footers_tell(tmp_path):
    path = make_mzpeak.make_mzpeak(tmp_path / "a.mzpeak", make_mzpeak.make_run(400))
    with open_dataset(path) as dataset:
        before = dataset.traffic
        dataset.codes("ms_level")
        read = dataset.traffic.since(before)
        assert read.n_bytes == chunks_of(path, "spectra_metadata.parquet", "ms_level")
        assert 0 < before.n_bytes < path.stat().st_size


def chunks_of(path, member, column):
    """Return the bytes of the chunks of a column, by Arrow's own reading of the footer."""
    footer = pq.ParquetFile(BytesIO(ZipFile(path).read(member))).metadata
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    all_ = [group.column(number) for group in groups for number in range(group.num_columns)]
    return sum(one.total_compressed_size for one in all_ if column in one.path_in_schema)


@pytest.mark.parametrize("layout", ["csr", "csc", "dense", "view"])
def test_of_an_anndata_in_memory_nothing_is_read_and_the_widget_says_so(layout, monkeypatch):
    w = CxgWidget(stand_in(make_truth(), layout), color=None)
    w.front = Recorder(w, monkeypatch)
    for color in (next(iter(w.dataset.obs_columns)), f"var:{w.dataset.var_labels[1]}"):
        w.color = color
        assert cost_of(w) == Traffic()
        assert str(w.cost) == "from memory"
    w.close()


def test_of_an_anndata_of_which_a_part_lies_on_disk_nothing_is_said(tmp_path):
    truth = make_truth()
    assert traffic_of(stand_in(truth, "backed")) is None
    np.save(tmp_path / "x.npy", truth.X)
    mapped = stand_in(truth, "dense")
    mapped._X = np.load(tmp_path / "x.npy", mmap_mode="r")[:]
    assert traffic_of(mapped) is None
    with (tmp_path / "x.npy").open("rb") as file:
        raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    mapped._X = np.frombuffer(raw, "u1", truth.X.size).reshape(truth.X.shape)
    assert traffic_of(mapped) is None
    assert traffic_of(stand_in(truth, layers={"counts": sp.csr_matrix(truth.X)})) == Traffic()


def traffic_of(adata):
    with open_dataset(adata) as dataset:
        return dataset.traffic


def test_where_nothing_counts_there_is_no_cost(monkeypatch):
    w = CxgWidget(small())
    w.front = Recorder(w, monkeypatch)
    w.color = "cell_type"
    assert "cost" not in w.front.kinds
    assert w.cost is None
    w.close()
