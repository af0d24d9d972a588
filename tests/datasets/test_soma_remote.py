"""An experiment of SOMA in an object store: the same values, few requests, a sentence where it fails."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.soma.sparse import Sparse
from cxg_widget.errors import StorageDenied, StorageError, StorageUnavailable
from tests.datasets.read_soma import truth_of, unpack

IMPATIENT = {"connect_timeout": 0.2, "read_timeout": 1, "max_attempts": 1}


@pytest.fixture(scope="module")
def uri(tmp_path_factory, object_store):
    return object_store.put(unpack(tmp_path_factory.mktemp("soma")) / "gaps.soma", "gaps.soma")


@pytest.fixture(scope="module")
def dataset(uri, object_store):
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        yield dataset


def test_it_holds_what_the_local_one_holds(dataset):
    truth = truth_of("gaps")
    pd.testing.assert_frame_equal(dataset.obs(), truth.obs)
    for name, xy in truth.embeddings.items():
        np.testing.assert_array_equal(dataset.embedding(name), xy[:, :2])
    np.testing.assert_array_equal(dataset.values("GENE3"), truth.X[:, 3])
    assert dataset.obs_record(4)["cell_type"] == truth.obs["cell_type"].iloc[4]
    assert not [note for note in dataset.notes if "cannot be read" in note]


def test_the_first_gene_reads_x_alone_and_the_next_one_nothing(uri, object_store):
    with open_dataset(uri, storage_options=object_store.storage_options, cache_bytes=0) as dataset:
        dataset.find_var("GENE1")
        object_store.requests()
        dataset.values("GENE1")
        first = object_store.requests()
        dataset.values("GENE2")
        second = object_store.requests()
    assert {one.key.split("/")[1:5] == ["ms", "census", "X", "raw"] for one in first} == {True}
    assert second == []


def test_opening_waits_for_few_answers_in_a_row(uri, object_store):
    object_store.requests()
    with object_store.failing("slow", seconds=0.03):
        open_dataset(uri, storage_options=object_store.storage_options).close()
    requests = object_store.requests()
    assert sum(one.begins_turn for one in requests) < len(requests) / 1.5
    assert not [one for one in requests if "/X/raw/" in one.key or "/X/normalized/" in one.key]


@pytest.fixture(scope="module", params=["whole", "gaps"])
def stored(request, tmp_path_factory, object_store):
    """An experiment whose X is sparse, and one whose X is dense."""
    name = request.param
    folder = unpack(tmp_path_factory.mktemp(name))
    return object_store.put(folder / f"{name}.soma", f"turns/{name}.soma"), truth_of(name)


def test_points_colors_a_gene_and_the_obs_of_a_lasso_take_two_round_trips_each(stored, object_store):
    uri, truth = stored
    for _ in range(3):  # a busy machine sends some requests late, which looks like another round trip; never fewer
        n_turns = _turns_of_all(uri, truth, object_store)
        if max(n_turns.values()) <= 2:
            break
    assert max(n_turns.values()) <= 2, n_turns


def test_the_boxes_of_a_gene_are_requested_together(tmp_path, object_store, monkeypatch):
    uri, truth = object_store.put(unpack(tmp_path) / "whole.soma", "boxes/whole.soma"), truth_of("whole")
    monkeypatch.setattr(Sparse, "_rows_of_box", lambda *_: 20)  # the fixture has 60 rows in one tile
    boxes, box = [], Sparse._box
    monkeypatch.setattr(Sparse, "_box", lambda *given: boxes.append(1) or box(*given))
    for _ in range(3):  # as above
        boxes.clear()
        with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
            dataset.read_names()
            n_turns = _turns(object_store, lambda dataset=dataset: dataset.values("GENE3"))
            np.testing.assert_array_equal(dataset.values("GENE3"), truth.X[:, 3])
        if n_turns <= 2:
            break
    assert n_turns <= 2 < len(boxes)


def _turns_of_all(uri, truth, object_store):
    rows = np.arange(3, len(truth.obs), 7)
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        reads = {
            "embedding": lambda: dataset.embedding("umap"),
            "category": lambda: dataset.codes("cell_type"),
            "obs": lambda: dataset.obs(rows=rows),
        }
        n_turns = {name: _turns(object_store, read) for name, read in reads.items()}
        dataset.read_names()
        n_turns["gene"] = _turns(object_store, lambda: dataset.values("GENE3"))
        n_turns["beside"] = _turns(object_store, lambda: dataset.values("GENE4"))
        np.testing.assert_array_equal(dataset.values("GENE4"), truth.X[:, 4])
        pd.testing.assert_frame_equal(dataset.obs(rows=rows), truth.obs.iloc[rows])
    return n_turns


def _turns(object_store, read):
    object_store.requests()
    with object_store.failing("quiet", seconds=0.15):
        read()
    return sum(one.begins_turn for one in object_store.requests())


def test_wrong_credentials_are_denied_without_naming_them(uri, object_store):
    options = {**object_store.storage_options, "key": "intruder", "secret": "hush-hush"}
    with pytest.raises(StorageDenied, match="check key, secret, token") as caught:
        open_dataset(uri, storage_options=options)
    assert "hush-hush" not in repr(caught.value)


def test_a_gene_that_fails_is_a_sentence_and_the_next_try_works(uri, object_store):
    with open_dataset(uri, storage_options={**object_store.storage_options, **IMPATIENT}) as dataset:
        dataset.find_var("GENE1")
        with object_store.failing("500", at="/X/raw/"), pytest.raises(StorageUnavailable) as caught:
            dataset.values("GENE1")
        assert isinstance(caught.value, StorageError)
        np.testing.assert_array_equal(dataset.values("GENE1"), truth_of("gaps").X[:, 1])
