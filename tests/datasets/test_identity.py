"""The identity of a store: the same while it is the same, another after any write, few requests far away."""

from __future__ import annotations

import shutil

import numpy as np
import tiledb

from cxg_widget import CxgWidget
from cxg_widget.convert import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.anndata.dataset import AnnDataDataset
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.memory import small


def identity(path, **options):
    with open_dataset(path, **options) as dataset:
        return dataset.identity


def test_a_store_keeps_its_identity_while_nothing_is_written(make):
    path = make()
    with open_dataset(path) as dataset:
        before = dataset.identity
        dataset.embedding()
        assert dataset.identity == before
    assert identity(path) == before
    assert str(path) in before


def test_a_write_to_an_embedding_a_column_or_the_matrix_changes_it(make):
    path = make("dense")
    seen = {identity(path)}
    for name, values in (
        ("emb/umap", np.zeros((40, 2), dtype=np.float32)),
        ("X", np.zeros((40, 9), dtype=np.float32)),
    ):
        with tiledb.open(str(path / name), "w") as array:
            array[:] = values
        seen.add(identity(path))
    with tiledb.open(str(path / "obs")) as array:
        columns = {name: array[:][name] for name in (array.schema.attr(i).name for i in range(array.schema.nattr))}
    with tiledb.open(str(path / "obs"), "w") as array:
        array[:] = columns
    seen.add(identity(path))
    assert len(seen) == 4


def test_the_same_data_written_anew_or_elsewhere_are_another_store(tmp_path, small_truth):
    first = identity(make_cxg(tmp_path / "a.cxg", small_truth))
    shutil.copytree(tmp_path / "a.cxg", tmp_path / "b.cxg")
    assert identity(tmp_path / "b.cxg") != first
    shutil.rmtree(tmp_path / "a.cxg")
    assert identity(make_cxg(tmp_path / "a.cxg", small_truth)) != first


def test_fragments_without_commits_as_of_2021_count_too(make):
    path = make()
    for array in ("obs", "emb/umap"):
        shutil.rmtree(path / array / "__commits")
        (path / array / "__fragments").rename(path / array / "__1_1_aa_8")
    before = _names(path)
    (path / "emb" / "umap" / "__2_2_bb_8").mkdir()
    assert _names(path) != before


def _names(path):
    from cxg_widget.datasets.tiledb_access.arrays import Arrays

    return Arrays(str(path), str(path), tiledb.Ctx()).state(["obs", "emb/umap"])


def test_far_away_it_takes_one_request_for_each_array(tmp_path, object_store):
    path = make_cxg(tmp_path / "s.cxg", make_truth())
    uri = object_store.put(path, "identity.cxg")
    with open_dataset(uri, config=object_store.config) as dataset:
        n_arrays = 5 + len(dataset.embeddings)
        object_store.requests()
        before = dataset.identity
        requests = object_store.requests()
    assert {one.verb for one in requests} == {"LIST"}
    assert len(requests) <= n_arrays
    assert identity(uri, config=object_store.config) == before
    shutil.rmtree(path)
    object_store.put(make_cxg(path, make_truth(seed=1)), "identity.cxg")
    assert identity(uri, config=object_store.config) != before


def test_names_of_cells_are_read_when_rows_are_first_packed_and_no_sooner(tmp_path, monkeypatch):
    path, read, names = tmp_path / "a.h5ad", [], AnnDataDataset._read_obs_identity
    convert(small(50), path, progress=False)
    monkeypatch.setattr(AnnDataDataset, "_read_obs_identity", lambda self: read.append(self) or names(self))
    with open_dataset(path) as dataset:
        widget = CxgWidget(dataset)
        widget.sets.add("T", {"cell_type": "T cell"})
        widget.annotations.new("mine").assign("many", {"is_doublet": True})
        widget.sets["others"] = ~widget.sets["T"]
        assert widget.select(widget.sets["T"]).rule == widget.sets["T"].rule
        assert read == []
        widget.sets["rows"], widget.sets["more"] = [1, 2], [3]
        assert len(read) == 1
        widget.close()


def test_a_store_that_cannot_tell_is_never_taken_for_another():
    assert small(10).identity != small(10).identity
