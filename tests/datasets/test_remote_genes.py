"""A gene of a CXG in an object store: at most two round trips, and nothing for a gene whose tiles were just read."""

from types import SimpleNamespace

import numpy as np
import pytest
import tiledb
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.cxg.layouts import ByColumn
from cxg_widget.datasets.tiledb_access.lookups import load_schema, read_fragments
from tests.datasets.make_cxg import make_cxg, make_truth, write_cells

QUIET_S = 0.15
"""Answers so late that all that is asked for side by side is under way at once, on a busy machine too."""


@pytest.fixture(scope="module")
def truth():
    return make_truth(n_obs=400, n_var=120)


@pytest.fixture(scope="module", params=["columns", "sparse", "dense"])
def layout(request):
    return request.param


@pytest.fixture(scope="module")
def uri(layout, tmp_path_factory, object_store, truth):
    """A store of many tiles of 64 cells."""
    path = make_cxg(tmp_path_factory.mktemp("genes") / "genes.cxg", truth, layout)
    return object_store.put(path, f"{layout}/genes.cxg")


@pytest.fixture
def dataset(uri, object_store):
    with open_dataset(uri, storage_options=object_store.storage_options) as found:
        found.read_names()
        object_store.requests()
        yield found


def turns(requests):
    return sum(one.begins_turn for one in requests)


def test_a_gene_never_read_takes_two_round_trips_at_most(dataset, object_store, truth):
    n_requests = []
    for gene in ("ENSG0050", "ENSG0003", "ENSG0117"):
        with object_store.failing("quiet", seconds=QUIET_S):
            found = dataset.values(gene)
        requests = object_store.requests()
        assert {one.verb for one in requests} <= {"GET"}
        assert turns(requests) <= 2
        np.testing.assert_array_equal(found, truth.X[:, truth.var_labels.index(gene)])
        n_requests.append(len(requests))
    assert n_requests[0] > 0


def test_the_obs_of_a_lasso_take_two_round_trips_at_most(dataset, object_store, truth):
    rows = np.arange(3, 400, 7)
    with object_store.failing("quiet", seconds=QUIET_S):
        found = dataset.obs(rows=rows)
    assert 1 <= turns(object_store.requests()) <= 2
    np.testing.assert_array_equal(found["score"], truth.obs["score"].to_numpy()[rows])


def test_genes_are_the_same_in_any_order_whoever_came_along_before(dataset, truth):
    rng = np.random.default_rng(0)
    for position in rng.permutation(48)[:16]:  # a third of those that share tiles
        found = dataset._read_vector(int(position), None).dense(dataset.n_obs)
        np.testing.assert_array_equal(found, truth.X[:, position])


def test_a_gene_in_tiles_that_were_just_read_takes_no_request(object_store, tmp_path, truth):
    path = make_cxg(tmp_path / "a.cxg", truth)
    with open_dataset(object_store.put(path, "beside/a.cxg"), storage_options=object_store.storage_options) as dataset:
        dataset.read_names()
        n_reads, position = 0, 0
        while position < dataset.n_var:
            object_store.requests()
            beside = dataset._matrix._usable()._beside(position)
            dataset.values(dataset.var_labels[position])
            n_reads += bool(object_store.requests())
            for other in beside:
                np.testing.assert_array_equal(dataset.values(dataset.var_labels[other]), truth.X[:, other])
            assert object_store.requests() == []
            position = beside.stop
    assert n_reads < dataset.n_var


@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    capacity=st.integers(1, 12),
    position=st.integers(0, 39),
)
def test_columns_come_along_exactly_where_all_their_tiles_are_read(counts, capacity, position):
    position %= len(counts)
    columns = np.repeat(np.arange(len(counts)), counts)
    tiles = [columns[start : start + capacity] for start in range(0, len(columns), capacity)]
    bounds = np.array([(tile[0], tile[-1]) for tile in tiles], dtype=np.int64).reshape(-1, 2)
    # TileDB reads each tile whose bounds hold a column, whether the tile has an entry of it or not.
    touched = [{n for n, (low, high) in enumerate(bounds) if low <= column <= high} for column in range(len(counts))]
    of_store = SimpleNamespace(_tiles=bounds, stored=SimpleNamespace(shape=(len(counts),)))
    found = ByColumn._beside(of_store, position)
    assert position in found
    assert all(touched[column] <= touched[position] for column in found)
    if touched[position]:
        for column in (found.start - 1, found.stop):
            assert not 0 <= column < len(counts) or not touched[column] <= touched[position]


@pytest.mark.parametrize("n_fragments", [1, 2])
def test_the_bounds_of_tiles_are_those_that_the_library_reports(tmp_path, truth, n_fragments):
    path = make_cxg(tmp_path / "a.cxg", truth) / "Xc"
    if n_fragments == 2:
        write_cells(path, (np.array([5]),), {"": np.ones(1, np.float32), "obs": np.zeros(1, np.uint32)})
    stored = tiledb.array_fragments(str(path), include_mbrs=True)
    schema = load_schema(str(path), tiledb.Ctx())
    found = read_fragments(str(path), schema, tiledb.Ctx(), with_tiles=True)
    assert len(found) == n_fragments
    for one, tiles in zip(found, stored.mbrs, strict=True):
        np.testing.assert_array_equal(one.tiles, [tile[0] for tile in tiles])
    assert len(found[0].tiles) > 10
    assert [one.tiles for one in read_fragments(str(path), schema, tiledb.Ctx())] == [None] * n_fragments


def test_the_genes_beside_one_that_was_read_count_for_the_cache(object_store, tmp_path, truth):
    uri = object_store.put(make_cxg(tmp_path / "a.cxg", truth), "cached/a.cxg")
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        dataset.read_names()
        layout = dataset._matrix._usable()
        position = next(one for one in range(dataset.n_var) if len(layout._beside(one)) > 1)
        beside = layout._beside(position)
        dataset.values(dataset.var_labels[position])
        n_alone = np.count_nonzero(truth.X[:, position])
        n_beside = np.count_nonzero(truth.X[:, beside.start : beside.stop])
        # A row takes 8 bytes, a value 4, and the start of a column 8.
        assert dataset._lifetime.cache.used_bytes == (n_alone + n_beside) * 12 + (len(beside) + 1) * 8


@pytest.mark.parametrize("layout", ["columns"], indirect=True)
def test_the_fragments_of_a_matrix_are_loaded_once(dataset, object_store):
    dataset.values("ENSG0003")
    object_store.requests()
    dataset._matrix._usable()._n_entries("Xc")
    assert object_store.requests() == []


def test_reading_ahead_raises_nothing_and_the_gene_says_what_is_wrong(object_store, tmp_path, truth):
    uri = object_store.put(make_cxg(tmp_path / "a.cxg", truth), "ahead/a.cxg")
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        with object_store.failing("403", at="/Xc"):
            dataset.read_names()
            with pytest.raises(PermissionError, match="denied"):
                dataset.values("ENSG0003")
        np.testing.assert_array_equal(dataset.values("ENSG0003"), truth.X[:, 3])
