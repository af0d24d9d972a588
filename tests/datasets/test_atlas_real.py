"""The atlas that homeobox wrote, compared with what was given to it and with what its own query answers."""

from __future__ import annotations

import lance
import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import UnknownName


@pytest.fixture(scope="module")
def path(real_data):
    return real_data / "atlas" / "atlas"


@pytest.fixture(scope="module")
def dataset(path):
    with open_dataset(path) as dataset:
        yield dataset


@pytest.fixture(scope="module")
def stored(path):
    return lance.dataset(str(path / "lance_db" / "cells.lance")).to_table().to_pandas()


@pytest.fixture(scope="module")
def X(path, dataset, stored):
    """The counts of each dataset as they were given to homeobox, NaN where a dataset did not have a gene."""
    truth = np.load(path / "truth.npz")
    X = np.full((len(stored), 30), np.nan, dtype=np.float32)
    place = {gene: position for position, gene in enumerate(dataset.var_labels)}
    for name in ("ds1", "ds2", "ds3", "ds5"):
        rows = np.flatnonzero(stored["dataset_uid"] == name)
        X[np.ix_(rows, [place[gene] for gene in truth[f"{name}_g"]])] = truth[name]
    return X


def test_every_gene_is_what_was_measured_and_nan_elsewhere(dataset, X):
    assert np.isnan(X).any()
    for position, gene in enumerate(dataset.var_labels):
        np.testing.assert_array_equal(dataset.values(gene), X[:, position], strict=True)


def test_homeobox_itself_answers_the_same_where_it_measured(path, dataset):
    answer = np.load(path.parent / "hoxq.npz")
    rows = dataset.obs(index=True).index.get_indexer(answer["uid"])
    assert (rows >= 0).all()
    assert len(rows) == 700
    for position, gene in enumerate(answer["g"]):
        values = dataset.values(str(gene))[rows]
        np.testing.assert_array_equal(np.nan_to_num(values), answer["X"][:, position])


def test_lines_of_the_matrix_are_the_same_values(dataset, X):
    found = []
    for start in range(0, dataset.n_obs, 97):
        stop = min(start + 97, dataset.n_obs)
        block = dataset.matrix_block(start, stop)
        lines = np.zeros((stop - start, 30), dtype=np.float32)
        lines[np.repeat(np.arange(stop - start), np.diff(block.starts)), block.positions] = block.values
        found.append(lines)
    np.testing.assert_array_equal(np.concatenate(found), X)


def test_obs_is_what_lance_holds(dataset, stored):
    frame = dataset.obs()
    assert frame.index.tolist() == stored["uid"].tolist()
    assert frame.columns.tolist() == ["dataset_uid", "cell_type", "n_counts", "is_primary", "donor"]
    for name in frame.columns:
        assert frame[name].tolist() == stored[name].tolist()
    assert [column.kind for column in dataset.obs_columns.values()] == ["string", "string", "float", "boolean", "int"]


def test_the_vector_column_is_the_default_embedding(dataset, stored):
    assert dataset.default_embedding == "umap"
    np.testing.assert_array_equal(dataset.embedding(), np.stack(stored["X_umap"].to_numpy()))


def test_the_dense_space_is_an_embedding_and_can_be_the_features(path, dataset, stored):
    truth = np.load(path / "truth.npz")["P"].astype(np.float32)
    rows = np.flatnonzero(stored["prot"].notna())
    with open_dataset(path, feature_space="protein_abundance") as proteins:
        assert proteins.n_var == 6
        layouts = lance.dataset(str(path / "lance_db" / "_feature_layouts.lance")).to_table().to_pandas()
        layouts = layouts[layouts["feature_uid"].isin(proteins.var_labels)]
        assert len(layouts) == 4
        for feature, place in zip(layouts["feature_uid"], layouts["local_index"], strict=True):
            values = proteins.values(feature)
            np.testing.assert_array_equal(values[rows], truth[:, place])
            assert np.isnan(np.delete(values, rows)).all()
    axes = tuple(int(feature.removeprefix("P")) for feature in layouts["feature_uid"][:2])
    xy = dataset.embedding("protein_abundance", axes)
    np.testing.assert_array_equal(xy[rows], truth[:, layouts["local_index"][:2]])


def test_an_older_snapshot_has_its_own_rows(path, dataset, stored):
    with open_dataset(path, version=0) as older:
        assert (older.n_obs, older.snapshot) == (730, 0)
        assert older.obs_names().tolist() == stored["uid"][:730].tolist()
        assert older.identity != dataset.identity
        for gene in older.var_labels[::5]:
            np.testing.assert_array_equal(older.values(gene), dataset.values(gene)[:730])
    with pytest.raises(UnknownName, match=r"snapshot 9 not found; available \[0, 1\]"):
        open_dataset(path, version=9)


def test_the_folder_of_the_tables_opens_the_same_atlas(path, dataset):
    with open_dataset(path / "lance_db") as same:
        assert same.title == dataset.title == "atlas"
        assert same.n_obs == dataset.n_obs


def test_genes_are_found_by_their_names_too(dataset):
    assert dataset.find_var("G7") == dataset.find_var("ENSG00007") == 7
    assert list(dataset.var_aliases)[:2] == ["G0", "G1"]
