"""Opening reads schema and metadata only, and each method what it returns: counted by spies on TileDB."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.tiledb_access import arrays
from tests.datasets.make_cxg import LAYOUTS, make_cxg, make_truth


@pytest.fixture
def reads(monkeypatch):
    """The array name and attributes of each query, in order."""
    seen: list[tuple[str, tuple[str, ...] | None]] = []

    def spy(cls):
        original = cls.query

        def query(self, *args, **options):
            attrs = options.get("attrs")
            seen.append((self.uri.rstrip("/").rsplit("/", 1)[-1], None if attrs is None else tuple(attrs)))
            return original(self, *args, **options)

        def refuse(self, *args):
            raise AssertionError("an array was read without naming its attributes")

        monkeypatch.setattr(cls, "query", query)
        monkeypatch.setattr(cls, "__getitem__", refuse)

    spy(tiledb.DenseArray)
    spy(tiledb.SparseArray)
    packed = arrays.PyQuery

    def packed_query(ctx, array, attrs, *more):
        seen.append((array.uri.rstrip("/").rsplit("/", 1)[-1], attrs))
        return packed(ctx, array, attrs, *more)

    monkeypatch.setattr(arrays, "PyQuery", packed_query)
    return seen


def tiles_read(read) -> int:
    """Return how many tiles TileDB read from disk while `read` ran."""
    tiledb.stats_reset()
    tiledb.stats_enable()
    try:
        read()
        text = tiledb.stats_dump(print_out=False, json=True)
    finally:
        tiledb.stats_disable()
    counters: dict[str, int] = {}

    def gather(value):
        if isinstance(value, dict):
            for name, one in value.items():
                if name == "counters":
                    for counter, number in one.items():
                        counters[counter] = counters.get(counter, 0) + number
                else:
                    gather(one)
        elif isinstance(value, list):
            for one in value:
                gather(one)

    gather(json.loads(text))
    return sum(number for name, number in counters.items() if name.endswith("num_tiles_read"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_opening_reads_no_values(make, reads, layout):
    with open_dataset(make(layout)) as dataset:
        assert dataset.obs_columns
        assert dataset.embeddings["pca"] == 50
        assert dataset.default_embedding == "umap"
        repr(dataset)
        assert reads == []
        assert set(dataset._arrays._open) <= {"cxg_group_metadata", "obs", "var"}


def test_one_column_reads_that_column_once(make, reads):
    with open_dataset(make()) as dataset:
        dataset.codes("cell_type")
        dataset.codes("cell_type")
        dataset.numbers("n_genes")
        dataset.numbers("n_genes")
        assert reads == [("obs", ("cell_type",)), ("obs", ("n_genes",))]


def test_some_columns_of_obs_read_those_and_the_index(make, reads):
    with open_dataset(make()) as dataset:
        dataset.obs(["score"], rows=[3])
        assert reads == [("obs", ("score",)), ("obs", ("name_0",))]


def test_an_embedding_reads_its_own_array_only(make, reads):
    with open_dataset(make()) as dataset:
        dataset.embedding("pca", (3, 7))
        assert {name for name, _ in reads} == {"pca"}
        assert "emb/umap" not in dataset._arrays._open


@pytest.mark.parametrize(("layout", "array"), [("columns", "Xc"), ("sparse", "X"), ("dense", "X")])
def test_one_gene_reads_names_once_and_one_column(make, small_truth, reads, layout, array):
    with open_dataset(make(layout)) as dataset:
        dataset.values(small_truth.var_labels[2])
        assert [name for name, _ in reads] == ["var", array]
        dataset.values(small_truth.var_labels[2])
        assert len(reads) == 2
        dataset.values(small_truth.var_labels[4])
        assert [name for name, _ in reads] == ["var", array, array]
        assert "Xr" not in dataset._arrays._open


def test_after_the_names_were_read_ahead_one_gene_reads_one_column(make, small_truth, reads):
    with open_dataset(make()) as dataset:
        dataset.read_names()
        assert reads == [("var", ("name_0",)), ("var", ("feature_name",))]
        for name in (small_truth.var_labels[2], small_truth.aliases[3]):
            dataset.values(name)
        assert [name for name, _ in reads[2:]] == ["Xc", "Xc"]


def test_one_gene_reads_few_tiles_of_many(tmp_path):
    truth = make_truth(n_obs=400, n_var=120)
    with open_dataset(make_cxg(tmp_path / "s.cxg", truth, shuffled=False)) as dataset:
        dataset.find_var(truth.var_labels[7])
        # The store has about 19,000 cells in tiles of 64: 300 tiles for each attribute and 300 for the dimension.
        one = tiles_read(lambda: dataset.values(truth.var_labels[7]))
    assert 0 < one < 40


@pytest.mark.parametrize("version", ["0.0", "0.3.0"])
def test_a_row_of_a_category_stored_as_its_values_reads_one_tile_of_many(tmp_path, version):
    truth = make_truth(n_obs=6_000, n_var=3)
    with open_dataset(make_cxg(tmp_path / "s.cxg", truth, version=version)) as dataset:
        column = "size" if version == "0.3.0" else "cell_type"  # integers, labels
        found = []
        assert 0 < tiles_read(lambda: found.append(dataset.obs_record(4_321, [column]))) <= 2  # 12 of 1,000 rows
        value = truth.obs[column].iloc[4_321]
        assert found == [{column: None if pd.isna(value) else value}]


def test_rows_of_columns_that_are_held_need_no_read(make, reads):
    with open_dataset(make()) as dataset:
        dataset.hold(list(dataset.obs_columns))
        n_reads = len(reads)
        assert n_reads > 0
        dataset.hold(list(dataset.obs_columns))
        for row in (0, 3):
            dataset.obs_record(row)
            dataset.obs_names([row])
        assert len(reads) == n_reads


def test_what_the_cache_cannot_hold_is_read_again(make, reads):
    with open_dataset(make(), cache_bytes=0) as dataset:
        dataset.numbers("n_genes")
        dataset.numbers("n_genes")
        assert len(reads) == 2


def test_close_closes_every_array(make, small_truth):
    dataset = open_dataset(make())
    dataset.embedding()
    dataset.values(small_truth.var_labels[0])
    arrays = [dataset._arrays.array(path) for path in dataset._arrays._open]
    assert len(arrays) > 2
    dataset.close()
    dataset.close()
    assert not any(array.isopen for array in arrays)


def test_a_failed_opening_leaves_nothing_open(make, monkeypatch):
    opened = []
    original = tiledb.open
    monkeypatch.setattr(
        tiledb, "open", lambda *args, **options: opened.append(original(*args, **options)) or opened[-1]
    )
    path = make(hints="{broken")
    opened.clear()
    with pytest.raises(ValueError, match="JSON"):
        open_dataset(path)
    assert opened
    assert not any(array.isopen for array in opened)


def test_importing_the_contract_imports_neither_tiledb_nor_pandas():
    code = "import sys, cxg_widget.datasets as d; print([m for m in ('tiledb', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reading_values_for_the_picture_needs_no_pandas(make, small_truth):
    path = make()
    code = f"""
import sys
from cxg_widget.datasets import open_dataset
with open_dataset({str(path)!r}) as d:
    d.embedding(); d.codes("cell_type"); d.values({small_truth.var_labels[0]!r}); d.obs_record(0)
print("pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_context_or_a_configuration_can_be_given(make, small_truth):
    path = make()
    for options in ({"ctx": tiledb.Ctx()}, {"config": {"sm.memory_budget": 10**9}}, {"config": tiledb.Config()}):
        with open_dataset(path, **options) as dataset:
            np.testing.assert_array_equal(dataset.values(small_truth.var_labels[0]), small_truth.X[:, 0])
